/** Reads the lines of a batch as requests. */
import type { Context } from '../cli/context.js';
import type { BatchRequest } from './request.js';

/** The options that turn a short line, a text or a row into a request. */
export interface LineTemplate {
  readonly model?: string;
  readonly system?: string;
  readonly prompt?: string;
  readonly schema?: string;
  readonly maxTokens?: number;
}

export interface BatchInput {
  /**
   * Reads every line and checks it against its row. `also` gets each valid request, in order, and
   * returns what is wrong with it in this batch. @throws UsageError that names all bad lines
   */
  check(also: (request: BatchRequest) => string | undefined): Promise<InputFacts>;
  /** The requests once more, in blocks, without the checks. */
  requests(): AsyncIterable<readonly BatchRequest[]>;
  /** Removes the copy of a piped input. */
  close(): Promise<void>;
}

export interface InputFacts {
  readonly count: number;
  readonly bytes: number;
  /** Of all its bytes. */
  readonly sha256: string;
}

export function openInput(
  _context: Context,
  _path: string,
  _template: LineTemplate,
): Promise<BatchInput> {
  throw new Error('not written yet');
}
