/** Finds the first fenced code block of a Markdown text while it arrives. */

const opening = /^([ \t]*)(`{3,}|~{3,})[^`]*$/;

export class FirstCodeBlock {
  private line = '';
  private state: 'before' | 'inside' | 'after' = 'before';
  private indent = '';
  private fence = '';

  /** Whether a block has begun. */
  get found(): boolean {
    return this.state !== 'before';
  }

  /** The part of `text` that belongs to the block, as far as whole lines tell. */
  push(text: string): string {
    if (this.state === 'after') return '';
    let block = '';
    const lines = (this.line + text).split('\n');
    this.line = lines.pop() ?? '';
    for (const line of lines) block += this.take(line, '\n');
    return block;
  }

  /** The text has ended: a last line without a line feed counts, as does a block left open. */
  end(): string {
    const rest = this.line === '' ? '' : this.take(this.line, '');
    this.line = '';
    return rest;
  }

  private take(line: string, lineFeed: string): string {
    if (this.state === 'after') return '';
    const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (this.state === 'before') {
      const match = opening.exec(bare);
      if (match) {
        this.state = 'inside';
        this.indent = match[1] ?? '';
        this.fence = match[2] ?? '';
      }
      return '';
    }
    if (this.closes(bare.trim())) {
      this.state = 'after';
      return '';
    }
    return (line.startsWith(this.indent) ? line.slice(this.indent.length) : line) + lineFeed;
  }

  /** A closing fence has the opening's character, at least as many of them, and nothing else. */
  private closes(line: string): boolean {
    const mark = this.fence[0] ?? '`';
    return line.length >= this.fence.length && line === mark.repeat(line.length);
  }
}
