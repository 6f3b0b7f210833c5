/** What a turn shows, and where: on a screen, in one of several columns, or held back. */
import type { Answer } from '../api/chat/answer.js';
import type { Piece, Usage } from '../api/chat/pieces.js';
import type { Cost } from '../api/cost.js';
import type { RequestIds } from '../errors.js';
import type { CitedSearch } from './search.js';

/** What is known of a turn when it has ended. */
export interface TurnEnd {
  /** What its answer cost, and its search. */
  readonly cost: Cost & { readonly searchRub?: number };
  /** The ids of its request. */
  readonly ids: RequestIds;
  /** The search whose results preceded the question. */
  readonly search?: CitedSearch;
  /** Its place in the log. */
  readonly logged?: { readonly conversation: string; readonly turn: number };
  /** The answer to a second question, after one that did not fit its schema. */
  readonly repaired?: true;
  /** The turns before it, whose calls svc has run. */
  readonly earlier?: {
    readonly turns: number;
    readonly usage: Usage | undefined;
    readonly calls: readonly object[];
  };
}

/** Shows one answer while it arrives. */
export interface AnswerView {
  /** All that has arrived, where the view stores it; otherwise the turn does. */
  readonly answer: Answer | undefined;
  /** Whether the cost is shown, which takes one or two calls. */
  readonly showsCost: boolean;
  /** Shows that svc waits for this model, until the answer begins. */
  wait(model: string): Promise<void>;
  /** Loads the code that shows the answer, while svc waits for it. */
  prepare(): Promise<void>;
  add(piece: Piece): void;
  /** Holds the stream back while a reader is slow. @throws the failure of a write */
  pace(): void | Promise<void>;
  /** Writes what has been added. */
  flush(): Promise<void>;
  /** Ends an answer whose tools svc runs: another answer follows. */
  continue(): Promise<void>;
  /** Ends a complete answer. */
  finish(end: TurnEnd): Promise<void>;
  /** Ends what has arrived of an answer before `error`. */
  fail(end: TurnEnd, error: unknown): Promise<void>;
  /** What Ctrl-C ended, as the subject of a sentence. */
  interruption(): string;
}
