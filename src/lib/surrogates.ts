/**
 * Joins surrogate halves that arrive in separate pieces: some services split an emoji's
 * escapes over two deltas, and each half written alone would become U+FFFD.
 */
export class SurrogateJoiner {
  private held = '';

  /** The text that may be written now; a trailing first half is held back. */
  push(text: string): string {
    const joined = this.held === '' ? text : this.held + text;
    const last = joined.charCodeAt(joined.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      this.held = joined.slice(-1);
      return joined.slice(0, -1);
    }
    this.held = '';
    return joined;
  }

  /** What is still held when the text ends: a half that never found its other. */
  end(): string {
    const rest = this.held;
    this.held = '';
    return rest;
  }
}
