/** `svc batch run --estimate`: what the requests of an input cost at least and at most. */
import type { Client } from '../../api/client.js';
import type { BatchInput } from '../../batch/input.js';
import { withAnswerLimit, type BatchMoney } from '../../batch/money.js';
import type { BatchRequest } from '../../batch/request.js';
import type { Context } from '../../context.js';
import { charactersPerToken, messagesMaxTokens } from '../../contract/limits.js';
import { PriceTooHigh } from '../../errors.js';
import { sumRub } from '../../lib/amounts.js';
import { priceLimit, tokenPrices } from '../../spending/price-limit.js';
import { modelPrices, priceSource } from '../../spending/prices.js';
import { formatAge } from '../../lib/duration.js';
import { parsedJson, recordOf } from '../../lib/json.js';
import { titles } from '../../terminal/types.js';
import { countCell, rubCell } from '../cells.js';
import { CeilingCheck } from './ceiling-check.js';

const none = { requests: 0, inputTokens: 0, fromRub: 0, toRub: 0 };

interface EstimateRun {
  readonly context: Context;
  readonly client: Client;
  readonly input: BatchInput;
  /** Whether the run would send it. */
  readonly isWanted: (request: BatchRequest) => boolean;
  /** The ceilings and budgets of the run. */
  readonly money: Pick<BatchMoney, 'isLimited' | 'leftRub' | 'limitWords'>;
  readonly options: { readonly shorten?: boolean; readonly rpm?: number; readonly tpm?: number };
}

/** Asks only for prices. A price that is not known is `null` in JSON and blank in the table. */
export async function estimate(run: EstimateRun): Promise<void> {
  const { context, client, input, isWanted, money, options } = run;
  const source = priceSource(context, client);
  const prices = await source.prices();
  const sums = new EstimateSums();
  const ceilings = new CeilingCheck(money.leftRub, money.limitWords);
  for await (const requests of input.requests()) {
    for (const request of requests) {
      const { model, row } = request;
      const { body } = withAnswerLimit(request);
      const url = new URL(row.path, client.baseUrl);
      const content = recordOf(parsedJson(body));
      const tokens = Math.ceil(textLength(content) / charactersPerToken);
      const most = row.paid ? priceLimit(source, row.paid, { url, body }) : { rub: 0 };
      const { rub: toRub } = await Promise.resolve(most).catch(unknown);
      const isByToken = row.paid === 'answer' || row.paid === 'input';
      const fromRub = isByToken ? tokens * modelPrices(prices, model).inputRub : toRub;
      const outputRub = body === request.body ? 0 : (await tokenPrices(source, content)).outputRub;
      // With --shorten, the run shortens an answer instead of refusing its line.
      if (isWanted(request) && !options.shorten) ceilings.add(request.lineNumber, toRub, outputRub);
      sums.add(model ?? row.path, tokens, fromRub, toRub);
    }
  }
  await show(run, sums, ceilings);
}

class EstimateSums {
  readonly total = { ...none };
  readonly byModel = new Map<string, typeof none>();

  add(name: string, tokens: number, fromRub: number, toRub: number): void {
    const ofModel = this.byModel.get(name) ?? { ...none };
    this.byModel.set(name, ofModel);
    for (const sum of [ofModel, this.total]) {
      sum.requests += 1;
      sum.inputTokens += tokens;
      sum.fromRub = sumRub([sum.fromRub, fromRub]);
      sum.toRub = sumRub([sum.toRub, toRub]);
    }
  }
}

async function show(
  { context, money, options }: EstimateRun,
  { byModel, total }: EstimateSums,
  ceilings: CeilingCheck,
): Promise<void> {
  const { flags, out } = context;
  const { rpm = Infinity, tpm = Infinity } = options;
  const minutes = Math.max(total.requests / rpm, total.inputTokens / tpm);
  if (flags.json) {
    const models = [...byModel].map(([model, sum]) => ({ model, ...sum }));
    const seconds = minutes > 0 ? minutes * 60 : undefined;
    const refused = money.isLimited && !options.shorten ? ceilings.facts() : {};
    return out.json({ ...total, seconds, ...refused, models });
  }
  const rub = (amount: number) => (Number.isNaN(amount) ? '' : rubCell(context, amount));
  const rows = [...byModel, ...(byModel.size > 1 ? [['all', total] as const] : [])];
  await out.table(
    titles('MODEL', '>REQUESTS', '>INPUT TOKENS', '>FROM', '>TO'),
    rows.map(([name, sum]) => [
      name,
      countCell(context, sum.requests),
      countCell(context, sum.inputTokens),
      rub(sum.fromRub),
      rub(sum.toRub),
    ]),
  );
  if (minutes > 0) out.note(`at least ${formatAge(minutes * 60_000)} at these limits`);
  if (ceilings.open > 0) {
    const usual = countCell(context, messagesMaxTokens);
    out.note(`an answer without max_tokens counts as ${usual} tokens, its limit under a ceiling`);
  }
  const words = ceilings.words();
  if (words !== undefined) out.note(words);
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
