/** The pieces of an answer, which the three wire formats have in common, and what is wrong with it. */
import type { Latin1 } from '../../http/sse.js';
import { type JsonRecord, isRecord, numberOf, recordOf, textOf } from '../../lib/json.js';

export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  reasoningTokens?: number;
  totalTokens?: number;
  [name: string]: unknown;
}

/** A piece of a tool call; pieces with the same `index` belong together. */
export interface ToolPiece {
  index: number;
  id?: string;
  name?: string;
  arguments: string;
}

export type Piece =
  /** An empty text says that there is a text, and it is empty. */
  | { type: 'text' | 'reasoning'; text: string }
  | ({ type: 'tool_call' } & ToolPiece)
  /** Cumulative: a later report overwrites an earlier one, field by field. */
  | { type: 'usage'; usage: Usage }
  | { type: 'finish'; reason: string }
  /** What no other piece has a place for, in the shape of a whole reply of the format (rest.ts). */
  | { type: 'rest'; rest: JsonRecord }
  | { type: 'about'; id?: string; model?: string }
  /** The terminal event: nothing after it counts. */
  | { type: 'end' };

export function aboutOf({ id, model }: JsonRecord): Piece {
  return { type: 'about', id: textOf(id), model: textOf(model) };
}

/** The usage of a reply or an event; @param words by which its format counts: `input`, `output`. */
export function* usageOf({ usage }: JsonRecord, words = ['input', 'output']): Iterable<Piece> {
  if (!isRecord(usage)) return;
  const [input, output] = words.map((word) => `${word}_tokens`);
  const { [String(input)]: inputTokens, [String(output)]: outputTokens, ...others } = usage;
  const { total_tokens: totalTokens, ...more } = others;
  const details = recordOf(more[`${output}_details`]);
  yield {
    type: 'usage',
    usage: {
      ...more,
      inputTokens: numberOf(inputTokens),
      outputTokens: numberOf(outputTokens),
      reasoningTokens: numberOf(details['reasoning_tokens']),
      totalTokens: numberOf(totalTokens),
    },
  };
}

export function* finishOf(reason: unknown, error?: unknown): Iterable<Piece> {
  assertWhole(reason, error);
  if (typeof reason === 'string' && reason) yield { type: 'finish', reason };
}

/** Arguments as a value; as the text they are where they are no JSON. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export interface EventReader {
  pieces: (event: JsonRecord, name: string | undefined, data: Latin1) => Iterable<Piece>;
  /** The text of an event that holds nothing else new, known without parsing it. */
  text?: (data: Latin1) => string | undefined;
}

/** The stream reports a failure, or cannot be understood. Its message may be empty. */
export class StreamFault extends Error {
  override readonly name = 'StreamFault';
  constructor(
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}

export function noAnswer(): StreamFault {
  return new StreamFault('the reply holds no answer', 'invalid_reply');
}

/** Failures are `{error: {message, code}}`, `{error: "text"}`, and flat with `ok` or a type. */
export function assertNoError(name: string | undefined, event: JsonRecord): void {
  const { error } = event;
  if (typeof error === 'string' && error !== '') throw new StreamFault(error);
  if (isRecord(error)) throw faultFrom(error);
  if (error) throw new StreamFault('');
  if (event['type'] === 'error' || event['ok'] === false || name === 'error')
    throw faultFrom(event);
}

function faultFrom(error: JsonRecord): StreamFault {
  const type = error['type'] === 'error' ? undefined : textOf(error['type']);
  const code = error['code'];
  return new StreamFault(
    textOf(error['message']) ?? '',
    typeof code === 'string' || typeof code === 'number' ? String(code) : type,
  );
}

const failures: ReadonlySet<unknown> = new Set(['failed', 'cancelled', 'canceled', 'error']);
const underWay: ReadonlySet<unknown> = new Set(['in_progress', 'queued']);

/** @param status of the answer, or the reason why it ended: some say that it is no answer. */
export function assertWhole(status: unknown, error: unknown): void {
  if (isRecord(error)) throw faultFrom(error);
  if (failures.has(status)) {
    throw new StreamFault('the service reported that the answer failed', 'answer_failed');
  }
  if (underWay.has(status)) {
    throw new StreamFault('it ended while the service was still at it', 'answer_unfinished');
  }
}
