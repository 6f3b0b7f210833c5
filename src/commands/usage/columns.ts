/** What a usage record shows, to people and to spreadsheets. */
import type { UsageRecord } from '../../api/billing.js';
import { textOf } from '../../lib/json.js';
import type { CsvValue } from '../../lib/table-files.js';
import { formatRub } from '../../lib/amounts.js';
import { spelling } from '../../lib/names.js';
import type { Column } from '../../terminal/types.js';

export const columns: readonly Column[] = [
  { title: 'TIME' },
  { title: 'MODEL' },
  { title: 'IN', align: 'right' },
  { title: 'OUT', align: 'right' },
  { title: 'PRICE', align: 'right' },
  { title: 'ID' },
];

export function rowOf(record: UsageRecord): string[] {
  return [
    record.createdAt ?? '',
    record.model ?? '',
    record.promptTokens?.toString() ?? '',
    record.completionTokens?.toString() ?? '',
    typeof record.priceRub === 'number' ? formatRub(record.priceRub) : '',
    record.id,
  ];
}

/** The first line of --csv. The columns are the same for every service; new ones come at the end. */
export const csvTitles = [
  'createdAt',
  'model',
  'route',
  'addressAs',
  'promptTokens',
  'completionTokens',
  'priceRub',
  'id',
  'other',
] as const;

const known: ReadonlySet<string> = new Set([
  'createdAt',
  'model',
  'promptTokens',
  'completionTokens',
  'priceRub',
  'id',
]);

/** The values below `csvTitles`; what no column is for is JSON in the last one. */
export function csvValues(record: UsageRecord): CsvValue[] {
  const left = Object.entries(record).filter(([name]) => !known.has(name));
  // Section 2.10: how these two are spelt in a record is not shown.
  const take = (word: string): CsvValue => {
    const at = left.findIndex(([name, value]) => spelling(name) === word && isText(value));
    const [found] = at === -1 ? [] : left.splice(at, 1);
    return found && textOf(found[1]);
  };
  return [
    record.createdAt,
    record.model,
    take('route') ?? take('publicroute'),
    take('addressas'),
    record.promptTokens,
    record.completionTokens,
    record.priceRub,
    record.id,
    left.length === 0 ? undefined : JSON.stringify(Object.fromEntries(left)),
  ];
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
