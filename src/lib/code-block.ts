/** Finds the first fenced code block of a Markdown text while it arrives. */
import { GrowingText } from './growing.js';

// All of the backticks or none: trying fewer of them takes the square of a long line's length.
const opening = /^[ \t]*(`{3,}(?!`)(?=[^`]*$)|~{3,})/;

export class FirstCodeBlock {
  private readonly line = new GrowingText();
  private state: 'before' | 'inside' | 'after' = 'before';
  private indent = 0;
  private fence = '';

  /** Whether a block has begun. */
  get found(): boolean {
    return this.state !== 'before';
  }

  /** The part of `text` that belongs to the block, as far as whole lines tell. */
  push(text: string): string {
    const block = new GrowingText();
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (this.state === 'after') return block.take();
      this.line.add(text.slice(start, end));
      block.add(this.take(this.line.take(), '\n'));
      start = end + 1;
    }
    if (this.state !== 'after') this.line.add(text.slice(start));
    return block.take();
  }

  /** The text has ended: a last line without a line feed counts, as does a block left open. */
  end(): string {
    return this.line.length === 0 ? '' : this.take(this.line.take(), '');
  }

  private take(line: string, lineFeed: string): string {
    if (this.state === 'after') return '';
    const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (this.state === 'before') {
      const match = opening.exec(bare);
      if (match) {
        this.state = 'inside';
        this.indent = indentOf(bare);
        this.fence = match[1] ?? '';
      }
      return '';
    }
    if (this.closes(bare)) {
      this.state = 'after';
      return '';
    }
    // A line may be indented less than its fence, in lists that are written carelessly.
    const indent = Math.min(this.indent, indentOf(line));
    return line.slice(indent) + lineFeed;
  }

  /**
   * A closing fence has the opening's character, at least as many of them, and nothing else; it
   * is indented no more than three further than the opening, or it is code that shows a fence.
   */
  private closes(line: string): boolean {
    const marks = line.trim();
    const mark = this.fence[0] ?? '`';
    return (
      marks.length >= this.fence.length &&
      marks === mark.repeat(marks.length) &&
      indentOf(line) <= this.indent + 3
    );
  }
}

/** How many blanks a line begins with. */
function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
