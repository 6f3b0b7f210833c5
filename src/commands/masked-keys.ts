/** Replies about keys, with none of them whole: what is on a screen, or in a log, is soon elsewhere. */
import { isRecord } from '../lib/json.js';
import { maskKey } from '../state/rules.js';

/** Long enough to be used; a service that shortens keys itself leaves less of them. */
const wholeKey = /\bsk-[A-Za-z0-9]+-[A-Za-z0-9_-]{12,}/g;

/** The same value, each key in it told from others and used by nobody. */
export function withMaskedKeys(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(wholeKey, (key) => maskKey(key));
  if (Array.isArray(value)) return value.map(withMaskedKeys);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name.replace(wholeKey, (key) => maskKey(key)),
      withMaskedKeys(one),
    ]),
  );
}
