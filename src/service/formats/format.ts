/** What a wire format does with an answer: as one JSON body, or as frames of an event stream. */
import type { Plan } from '../engines/types.js';

/** What stands around an answer. */
export interface Head {
  /** Unique to this answer; each format puts its own prefix before it. */
  readonly id: string;
  /** The public id of the model that answers. */
  readonly model: string;
  readonly createdAtMs: number;
  /** The request's own, for an error in the middle of a stream to name. */
  readonly requestId: string;
}

/** A piece of a stream: text that goes out as it is, or something that happens between texts. */
export type Frame =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'pause'; readonly ms: number }
  | { readonly type: 'cut'; readonly how: 'drop' | 'end' };

/** How an answer goes out; made by a format from a request, so that it can echo its settings. */
export interface Writer {
  /** The whole answer as one JSON value. */
  complete(plan: Plan, head: Head): unknown;
  /** The answer piece by piece; ends with the format's terminator unless it is cut. */
  stream(plan: Plan, head: Head): Iterable<Frame, undefined>;
}

/** `data: …` and a blank line. */
export function dataFrame(value: unknown): Frame {
  return { type: 'text', text: `data: ${JSON.stringify(value)}\n\n` };
}

/** `event: …`, `data: …` and a blank line; the name is also in the data, as its type. */
export function namedFrame(type: string, rest: object = {}): Frame {
  const data = JSON.stringify({ type, ...rest });
  return { type: 'text', text: `event: ${type}\ndata: ${data}\n\n` };
}
