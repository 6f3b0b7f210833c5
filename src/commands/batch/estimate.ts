/** `svc batch run --estimate`: what the requests of an input cost at least and at most. */
import type { Client } from '../../api/client.js';
import { modelPrices, priceLimit } from '../../api/price-limit.js';
import type { BatchInput } from '../../batch/input.js';
import type { Context } from '../../cli/context.js';
import { charactersPerToken } from '../../contract/limits.js';
import { PriceTooHigh } from '../../errors.js';
import { pricesFor } from '../../jobs/spending.js';
import { formatAge } from '../../lib/duration.js';
import { parsedJson, recordOf } from '../../lib/json.js';
import { titles } from '../../terminal/types.js';
import { countCell, rubCell } from '../cells.js';

const none = { requests: 0, input_tokens: 0, from_rub: 0, to_rub: 0 };

/** Asks only for prices. A price that is not known is `null` in JSON and blank in the table. */
export async function estimate(
  context: Context,
  client: Client,
  input: BatchInput,
  { rpm = Infinity, tpm = Infinity }: { readonly rpm?: number; readonly tpm?: number },
): Promise<void> {
  const { flags, out } = context;
  const asking = { client, prices: pricesFor(context, client) };
  const prices = await asking.prices();
  const total = { ...none };
  const models = new Map<string, typeof total>();
  for await (const requests of input.requests()) {
    for (const { body, model, row } of requests) {
      const url = new URL(row.path, client.baseUrl);
      const tokens = Math.ceil(textLength(recordOf(parsedJson(body))) / charactersPerToken);
      const most = row.paid ? priceLimit(asking, row.paid, { url, body }) : { rub: 0 };
      const { rub: toRub } = await Promise.resolve(most).catch(unknown);
      const isByToken = row.paid === 'answer' || row.paid === 'input';
      const fromRub = isByToken ? tokens * modelPrices(prices, model).inputRub : toRub;
      const name = model ?? row.path;
      const sum = models.get(name) ?? { ...none };
      models.set(name, sum);
      for (const one of [sum, total]) {
        one.requests += 1;
        one.input_tokens += tokens;
        one.from_rub += fromRub;
        one.to_rub += toRub;
      }
    }
  }
  const minutes = Math.max(total.requests / rpm, total.input_tokens / tpm);
  if (flags.json) {
    const each = [...models].map(([model, sum]) => ({ model, ...sum }));
    return out.json({ ...total, seconds: minutes > 0 ? minutes * 60 : undefined, models: each });
  }
  const rub = (amount: number) => (Number.isNaN(amount) ? '' : rubCell(context, amount));
  const rows = [...models, ...(models.size > 1 ? [['all', total] as const] : [])];
  await out.table(
    titles('MODEL', '>REQUESTS', '>INPUT TOKENS', '>FROM', '>TO'),
    rows.map(([name, sum]) => [
      name,
      countCell(context, sum.requests),
      countCell(context, sum.input_tokens),
      rub(sum.from_rub),
      rub(sum.to_rub),
    ]),
  );
  if (minutes > 0) out.note(`at least ${formatAge(minutes * 60_000)} at these limits`);
}

function unknown(error: unknown) {
  if (error instanceof PriceTooHigh) return { rub: NaN };
  throw error;
}

/** Of all texts in the fields that a model reads. */
function textLength({ input, messages, system, tools }: Record<string, unknown>): number {
  let length = 0;
  JSON.stringify([input, messages, system, tools], (_name, value: unknown) => {
    if (typeof value === 'string' && !value.startsWith('data:')) length += value.length;
    return value;
  });
  return length;
}
