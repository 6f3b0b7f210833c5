/** What media models take, a line each. */
import { capabilityOf } from '../../api/media/capabilities.js';
import { modelFacts, priceWords } from '../../api/model-facts.js';
import { isRecord, textOf } from '../../lib/json.js';
import type { Column } from '../../terminal/types.js';
import { valueText } from '../fields.js';

export const columns: readonly Column[] = [
  { title: 'MODEL' },
  { title: 'KIND' },
  { title: 'OPERATIONS' },
  { title: 'PRICE' },
  { title: 'AVAILABILITY' },
];

/** Cells for `columns`; what is no object is shown as it came. */
export function rowOf(entry: unknown): string[] {
  if (!isRecord(entry)) return [valueText(entry)];
  const facts = modelFacts(entry);
  const operations = capabilityOf([entry], facts.id)?.operations ?? [];
  return [
    facts.id,
    facts.type ?? '',
    operations.flatMap(({ name }) => name ?? []).join(', '),
    priceWords(facts.amounts),
    textOf(entry['availability']) ?? '',
  ];
}
