/** What the engine of a batch works with. */
import type { Clock } from '../lib/clock.js';
import type { Limits } from './limits.js';
import type { BatchMoney } from './money.js';
import type { BatchProgress } from './progress.js';
import type { BatchRequest } from './request.js';
import type { Send, TakeCached } from './send.js';

/** Where the lines of a batch go; a call that throws has written nothing. */
export interface Sinks {
  /** Records of the journal. */
  note(records: string): void;
  /** Waits until these records are on the disk, so that a power failure does not lose them. */
  syncNotes(): void | Promise<void>;
  add(lines: string): void | Promise<void>;
  /** Absent where failures go to OUT. */
  readonly addErrors?: (lines: string) => void;
}

/** What a run of a batch does, and with what. */
export interface Work {
  readonly requests: AsyncIterable<readonly BatchRequest[]>;
  /** Whether it still has to be sent. */
  readonly isWanted: (request: BatchRequest) => boolean;
  readonly send: Send;
  readonly cached?: TakeCached;
  readonly limitsOf: (request: BatchRequest) => Limits;
  readonly money: Pick<BatchMoney, 'reserve'>;
  readonly sinks: Sinks;
  readonly isOrdered: boolean;
  readonly clock: Clock;
  /** Nothing new is sent after it; what is in flight is awaited. */
  readonly stop: AbortSignal;
  readonly progress: BatchProgress;
}
