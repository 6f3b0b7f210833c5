/** What the three wire formats have in common once decoded. */
import type { JsonRecord } from '../../lib/json.js';

export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  reasoningTokens?: number;
  totalTokens?: number;
  /** Whatever else the service counts, by its own names. */
  [name: string]: unknown;
}

/** A piece of a tool call; pieces with the same `index` belong together. */
export interface ToolPiece {
  index: number;
  id?: string;
  name?: string;
  /** A fragment of the arguments' JSON. */
  arguments: string;
}

/** What an answer brings. */
export interface AnswerPieces {
  text: string;
  reasoning: string;
  tool: ToolPiece;
  /** Cumulative: a later report overwrites an earlier one, field by field. */
  usage: Usage;
  finish: string;
  /** What no other piece has a place for, in the shape of a whole reply of the format (rest.ts). */
  rest: JsonRecord;
  /** The answer's own id and the model that made it, as far as told. */
  about: { id?: string; model?: string };
}

/** Told of the pieces that it wants, as they arrive. */
export type SomeListener = { [Kind in keyof AnswerPieces]?: (piece: AnswerPieces[Kind]) => void };

/** Told of each piece; an empty text says that there is a text, and it is empty. */
export type AnswerListener = SomeListener & Required<Omit<SomeListener, 'rest'>>;

/** Decodes the events of one format. */
export interface EventDecoder {
  /**
   * @param data latin1 (http/sse.ts).
   * @throws StreamFault when the event is an error or cannot be read.
   */
  event(name: string | undefined, data: string): void;
  /** The terminator came: nothing after it counts. */
  isTerminated: boolean;
  /** The answer's end was announced, so a clean end of the body is a whole answer. */
  isFinished: boolean;
}

/** The stream told of a failure, or cannot be understood. Its message may be empty. */
export class StreamFault extends Error {
  override readonly name = 'StreamFault';
  constructor(
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}

/** The service's JSON is no answer of the format: `{"detail": …}`, say. */
export function noAnswer(): StreamFault {
  return new StreamFault('the reply holds no answer', 'invalid_reply');
}
