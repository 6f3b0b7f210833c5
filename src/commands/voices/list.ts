import type { Client } from '../../api/client.js';
import { deleteVoice, findVoice, listVoices, type Voice } from '../../api/voices.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import * as limits from '../../contract/limits.js';
import { UsageError } from '../../errors.js';
import { formatRub } from '../../lib/amounts.js';
import { isRecord, numberOf, textOf } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { titles } from '../../terminal/types.js';
import type * as declared from './index.js';

/** Shows the cloned voices; the prices stand below them where a person reads. */
export const list: Handler<typeof declared.list> = async ({ client, flags, out, commandHint }) => {
  const reply = await listVoices(await client());
  const { voices, pricing } = reply;
  for (const { id, name, status, monthly_fee, deletion_at } of voices) {
    if (status !== 'unpaid') continue;
    const what = `${plainText(name ?? '', 80)} (${plainText(id, 40)})`.trimStart();
    const fee = amountWords(monthly_fee);
    const owed = fee === undefined ? '' : `: its monthly fee is ${fee}`;
    const end = deletion_at ? `; it will be deleted on ${plainText(deletion_at, 40)}` : '';
    const words = `the voice ${what} is unpaid${owed}${end}`;
    out.warn(`${words}; ${commandHint('see what is left: svc balance')}`);
  }
  if (flags.json) return out.json(reply);
  if (voices.length === 0) out.note(commandHint('no voices; `svc voices create` makes one'));
  await out.table(
    titles('ID', 'NAME', 'ENGINE', 'STATUS', '>MONTHLY FEE', 'NEXT CHARGE', 'DELETION', '>SECONDS'),
    voices.map((voice) => [
      voice.id,
      voice.name ?? '',
      voice.engine ?? '',
      voice.status ?? '',
      amountWords(voice.monthly_fee) ?? '',
      voice.next_charge_at ?? '',
      voice.deletion_at ?? '',
      voice.sample_seconds?.toString() ?? '',
    ]),
  );
  // To a pipe goes one line a voice, and nothing else.
  if (!out.isTerminal) return;
  const prices = priceRows(pricing);
  if (prices.length > 0 && voices.length > 0) await out.line('');
  await out.fields(prices);
};

/** Deletes a voice after a confirmation. */
export const remove: Handler<typeof declared.remove> = async (context, { args }) => {
  const { flags, out, prompts } = context;
  const client = await context.client();
  const voice = await resolveVoice(context, client, args.voice);
  const id = plainText(voice.id, 40);
  const what = voice.name ? `"${plainText(voice.name, 80)}" (${id})` : id;
  const message = `Delete the voice ${what}? It cannot be brought back.`;
  if (!flags.dryRun && !(await prompts.confirm({ message, default: false }))) {
    throw new UsageError('nothing was deleted', { code: 'not_confirmed' });
  }
  const reply = await deleteVoice(client, voice.id);
  if (flags.json) await out.json(reply);
  else out.note(`deleted ${what}`);
};

/** By id or name; a dry run sends nothing and uses an id unchanged. @throws UsageError */
export async function resolveVoice(
  { flags }: Pick<Context, 'flags'>,
  client: Client,
  idOrName: string,
): Promise<Voice> {
  if (flags.dryRun && limits.voice.id.test(idOrName)) return { id: idOrName };
  return findVoice((await listVoices(client)).voices, idOrName);
}

/** What each price is for, and the price. */
export function priceRows(pricing: unknown): string[][] {
  const entries = isRecord(pricing) ? Object.entries(pricing) : [['', pricing] as const];
  return entries.flatMap(([what, price]) => {
    const words = priceWords(price);
    return words === '' ? [] : [[plainText(what, 80), plainText(words, 300)]];
  });
}

/** `standard 50, premium 150` */
function priceWords(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (!isRecord(value)) return textOf(value) ?? JSON.stringify(value);
  const amount = amountWords(value);
  if (amount !== undefined) return amount;
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${priceWords(inner)}`.trimEnd())
    .join(', ');
}

/** An amount with its currency, as voices have their fees (section 2.14); undefined for all else. */
export function amountWords(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const amount = numberOf(value['amount']);
  const currency = textOf(value['currency']);
  if (amount === undefined || currency === undefined) return undefined;
  return currency === 'RUB' ? formatRub(amount) : `${amount} ${plainText(currency, 10)}`;
}
