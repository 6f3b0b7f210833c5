/** Shows a reply whose shape the specification does not show: each field as it came. */
import type { Context } from '../cli/context.js';
import { isRecord, listIn, type JsonRecord } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { mapTexts } from '../lib/redact.js';
import { maskKey } from '../state/rules.js';
import type { Column, Output } from '../terminal/types.js';

/** A line for each field of an object; anything else, and everything under --json, as JSON. */
export async function showFields({ flags, out }: Context, data: unknown): Promise<void> {
  if (flags.json || !isRecord(data)) return out.json(data);
  await out.fields(Object.entries(data).map(([field, value]) => [field, valueText(value)]));
}

export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A table with a column for each field, as they come; a value without a list is shown by field. */
export async function showList(context: Context, data: unknown, empty: string): Promise<void> {
  const { out, flags } = context;
  const found = flags.json ? undefined : listIn(data);
  if (!found) return showFields(context, data);
  const { entries, rest } = found;
  if (entries.length === 0) out.note(empty);
  const names = [...new Set(entries.flatMap(Object.keys))].filter((name) => name !== 'object');
  const columns = names.map((name): Column => {
    const isNumber = entries.every(({ [name]: value }) => !value || typeof value === 'number');
    return { title: plainText(name, 40), align: isNumber ? 'right' : 'left' };
  });
  await out.table(
    columns,
    entries.map((entry) => names.map((name) => cellOf(out, entry[name]))),
  );
  await showRest(context, rest);
}

/** What stands beside a list, below it; a pipe gets the list alone. */
export async function showRest(context: Context, rest: JsonRecord): Promise<void> {
  const { out } = context;
  const { object, ...fields } = rest;
  const shown = object === 'list' || object === undefined ? fields : rest;
  if (!out.isTerminal || Object.keys(shown).length === 0) return;
  await out.line('');
  await showFields(context, shown);
}

/** Wider cells would tear the table apart; a pipe, and --json, have all of it. */
const mostColumns = 60;

function cellOf(out: Output, value: unknown): string {
  const text = value === undefined || value === null ? '' : valueText(value);
  return out.isTerminal ? plainText(text, mostColumns) : text;
}

/** Long enough to be used; a service that shortens keys itself leaves less of them. */
const wholeKey = /\bsk-[A-Za-z0-9]+-[A-Za-z0-9_-]{12,}/g;

/** The same value, each key in it shortened to what identifies it. */
export function withMaskedKeys(value: unknown): unknown {
  return mapTexts(value, (text) => text.replace(wholeKey, (key) => maskKey(key)));
}
