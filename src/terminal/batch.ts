/**
 * Gathers small pieces of text and writes them together, once the pieces at hand are through:
 * a write for each of 200,000 deltas would cost more than reading them.
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
    await this.slow;
    if (this.failure) throw this.failure.reason;
  }

  private send(): void {
    if (this.pending === '' || this.failure) return;
    const text = this.pending;
    this.pending = '';
    try {
      const slow = this.write(text);
      if (!slow) return;
      const waiting = Promise.all([this.slow, slow]).then(
        () => {
          if (this.slow === waiting) this.slow = undefined;
        },
        (reason: unknown) => {
          this.failure = { reason };
        },
      );
      this.slow = waiting;
    } catch (reason) {
      this.failure = { reason };
    }
  }
}
