/** Tells how far a download has come, not more often than a person can see. */
import type { Clock } from '../../lib/clock.js';
import type { Downloading } from './types.js';

const betweenMs = 100;

export class Meter {
  readonly #onProgress: Downloading['onProgress'];
  readonly #clock: Clock;
  #toldAt = -Infinity;
  #told: number | undefined;

  constructor({ onProgress, clock }: Pick<Downloading, 'onProgress' | 'clock'>) {
    this.#onProgress = onProgress;
    this.#clock = clock;
  }

  /** Called for each piece. */
  tell(bytes: number, totalBytes: number | undefined): void {
    if (!this.#onProgress) return;
    const now = this.#clock.now();
    if (now - this.#toldAt < betweenMs) return;
    this.#toldAt = now;
    this.#told = bytes;
    this.#onProgress({ bytes, totalBytes });
  }

  /** The last byte is there. */
  end(bytes: number): void {
    if (this.#told !== bytes) this.#onProgress?.({ bytes, totalBytes: bytes });
  }
}
