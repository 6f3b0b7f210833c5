/** Shows a reply whose fields the specification does not show: readable for people, unchanged to a pipe. */
import { listIn } from '../api/found-list.js';
import type { Context } from '../context.js';
import { formatAmount, grouped } from '../lib/amounts.js';
import { fieldText, isRecord, numberOf, textOf, valueText, type JsonRecord } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { mapTexts } from '../lib/redact.js';
import { maskKey } from '../state/rules.js';
import { columnName, type Column } from '../terminal/types.js';
import { distanceCell, fullMomentCell, rubCell, type Screen } from './cells.js';

/** A line for each field of an object; anything else, and everything under --json, as JSON. */
export async function showFields(context: Context, data: unknown): Promise<void> {
  const { flags, out } = context;
  if (flags.json || !isRecord(data)) return out.json(data);
  await out.fields(fieldRows(context, data));
}

/** A pipe gets names and values unchanged. */
export function fieldRows(context: Screen, fields: JsonRecord): (readonly [string, string])[] {
  return Object.keys(fields).map((name) =>
    context.out.isTerminal
      ? [labelOf(name), valueCell(context, name, fields, fullMomentCell) || '-']
      : [name, fieldText(fields, name)],
  );
}

/** `Spent today` for spent_today_rub and spentTodayRub. */
export function labelOf(name: string): string {
  if (!/^[a-z]\w{0,60}$/i.test(name)) return plainText(name, 60);
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    // These words of the service say nothing to people.
    .replace(/^route$/, 'variant')
    .replace(/^address as$/, 'model id')
    .replace(/ (rub|at)$|^rub (?=per )/, '')
    .replace(/\b(id|ip|url)\b/g, (word) => word.toUpperCase());
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

type MomentCell = typeof distanceCell;

function valueCell(context: Screen, name: string, fields: JsonRecord, momentCell: MomentCell) {
  const value = fields[name];
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') {
    if (name === 'created') return value > 0 ? momentCell(context, value * 1000) : '';
    return /rub$|^rub_?per/i.test(name) ? rubCell(context, value) : fieldText(fields, name);
  }
  if (typeof value === 'string') {
    return /^\d{4}-\d\d-\d\dT\d\d:/.test(value) ? momentCell(context, value) : value;
  }
  const isPlainList = Array.isArray(value) && value.every((one) => typeof one !== 'object');
  if (isPlainList) return value.map((_, place) => fieldText(value, place)).join(', ');
  return amountWords(value, context.out) ?? valueText(value);
}

/** An amount with its currency (section 2.14), in a table of a pipe without RUB; undefined for anything else. */
export function amountWords(
  value: unknown,
  { isTerminal, language }: Screen['out'] = { isTerminal: true },
): string | undefined {
  if (!isRecord(value)) return undefined;
  const amount = numberOf(value['amount']);
  const currency = textOf(value['currency']);
  if (amount === undefined || currency === undefined) return undefined;
  const number = isTerminal ? grouped(formatAmount(amount), language) : fieldText(value, 'amount');
  return currency === 'RUB' && !isTerminal ? number : `${number} ${plainText(currency, 10)}`;
}

/**
 * A table with a column for each field; a value without a list is shown by field.
 * @param how.columns stand first, in a pipe also without such a field
 */
export async function showList(
  context: Context,
  data: unknown,
  how: { columns: readonly string[]; empty: string; limit?: number | undefined },
): Promise<void> {
  const { out, flags } = context;
  const { columns: first, empty, limit } = how;
  const list = listIn(data);
  if (!list) return showFields(context, data);
  const entries = list.entries.slice(0, limit);
  if (flags.json) return out.json(list.holding(entries));
  if (entries.length === 0) out.note(empty);
  const fields = [...new Set(entries.flatMap(Object.keys))].filter((name) => name !== 'object');
  const columnOf = (name: string) => columnName({ title: labelOf(name) });
  const missing = (column: string) => (out.isTerminal ? [] : column);
  const known = first.flatMap(
    (column) => fields.find((name) => columnOf(name) === column) ?? missing(column),
  );
  const names = [...new Set([...known, ...fields])];
  const cellOf = (name: string, entry: JsonRecord) => {
    if (out.isTerminal) return valueCell(context, name, entry, distanceCell);
    return (entry[name] ?? '') === '' ? '' : fieldText(entry, name);
  };
  const columns = names.map((name, index): Column => {
    const values = entries.map(({ [name]: value }) => value);
    const isNumber = values.every((value) => !value || typeof value === 'number');
    // What is the same in every row says least.
    const isSame = entries.length > 1 && new Set(values.map(valueText)).size === 1;
    const isMoney = /rub$/i.test(name);
    const title = labelOf(name).toUpperCase();
    const align = isNumber ? 'right' : 'left';
    const isId = /(^|_)id$/i.test(name);
    if (index === 0) return { title, align, isId };
    return { title, align, isId, min: 16, drop: isMoney ? 1 : index + (isSame ? names.length : 0) };
  });
  await out.table(
    columns,
    entries.map((entry) => names.map((name) => cellOf(name, entry))),
  );
  const beside = Object.entries(list.rest).filter(([name]) => name !== 'object');
  if (!out.isTerminal || beside.length === 0) return;
  await out.line('');
  await showFields(context, Object.fromEntries(beside));
}

/** Long enough to be used; a service that shortens keys itself leaves less of them. */
export const wholeKey = /\bsk-[A-Za-z0-9]+-[A-Za-z0-9_-]{12,}/g;

/** The same value with each key in it shortened to what identifies it. */
export function withMaskedKeys(value: unknown): unknown {
  return mapTexts(value, (text) => text.replace(wholeKey, (key) => maskKey(key)));
}
