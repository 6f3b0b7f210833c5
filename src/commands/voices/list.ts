import type { Client } from '../../api/client.js';
import { deleteVoice, findVoice, listVoices, type Voice } from '../../api/voices.js';
import type { Context, Handler } from '../../context.js';
import * as limits from '../../contract/limits.js';
import { fieldText, isRecord, recordOf, textOf, valueText } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { distanceCell, fullMomentCell } from '../cells.js';
import { amountWords, labelOf } from '../fields.js';
import { listView, remember, writeList } from '../listing.js';
import type * as declared from './index.js';

export const list: Handler<typeof declared.list> = async (context, { options }) => {
  const { client, flags, out, commandHint } = context;
  const connected = await client();
  const reply = await listVoices(connected);
  const { voices, pricing } = reply;
  const rows = voices.map(factsOf);
  await remember(context, connected, { kind: 'voice', rows, isGone: () => true });
  for (const { id, name, status, monthly_fee, deletion_at } of voices) {
    if (status !== 'unpaid') continue;
    const what = `${plainText(name ?? '', 80)} (${plainText(id, 40)})`.trimStart();
    const fee = amountWords(monthly_fee);
    const owed = fee === undefined ? '' : `: its monthly fee is ${fee}`;
    const when = fullMomentCell(context, deletion_at ?? undefined);
    const end = when === '' ? '' : `; it will be deleted on ${plainText(when, 40)}`;
    const words = `the voice ${what} is unpaid${owed}${end}`;
    out.warn(`${words}; ${commandHint('to check the balance: svc balance')}`);
  }
  const distance = (at?: string | null) => distanceCell(context, at ?? undefined);
  const seconds = (voice: Voice) =>
    out.isTerminal ? voice.sample_seconds?.toFixed(1) : fieldText(voice, 'sample_seconds');
  const view = listView<Voice>(
    [
      [{ title: 'ID', isId: true }, ({ id }) => id],
      [{ title: 'NAME', min: 10 }, ({ name }) => name],
      [{ title: 'ENGINE', drop: 4 }, ({ engine }) => engine],
      [{ title: 'STATUS', drop: 1 }, ({ status }) => status],
      [{ title: '>MONTHLY FEE', drop: 2 }, (voice) => amountWords(voice.monthly_fee, out)],
      [{ title: 'NEXT CHARGE', drop: 3 }, (voice) => distance(voice.next_charge_at)],
      [{ title: 'DELETION', drop: 5 }, (voice) => distance(voice.deletion_at)],
      [{ title: '>SECONDS', drop: 6 }, seconds],
    ],
    commandHint('no voices; `svc voices create` creates one'),
  );
  const items = voices.slice(0, options.limit);
  await writeList(context, view, { items, json: { ...reply, voices: items } });
  // A pipe gets one line for each voice, and nothing else.
  if (flags.json || !out.isTerminal) return;
  const prices = priceRows(pricing);
  if (prices.length > 0 && voices.length > 0) await out.line('');
  await out.fields(prices.map(([what, price]) => [labelOf(what), price]));
};

/** What completion offers for a voice. */
export const factsOf = ({ id, name, status }: Voice) => [id, name, status] as const;

export const remove: Handler<typeof declared.remove> = async (context, { args }) => {
  const { flags, out, prompts } = context;
  const client = await context.client();
  const voice = await resolveVoice(context, client, args.voice);
  const id = plainText(voice.id, 40);
  const what = voice.name ? `"${plainText(voice.name, 80)}" (${id})` : id;
  const message = `Delete the voice ${what}? This cannot be undone.`;
  if (!flags.dryRun) await prompts.assertAgreed(message, 'nothing was deleted');
  const reply = await deleteVoice(client, voice.id);
  await remember(context, client, { kind: 'voice', isGone: (name) => name === voice.id });
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

/** Section 4.5: the other fields beside these are not shown. */
const priced = new Set(['creation', 'storage', 'synthesis']);

/** What each price is for, and the price: `storage`, `standard 15.00 RUB per month`. */
export function priceRows(pricing: unknown): (readonly [string, string])[] {
  const { currency = 'RUB', ...fields } = isRecord(pricing) ? pricing : { '': pricing };
  return Object.entries(fields).flatMap(([what, price]) => {
    if (price === null || price === undefined) return [];
    const amountText = (amount: unknown) =>
      (priced.has(what) ? amountWords({ amount, currency }) : undefined) ?? valueText(amount);
    const { period, unit, ...amounts } = recordOf(price);
    const per = textOf(period) ?? textOf(unit);
    const words = Object.entries(amounts).map(([name, one]) => `${name} ${amountText(one)}`);
    const text = words.join(', ') + (per === undefined ? '' : ` per ${per}`);
    const shown = amountWords(price) ?? (isRecord(price) ? text : amountText(price));
    return [[plainText(what, 80), plainText(shown, 300)] as const];
  });
}
