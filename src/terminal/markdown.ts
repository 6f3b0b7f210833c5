/** Renders Markdown on a terminal as it arrives; only the current block is drawn again. */
import { closesFence, withoutIndent } from '../lib/code-block.js';
import { lastWord } from '../lib/wrap.js';
import { blocksOf, codeTab } from './markdown-blocks.js';
import { highlighter } from './markdown-code.js';
import { drawBlocks, emptyLine, widthOf, type Layout, type Line } from './markdown-draw.js';
import { hyperlink, type Style, type StyledText } from './screen.js';

interface Terminal {
  readonly style: Style;
  readonly takesLinks: boolean;
  /** Without a number of rows, nothing is drawn again. */
  readonly size: () => { columns: number; rows: number };
}

interface Fence {
  readonly mark: string;
  readonly indent: number;
  readonly draw: (line: string) => readonly StyledText[];
}

const fenceOpening = /^( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,}(?!~))([^\n]*)\n/;
/** A line that may still become a mark: an item, a heading, a rule, a fence. */
const undecidedLine =
  /^(?:[\s>+*=_~`#|:.)\d[\]x-]{0,200}|[\s>\d.)*+-]{0,40}(?:`{3}|~{3}).{0,200})$/i;
/** A row of a table: the next line says whether one begins. */
const undecidedRow =
  /(?<=^|\n)[ \t>]*\|[^\n]*$|(?<=^|(?:^|\n)(?![ \t>]*\|)[^\n]*\n)[ \t>]*\|[^\n]*\n[\s|:-]*$/;
/** Longer blocks are drawn in parts, as are longer lines of code. */
const maxBlock = 16384;
const maxWord = 80;
const sliceLength = 4096;

// Compiles the patterns while the service thinks.
drawBlocks(blocksOf('a *b*'), true, { columns: 80, takesLinks: false, endsLine: true });

export class MarkdownScreen {
  /** The current block. */
  #text = '';
  /** The last line before the current block, and whether an empty one follows it. */
  #before: Omit<Layout, 'length'> = { lines: [], hasGap: false };
  /** That line and those of the current block, as they are on the screen. */
  #screenLines: readonly Line[] = [];
  /** How many of them, from the first, cannot be drawn again. */
  #fixedCount = 0;
  #columns = 0;
  #fence: Fence | undefined;
  #isInterrupted = false;
  #endsLine = false;
  #output = '';
  /** What was drawn last. */
  #lastText = '';

  constructor(private readonly terminal: Terminal) {}

  /** @param text harmless already. @returns what to write. */
  push(text: string): string {
    if (text !== '') this.#endsLine = text.endsWith('\n');
    for (let at = 0; at < text.length; at += sliceLength) {
      this.#text += text.slice(at, at + sliceLength);
      while (this.#advance());
    }
    return this.#take();
  }

  end(): string {
    if (this.#fence) this.#drawCode(this.#fence, true);
    this.#draw(this.#text, false);
    if (this.#endsLine && this.#screenLines.length > 0) this.#output += '\n';
    return this.#take();
  }

  /** Something else has been written; the cursor is at the start of a line. */
  interrupt(): void {
    this.#isInterrupted = this.#screenLines.length > 0;
  }

  #take(): string {
    const output = this.#output;
    this.#output = '';
    return output;
  }

  /** @returns whether there may be more to draw. */
  #advance(): boolean {
    if (this.#fence) return this.#drawCode(this.#fence, false);
    const [opening, indent = '', mark = '', info = ''] = fenceOpening.exec(this.#text) ?? [];
    if (opening !== undefined) {
      this.#fence = { mark, indent: indent.length, draw: highlighter(info) };
      this.#text = this.#text.slice(opening.length);
      return true;
    }
    const shown = this.#completeText();
    if (shown === this.#lastText) return false;
    this.#lastText = shown;
    const length = this.#text.length;
    this.#draw(shown, true);
    if (this.#text.length > maxBlock) {
      const part = this.#completeText();
      this.#draw(part, false);
      this.#keep({ lines: this.#screenLines, hasGap: false, length: part.length });
    }
    return this.#text.length < length;
  }

  /** The text without its last word, and without the marks that begin its last line. */
  #completeText(): string {
    const tail = this.#text.slice(-800);
    const row = undecidedRow.exec(tail)?.[0];
    const text = row === undefined ? this.#text : this.#text.slice(0, -row.length);
    const word = lastWord.exec(text.slice(-maxWord))?.[0] ?? '';
    const end = text.length - word.length;
    const lineStart = text.lastIndexOf('\n', end - 1) + 1;
    return text.slice(0, undecidedLine.test(text.slice(lineStart, end)) ? lineStart : end);
  }

  #draw(text: string, isOpen: boolean): void {
    const { columns } = this.terminal.size();
    // The terminal has wrapped the lines again.
    if (columns !== this.#columns) this.#fixedCount = this.#screenLines.length;
    this.#columns = columns;
    const { takesLinks } = this.terminal;
    const options = { columns, takesLinks, endsLine: text.endsWith('\n') };
    const { lines, final } = drawBlocks(blocksOf(text), isOpen, options, this.#before);
    // Code that has begun below other blocks is drawn line by line, and not also as one of them.
    const isCodeNext = isOpen && final.length > 0 && fenceOpening.test(text.slice(final.length));
    this.#show(isCodeNext ? final.lines : lines);
    if (isOpen && final.length > 0) this.#keep(final);
  }

  /** Draws a line of code. @returns whether there was one. */
  #drawCode({ mark, indent, draw }: Fence, isEnd: boolean): boolean {
    const isWhole = isEnd || this.#text.length > maxBlock;
    const length = this.#text.indexOf('\n') + 1 || (isWhole ? this.#text.length : 0);
    if (length === 0) return false;
    const line = this.#text.slice(0, length).replace('\n', '');
    if (closesFence(line, mark, indent)) {
      this.#fence = undefined;
      this.#text = this.#text.slice(length);
      return true;
    }
    const code = { spans: draw(withoutIndent(line, indent)), isCode: true };
    const { lines, hasGap } = this.#before;
    const gap = hasGap && lines.length > 0 ? [emptyLine] : [];
    this.#show([...lines, ...gap, code]);
    this.#keep({ lines: this.#screenLines, hasGap: false, length });
    return true;
  }

  #keep({ lines, hasGap, length }: Layout): void {
    const count = Math.max(0, lines.length - 1);
    this.#before = { lines: lines.slice(count), hasGap };
    this.#screenLines = this.#screenLines.slice(count);
    this.#fixedCount = Math.max(0, this.#fixedCount - count);
    this.#text = this.#text.slice(length);
  }

  /** Writes what is new; what has changed is drawn again while it can be reached. */
  #show(lines: readonly Line[]): void {
    const before = this.#screenLines;
    const last = Math.max(0, before.length - 1);
    const [old, next] = [before.map(this.#paint), lines.map(this.#paint)];
    const changed = old.findIndex((line, index) =>
      index < last ? next[index] !== line : !next[index]?.startsWith(line),
    );
    this.#screenLines = lines;
    const from = Math.max(0, Math.min(changed, lines.length - 1));
    if (this.#isInterrupted) this.#continue(before, lines);
    else if (changed === -1) {
      this.#output += next
        .slice(last)
        .join('\n')
        .slice(old[last]?.length ?? 0);
    } else if (this.#canReach(from, before)) {
      const up = this.#rowsOf(before.slice(from)) - 1;
      const back = up > 0 ? `\r\u001b[${String(up)}A` : '\r';
      this.#output += `${back}\u001b[J${next.slice(from).join('\n')}`;
    } else if (changed < lines.length) this.#continue(before, lines);
    else this.#screenLines = before;
  }

  /** Code is left alone: its tabs may take any number of columns. */
  #canReach(from: number, before: readonly Line[]): boolean {
    const changed = before.slice(from);
    const isOnScreen = this.#rowsOf(changed) <= this.terminal.size().rows;
    return from >= this.#fixedCount && isOnScreen && !changed.some((line) => line.isCode);
  }

  #rowsOf(lines: readonly Line[]): number {
    const rows = lines.map((line) => Math.ceil(widthOf(line) / this.#columns) || 1);
    return rows.reduce((sum, count) => sum + count, 0);
  }

  /** Writes the words that are new on lines of their own. */
  #continue(before: readonly Line[], lines: readonly Line[]): void {
    const lettersIn = (some: readonly Line[]) => lettersOf(some.flatMap(({ spans }) => spans));
    const [old, all] = [lettersIn(before), lettersIn(lines)];
    let known = 0;
    while (known < old.length && old[known] === all[known]) known++;
    for (const [index, { spans }] of lines.entries()) {
      const count = (end: number) => lettersOf(spans.slice(0, end)).length;
      const at = spans.findIndex((_, before) => count(before + 1) > known);
      if (at !== -1) {
        const rest = { spans: known === 0 ? spans : spans.slice(at) };
        const text = [rest, ...lines.slice(index + 1)].map(this.#paint).join('\n');
        this.#output += `${this.#isInterrupted ? '' : '\n'}${text}`;
        this.#fixedCount = index + 1;
        this.#isInterrupted = false;
        return;
      }
      known -= count(spans.length);
    }
  }

  /** Each span by itself: a line that becomes longer begins with what it was. */
  #paint = ({ spans }: Line): string => {
    const painted = spans.map(({ text, looks, link }) => {
      const shown = text.replaceAll(codeTab, '\t');
      const styled = looks.reduce((inner, look) => this.terminal.style(look, inner), shown);
      return link === undefined ? styled : hyperlink(styled, link);
    });
    return painted.join('');
  };
}

/** Without blanks and lines, which depend on the width. */
function lettersOf(spans: readonly StyledText[]): string {
  return spans.map(({ text }) => text.replace(/[\s─│]/g, '')).join('');
}
