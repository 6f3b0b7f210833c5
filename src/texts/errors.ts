/** What codes mean, for people; `svc help --json` has the English words of error-codes.ts. */
import type { ErrorCode } from '../error-codes.js';
import type { ExitName } from '../exit-codes.js';

/** Clauses without a full stop, which are read as one sentence: `no key is set; log in`. */
export interface ErrorWords {
  readonly meaning: string;
  readonly next: string;
}

/** Statuses of which svc knows what to do, whatever the service's message. */
export type RefusalStatus = 401 | 402 | 403;

/** The messages of errors are in English; their codes are explained in each language. */
export interface ErrorTexts {
  readonly words: (code: ErrorCode) => ErrorWords;
  readonly exit: (name: ExitName) => string;
  /** What a refusal by the service means, whose own codes svc does not know. */
  readonly refusal: (status: RefusalStatus) => ErrorWords;
  /** Why the system refuses a file, by its code such as ENOSPC; undefined for a rare one. */
  readonly fileReason: (code: string) => string | undefined;
  /** What stands before the meaning of an error code. */
  readonly exitCodes: (exits: readonly number[]) => string;
  /** What the help begins with; undefined where the summary of the topic says it. */
  readonly about: (topic: string) => string | undefined;
  /** Before the words of a code that stand below a message in English. */
  readonly label: string;
}
