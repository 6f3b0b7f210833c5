/** Learns in the background what answers cost: from the history, many at a time. */
import { withLimit, type Client } from '../api/client.js';
import { costLimitMs, pricesOf } from '../api/cost.js';
import type { ProxiedRequest } from './proxied.js';

/** What is asked for at once; and what is remembered, of which the oldest is given up. */
const [atOnce, maxOpen] = [1000, 5000];
/** The history may have a record later than its answer. */
const [firstWaitMs, longestWaitMs] = [1000, 60_000];
/** At the end, when somebody waits. */
const lastWaitMs = 500;

export class OpenPrices {
  /** By the ids of their usage records; those that were asked for last are at the end. */
  readonly #open = new Map<string, ProxiedRequest>();
  #isAsking = false;
  #isEnding = false;
  #waitMs = firstWaitMs;
  /** Ends the wait before the next question. */
  #nap = new AbortController();

  /** @param onPrice gets each request whose price has become known */
  constructor(
    private readonly client: Client,
    private readonly onPrice: (request: ProxiedRequest) => void,
  ) {}

  add(id: string, request: ProxiedRequest): void {
    const [oldest = ''] = this.#open.size < maxOpen ? [] : this.#open.keys();
    this.#open.delete(oldest);
    this.#open.set(id, request);
    if (this.#waitMs > firstWaitMs) this.#nap.abort();
    this.#waitMs = firstWaitMs;
    if (!this.#isAsking) void this.#askAgain();
  }

  /** Stops asking in the background, and asks for what is open until then. */
  async end(limitMs: number): Promise<void> {
    this.#isEnding = true;
    this.#nap.abort();
    const { clock } = this.client;
    const endsAtMs = clock.now() + limitMs;
    for (let leftMs = limitMs; this.#open.size > 0 && leftMs > 0;) {
      await this.#ask(leftMs);
      leftMs = endsAtMs - clock.now() - lastWaitMs;
      if (this.#open.size > 0 && leftMs > 0) await clock.sleep(lastWaitMs);
    }
  }

  async #askAgain(): Promise<void> {
    this.#isAsking = true;
    while (this.#open.size > 0 && !this.#isEnding) {
      this.#nap = new AbortController();
      const nap = this.client.clock.sleep(this.#waitMs, this.#nap.signal);
      const isOver = await nap.then(
        () => true,
        () => false,
      );
      if (!isOver) continue;
      const { size } = this.#open;
      this.#waitMs = Math.min(2 * this.#waitMs, longestWaitMs);
      await this.#ask(costLimitMs);
      if (this.#open.size < size) this.#waitMs = firstWaitMs;
    }
    this.#isAsking = false;
  }

  async #ask(limitMs: number): Promise<void> {
    const ids = [...this.#open.keys()].slice(0, atOnce);
    // Also after a signal to stop: what is charged is charged.
    const asking = { ...withLimit(this.client, limitMs), signal: new AbortController().signal };
    const prices = await pricesOf(asking, ids).catch(() => new Map<string, number>());
    for (const id of ids) {
      const request = this.#open.get(id);
      this.#open.delete(id);
      const priceRub = prices.get(id);
      if (!request) continue;
      if (priceRub === undefined) this.#open.set(id, request);
      else {
        request.priceRub = priceRub;
        this.client.spending?.settle(id, priceRub);
        this.onPrice(request);
      }
    }
  }
}
