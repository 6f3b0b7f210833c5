import { listVoices, type Voice } from '../../api/voices.js';
import type { Handler } from '../../cli/declaration.js';
import { plainText } from '../../lib/plain-text.js';
import type { list } from './index.js';
import { amountWords, priceColumns, priceRows } from './prices.js';

/** Shows the cloned voices; the prices stand below them where a person reads. */
export const run: Handler<typeof list> = async ({ client, flags, out, onward }) => {
  const reply = await listVoices(await client());
  const { voices, pricing } = reply;
  for (const voice of voices) {
    if (voice.status === 'unpaid')
      out.warn(`${unpaidWords(voice)}; ${onward('see what is left: svc balance')}`);
  }
  if (flags.json) {
    await out.json(reply);
    return;
  }
  if (voices.length === 0) out.note(onward('no voices; `svc voices create` makes one'));
  await out.table(columns, voices.map(rowOf));
  // To a pipe goes one line a voice, and nothing else.
  if (!out.isTerminal) return;
  const prices = priceRows(pricing);
  if (prices.length > 0 && voices.length > 0) await out.line('');
  await out.table(priceColumns, prices);
};

const columns = [
  { title: 'ID' },
  { title: 'NAME' },
  { title: 'ENGINE' },
  { title: 'STATUS' },
  { title: 'MONTHLY FEE', align: 'right' },
  { title: 'NEXT CHARGE' },
  { title: 'DELETION' },
  { title: 'SECONDS', align: 'right' },
] as const;

function rowOf(voice: Voice): string[] {
  return [
    voice.id,
    voice.name ?? '',
    voice.engine ?? '',
    voice.status ?? '',
    amountWords(voice.monthly_fee) ?? '',
    voice.next_charge_at ?? '',
    voice.deletion_at ?? '',
    voice.sample_seconds?.toString() ?? '',
  ];
}

function unpaidWords({ id, name, monthly_fee, deletion_at }: Voice): string {
  const what = `${plainText(name ?? '', 80)} (${plainText(id, 40)})`.trimStart();
  const fee = amountWords(monthly_fee);
  const owed = fee === undefined ? 'is unpaid' : `is unpaid: its monthly fee is ${fee}`;
  const end = deletion_at ? `; it will be deleted on ${plainText(deletion_at, 40)}` : '';
  return `the voice ${what} ${owed}${end}`;
}
