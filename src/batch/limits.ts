/** How fast requests may be sent: given limits, or limits that are learned from the answers. */

/** What a run has learned, for the next one. */
export interface Learnt {
  readonly perSecond: number;
  readonly inFlight: number;
}

export interface GivenLimits {
  readonly concurrency?: number;
  readonly rpm?: number;
  readonly tpm?: number;
  readonly learnt?: Learnt;
  readonly random: () => number;
}

/** For the requests of one model, or of a whole run. Times are the clock's, in milliseconds. */
export class Limits {
  #inFlight = 0;

  constructor(private readonly given: GivenLimits) {}

  /** How long to wait before the next request: 0 now, Infinity until an answer comes. */
  waitMs(_nowMs: number): number {
    return this.#inFlight < (this.given.concurrency ?? 64) ? 0 : Infinity;
  }

  /** @param tokens of its input, as an estimate. */
  sent(_nowMs: number, _tokens: number): void {
    this.#inFlight += 1;
  }

  /** @param tokens those that the answer counts in all; 0 where it counts none. */
  answered(_nowMs: number, _latencyMs: number, _tokens: number): void {
    this.#inFlight -= 1;
  }

  /** A 429. @param retryAfterMs as the service asks */
  refused(_nowMs: number, _retryAfterMs: number | undefined): void {
    this.#inFlight -= 1;
  }

  /** No answer, or a failure that says nothing about the limit. */
  failed(_nowMs: number): void {
    this.#inFlight -= 1;
  }

  get learnt(): Learnt | undefined {
    return undefined;
  }
}
