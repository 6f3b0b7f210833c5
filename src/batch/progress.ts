/** How far a run of a batch is. */
import type { BatchRequest } from './request.js';

/** Counted by the engine, and read while it goes on. */
export interface BatchProgress {
  done: number;
  /** Of those, how many answers are from the cache. */
  cached: number;
  failed: number;
  inFlight: number;
  tokens: number;
  /** Answers that could not be written. */
  unsaved: number;
  /** May have been charged, without an answer. */
  readonly unknown: BatchRequest[];
}

export const newProgress = (): BatchProgress => ({
  done: 0,
  cached: 0,
  failed: 0,
  inFlight: 0,
  tokens: 0,
  unsaved: 0,
  unknown: [],
});
