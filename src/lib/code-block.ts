/** Finds the first fenced code block of a Markdown text as it arrives. */
import { GrowingText } from './growing.js';

// All backticks or none: trying fewer takes quadratic time on a long line.
const opening = /^[ \t]*(`{3,}(?!`)(?=[^`]*$)|~{3,})/;

export class FirstCodeBlock {
  private readonly line = new GrowingText();
  /** Empty until the block opens. */
  private fence = '';
  private indent = 0;
  private isClosed = false;

  get found(): boolean {
    return this.fence !== '';
  }

  push(text: string): string {
    const block = new GrowingText();
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (this.isClosed) return block.take();
      this.line.add(text.slice(start, end));
      block.add(this.take(this.line.take(), '\n'));
      start = end + 1;
    }
    if (!this.isClosed) this.line.add(text.slice(start));
    return block.take();
  }

  /** At the end, an incomplete last line counts, as does an open block. */
  end(): string {
    return this.line.length === 0 ? '' : this.take(this.line.take(), '');
  }

  private take(line: string, lineFeed: string): string {
    if (this.isClosed) return '';
    if (!this.found) {
      this.fence = opening.exec(line.replace(/\r$/, ''))?.[1] ?? '';
      this.indent = indentOf(line);
      return '';
    }
    this.isClosed = closesFence(line, this.fence, this.indent);
    return this.isClosed ? '' : withoutIndent(line, this.indent) + lineFeed;
  }
}

/** A closing fence is indented by at most three more, or it is code that shows a fence. */
export function closesFence(line: string, fence: string, indent: number): boolean {
  const marks = line.trim();
  const isFence = marks === fence.charAt(0).repeat(marks.length) && marks.length >= fence.length;
  return isFence && indentOf(line) <= indent + 3;
}

/** In carelessly written lists, a line may be indented less than its fence. */
export function withoutIndent(line: string, indent: number): string {
  return line.slice(Math.min(indent, indentOf(line)));
}

const indentOf = (line: string) => line.length - line.trimStart().length;
