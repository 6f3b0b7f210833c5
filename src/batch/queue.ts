/** The requests of a batch that have been read and wait to be sent, by their limits. */
import type { Limits } from './limits.js';
import type { BatchRequest } from './request.js';

export interface QueuedRequest {
  readonly request: BatchRequest;
  /** Its place in the order of the input. */
  readonly nth: number;
  attempts: number;
  refusals: number;
  firstSentAtMs: number;
  /** Not before. */
  dueMs: number;
}

export class Queue {
  /** All that are due, and all that are not. */
  length = 0;
  readonly #due = new Map<Limits, QueuedRequest[]>();
  /** In the order of when they are due. */
  readonly #later: QueuedRequest[] = [];

  constructor(private readonly limitsOf: (request: BatchRequest) => Limits) {}

  /** The limits of what is due. */
  get limits(): Iterable<Limits> {
    return this.#due.keys();
  }

  /** When the next of those that failed is due; Infinity without one. */
  get dueMs(): number {
    return this.#later[0]?.dueMs ?? Infinity;
  }

  add(request: BatchRequest, nth: number): Limits {
    const fresh = { request, nth, attempts: 0, refusals: 0, firstSentAtMs: 0, dueMs: 0 };
    const limits = this.limitsOf(request);
    this.#of(limits).push(fresh);
    this.length += 1;
    return limits;
  }

  addLater(sending: QueuedRequest): void {
    const place = this.#later.findIndex(({ dueMs }) => dueMs > sending.dueMs);
    this.#later.splice(place === -1 ? this.#later.length : place, 0, sending);
    this.length += 1;
  }

  /** Those that failed come first, when they are due. */
  update(nowMs: number): void {
    while (this.dueMs <= nowMs) {
      for (const again of this.#later.splice(0, 1)) {
        this.#of(this.limitsOf(again.request)).unshift(again);
      }
    }
  }

  first(limits: Limits): QueuedRequest | undefined {
    return this.#of(limits)[0];
  }

  removeFirst(limits: Limits): void {
    this.#of(limits).shift();
    this.length -= 1;
  }

  #of(limits: Limits): QueuedRequest[] {
    const due = this.#due.get(limits) ?? [];
    this.#due.set(limits, due);
    return due;
  }
}
