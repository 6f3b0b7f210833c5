/** What the three wire formats have in common once decoded. */

export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  reasoningTokens?: number;
  totalTokens?: number;
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
  /** The answer's own id and the model that made it, as far as told. */
  about: { id?: string; model?: string };
}

/** Told of each piece as it arrives. */
export type AnswerListener = { [Kind in keyof AnswerPieces]: (piece: AnswerPieces[Kind]) => void };

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
