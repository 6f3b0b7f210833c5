/** The pieces and failures of an answer, common to the three wire formats. */
import type { ErrorCode } from '../../errors.js';
import type { Latin1 } from '../../http/sse.js';
import { isRecord, numberOf, parsedJson, recordOf, textOf, withDigits } from '../../lib/json.js';
import type { JsonRecord } from '../../lib/json.js';

/** The tokens of an answer, by the same names in every format; `cached` is a part of the input. */
export type Usage = Partial<
  Record<`${'input' | 'output' | 'reasoning' | 'cached' | 'total'}Tokens`, number>
>;

/** A piece of a tool call; pieces with the same `index` belong together. */
export interface ToolPiece {
  index: number;
  id?: string;
  name?: string;
  arguments: string;
}

/** An empty text is a text, too. */
export interface TextPiece {
  type: 'text' | 'reasoning';
  text: string;
}

export type Piece =
  | TextPiece
  | ({ type: 'tool_call' } & ToolPiece)
  /** A later report overwrites the fields of an earlier one. */
  | { type: 'usage'; usage: Usage }
  | { type: 'finish'; reason: string }
  /** Fields that no other piece contains, in the shape of a complete reply. */
  | { type: 'rest'; rest: JsonRecord }
  /** A block or an output item, as a conversation returns it; later fields replace earlier ones. */
  | { type: 'item'; index: number; item: JsonRecord }
  | { type: 'about'; id?: string; model?: string }
  /** The terminal event: nothing after it counts. */
  | { type: 'end' };

export function idsAndModel({ id, model }: JsonRecord): Piece {
  return { type: 'about', id: textOf(id), model: textOf(model) };
}

/** The usage of a reply or an event. @param words of its format: `input`, `output` */
export function usageOf(
  { usage }: JsonRecord,
  [input, output]: readonly [string, string] = ['input', 'output'],
): Piece[] {
  if (!isRecord(usage)) return [];
  const details = (of: string) => recordOf(usage[`${of}_tokens_details`]);
  const cached = details(input)['cached_tokens'] ?? usage['cache_read_input_tokens'];
  const counts = {
    inputTokens: numberOf(usage[`${input}_tokens`]),
    outputTokens: numberOf(usage[`${output}_tokens`]),
    reasoningTokens: numberOf(details(output)['reasoning_tokens']),
    cachedTokens: numberOf(cached),
    totalTokens: numberOf(usage['total_tokens']),
  };
  const known = {
    ...fields(`${input}_tokens ${output}_tokens total_tokens cache_read_input_tokens`),
    [`${input}_tokens_details`]: fields('cached_tokens'),
    [`${output}_tokens_details`]: fields('reasoning_tokens'),
  };
  const counted = Object.entries(counts).flatMap(([name, count]) =>
    count === undefined ? [] : [[name, count] as const],
  );
  return [
    { type: 'usage', usage: Object.fromEntries(counted) },
    ...restPieces({ usage }, { usage: known }),
  ];
}

export function finishOf(reason: unknown, error?: unknown): Piece[] {
  assertWhole(reason, error);
  return typeof reason === 'string' && reason ? [{ type: 'finish', reason }] : [];
}

export function jsonOrText(text: string): unknown {
  const value = parsedJson(text);
  return value === undefined ? text : value;
}

export interface EventReader {
  pieces: (event: JsonRecord, name: string | undefined, data: Latin1) => Iterable<Piece>;
  /** The text of an event that contains nothing else new, found without parsing. */
  text?: (data: Latin1) => TextPiece | undefined;
}

/** The stream reports a failure, perhaps without a message, or cannot be read. */
export class StreamFault extends Error {
  override readonly name = 'StreamFault';
  constructor(
    message: string,
    readonly code?: ErrorCode,
    readonly serviceCode?: string,
  ) {
    super(message);
  }
}

export const noAnswer = () => new StreamFault('the reply contains no answer', 'invalid_reply');

/** Failures are `{error: {message, code}}`, `{error: "text"}`, or flat with `ok` or a type. */
export function assertNoError(name: string | undefined, event: JsonRecord): void {
  const { error } = event;
  if (typeof error === 'string' && error !== '') throw new StreamFault(error);
  if (isRecord(error)) throw faultFrom(error);
  if (error) throw new StreamFault('');
  if (event['type'] === 'error' || event['ok'] === false || name === 'error')
    throw faultFrom(event);
}

function faultFrom({ message, code, type }: JsonRecord): StreamFault {
  const known = typeof code === 'number' ? String(code) : textOf(code);
  const kind = type === 'error' ? undefined : textOf(type);
  return new StreamFault(textOf(message) ?? '', undefined, known ?? kind);
}

/** @param status of the answer, or the reason for its end. @throws StreamFault if it failed. */
export function assertWhole(status: unknown, error: unknown): void {
  if (isRecord(error)) throw faultFrom(error);
  const word = textOf(status) ?? '';
  if (/^(failed|cancell?ed|error)$/.test(word)) {
    throw new StreamFault('the service reported that the answer failed', 'answer_failed');
  }
  if (word === 'in_progress' || word === 'queued') {
    throw new StreamFault('it ended before the service had finished it', 'answer_unfinished');
  }
}

/** The part of a value that other pieces contain: all, or some fields; in a list, of each item. */
export type KnownField = KnownFields | ((item: unknown) => KnownFields);
export type KnownFields = true | { readonly [field: string]: KnownField };

export function fields(names: string): Readonly<Record<string, true>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, true as const]));
}

/** The part that no other piece contains, without blanks; items of a list get their index. */
export function restOf(value: unknown, known: KnownField): unknown {
  // Usually nothing is left, so nothing is allocated.
  if (Array.isArray(value)) {
    const left: JsonRecord[] = [];
    for (const [place, item] of value.entries()) {
      const rest = restOf(item, known);
      if (isRecord(rest)) left.push({ index: numberOf(recordOf(item)['index']) ?? place, ...rest });
    }
    return left.length > 0 ? left : undefined;
  }
  const elsewhere = typeof known === 'function' ? known(value) : known;
  if (elsewhere === true) return undefined;
  if (!isRecord(value)) return isBlank(value) ? undefined : value;
  const left: [string, unknown][] = [];
  for (const name of Object.keys(value)) {
    const inner = value[name];
    const of = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
    if (of === true || (of === undefined && isBlank(inner))) continue;
    const rest = of === undefined ? inner : restOf(inner, of);
    if (rest !== undefined) left.push([name, rest]);
  }
  return left.length > 0 ? withDigits(Object.fromEntries(left), value) : undefined;
}

export function restPieces(reply: unknown, known: KnownField): Piece[] {
  const rest = restOf(reply, known);
  return isRecord(rest) ? [{ type: 'rest', rest }] : [];
}

function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.values(value).every(isBlank);
}
