/** Shows a reply whose shape the specification does not show: each field as it came. */
import type { Context } from '../cli/context.js';
import { isRecord } from '../lib/json.js';

/** A line for each field of an object; anything else, and everything under --json, as JSON. */
export async function showFields({ flags, out }: Context, data: unknown): Promise<void> {
  if (flags.json || !isRecord(data)) {
    await out.json(data);
    return;
  }
  await out.table(
    [{ title: 'FIELD' }, { title: 'VALUE' }],
    Object.entries(data).map(([field, value]) => [field, valueText(value)]),
  );
}

/** A value in one cell: text as it is, anything else as JSON. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
