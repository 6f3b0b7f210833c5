/** What of a reply no other piece of an answer has a place for: found, and put together again. */
import { isRecord, listOf, numberOf, recordOf, type JsonRecord } from '../../lib/json.js';
import { weigh } from '../../lib/json-weight.js';
import type { Piece } from './pieces.js';

/** What of a value other pieces hold: all of it, or some of its fields; of a list, of each item. */
export type Known = Held | ((item: unknown) => Held);
export type Held = true | { readonly [field: string]: Known };

export function fields(names: string): Readonly<Record<string, true>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, true as const]));
}

/** What no other piece holds, without what is blank; each item of a list says its place in it. */
export function restOf(value: unknown, known: Known): unknown {
  // Nearly always nothing is left: then nothing may be made, for that costs memory.
  if (Array.isArray(value)) {
    const left: JsonRecord[] = [];
    for (const [place, item] of value.entries()) {
      const rest = restOf(item, known);
      if (isRecord(rest)) left.push({ index: numberOf(recordOf(item)['index']) ?? place, ...rest });
    }
    return left.length > 0 ? left : undefined;
  }
  const elsewhere = typeof known === 'function' ? known(value) : known;
  if (elsewhere === true || isBlank(value)) return undefined;
  if (!isRecord(value)) return value;
  const left: [string, unknown][] = [];
  for (const name of Object.keys(value)) {
    const inner = value[name];
    const of = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
    const whole = isBlank(inner) ? undefined : inner;
    const rest = of === undefined ? whole : restOf(inner, of);
    if (rest !== undefined) left.push([name, rest]);
  }
  return left.length > 0 ? Object.fromEntries(left) : undefined;
}

export function restPiece(rest: unknown): Piece[] {
  return isRecord(rest) ? [{ type: 'rest', rest }] : [];
}

function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.values(value).every(isBlank);
}

/** Texts that come in pieces; of any other the last one counts. */
const growing = fields('content text reasoning reasoning_content thinking refusal arguments data');
/** Lists that come in pieces; any other field of a reply comes whole. */
const inPieces = fields('choices content output');
const mostPlaces = 10_000;
/** What a value, or a link between two pieces of a text, weighs besides its own text. */
const valueBytes = 64;

/** Puts pieces of a reply together; `bytes` is what they weigh by now. */
export class Rest {
  bytes = 0;
  reply: JsonRecord | undefined;

  add(piece: JsonRecord): void {
    this.reply = recordOf(this.#joined(this.reply, piece, '', true));
  }

  #joined(before: unknown, piece: unknown, name: string, isReply = false): unknown {
    if (Array.isArray(piece)) {
      const list: unknown[] = Array.isArray(before) ? before : [];
      for (const item of listOf(piece)) {
        const index = numberOf(recordOf(item)['index']) ?? -1;
        const at =
          Number.isInteger(index) && index >= 0 && index < mostPlaces ? index : list.length;
        // An item of the output comes whole, perhaps twice.
        list[at] =
          name === 'output' ? this.#replaced(list[at], item) : this.#joined(list[at], item, '');
      }
      return list;
    }
    if (isRecord(piece)) {
      const former = recordOf(before);
      const more = Object.entries(piece).map(([inner, value]) => [
        inner,
        isReply && !Object.hasOwn(inPieces, inner)
          ? this.#replaced(former[inner], value)
          : this.#joined(former[inner], value, inner),
      ]);
      return { ...former, ...recordOf(Object.fromEntries(more)) };
    }
    if (typeof piece === 'string' && typeof before === 'string' && Object.hasOwn(growing, name)) {
      this.bytes += weightOf(piece);
      return before + piece;
    }
    return this.#replaced(before, piece ?? before);
  }

  #replaced(before: unknown, value: unknown): unknown {
    this.bytes += weightOf(value) - weightOf(before);
    return value;
  }
}

function weightOf(value: unknown): number {
  if (value === undefined) return 0;
  const json = Buffer.from(JSON.stringify(value));
  return json.length + valueBytes * weigh(json).values;
}
