/** Gathers small pieces of text and writes them together. */

/** Text longer than this does not wait for more: a source may never let the others run. */
const enough = 64 * 1024;

/**
 * Writes once the pieces at hand are through, for a write for each of 200,000 deltas would cost
 * more than reading them; and one write at a time, for a slow one must not be overtaken.
 */
export class TextBatch {
  private pending = '';
  private scheduled = false;
  private slow: Promise<void> | undefined;
  private failure: { reason: unknown } | undefined;

  /** @param write takes the text on; its promise means that the reader is slow. */
  constructor(private readonly write: (text: string) => void | Promise<void>) {}

  add(text: string): void {
    this.pending += text;
    if (this.pending.length >= enough) this.send();
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.send();
    });
  }

  /** Throws what a write threw; the promise, when there is one, settles when the reader caught up. */
  pace(): void | Promise<void> {
    if (this.failure) throw this.failure.reason;
    return this.slow;
  }

  /** Writes what is left and waits for a slow reader. */
  async flush(): Promise<void> {
    this.send();
    while (this.slow) await this.slow;
    if (this.failure) throw this.failure.reason;
  }

  /** Writes at once what is there, unless a write is under way. */
  send(): void {
    if (this.pending === '' || this.failure || this.slow) return;
    const text = this.pending;
    this.pending = '';
    try {
      const slow = this.write(text);
      if (slow) this.slow = this.wait(slow);
    } catch (reason) {
      this.failure = { reason };
    }
  }

  /** Never rejects. What came meanwhile is written next. */
  private async wait(slow: Promise<void>): Promise<void> {
    try {
      await slow;
    } catch (reason) {
      this.failure = { reason };
    }
    this.slow = undefined;
    this.send();
  }
}
