/** Whether two JSON values are the same, told by a digest that can be kept. */
import { createHash } from 'node:crypto';
import { isRecord } from '../lib/json.js';

/** SHA-256 of a JSON value, in hexadecimal; the order of an object's fields does not count. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex');
}

function canonical(value: unknown): string {
  // As in JSON, where a list has no gaps.
  if (value === undefined) return 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${fields.join(',')}}`;
}
