/**
 * Styles Markdown for a terminal while it arrives. Nothing is rewritten: every character stays in
 * its place, so that what is copied is the Markdown itself. The look of a character depends on what
 * stands before it alone, and at most a few characters of a mark wait for what follows them.
 */
import { InlineStyler, looks, Painter, find, runEnd, standsAt } from './markdown-inline.js';
import type { Style } from './screen.js';

/** What a line can begin with: an item of a list, a heading, a fence, a quote, a row of a table. */
const opening =
  /(?<item>(?:[-+*]|\d{1,9}[.)])(?=[ \t\r\n]|$))|(?<heading>#{1,6}(?=[ \t\r\n]|$))|(?<fence>`{3,}|~{3,})|(?<quote>>)|(?<row>\|)/y;
/** The beginning of such a mark at the end of a piece. */
const openingSoFar = /(?:[-+*]|\d{1,9}[.)]?|#{1,6}|`{1,2}|~{1,2})$/y;
const notBlank = /[^ \t\r]/g;
const lineFeed = /\n/g;

/** A closing fence is known by so many marks at the latest: what waits has an end. */
const mostFenceMarks = 8;

interface Fence {
  readonly mark: string;
  readonly column: number;
  /** How many quotes it stands in. */
  readonly quotes: number;
  length: number;
}

/** What the rest of a line is. */
type Rest = 'start' | 'text' | 'row' | 'code' | 'fence' | 'info' | 'closing fence' | 'closed';

export class MarkdownStyler {
  readonly #painter: Painter;
  readonly #inline: InlineStyler;
  #held = '';
  // What the lines before have begun.
  #fence: Fence | undefined;
  #isList = false;
  #isParagraph = false;
  // The line at hand.
  #rest: Rest = 'start';
  #column = 0;
  #quotes = 0;
  #isItem = false;
  /** The marks of what may be a closing fence. */
  #marks = 0;

  constructor(style: Style) {
    this.#painter = new Painter(style);
    this.#inline = new InlineStyler(this.#painter);
  }

  /** The text with its styles, each closed; less the marks at its end that wait. */
  push(text: string): string {
    return this.#take(text, false);
  }

  /** What still waits: the text has ended. */
  end(): string {
    return this.#take('', true);
  }

  #take(piece: string, isLast: boolean): string {
    const text = this.#held + piece;
    let at = 0;
    while (at < text.length) {
      const next = this.#step(text, at, isLast);
      if (next === at) break;
      at = next;
    }
    this.#held = text.slice(at);
    return this.#painter.take();
  }

  /** @returns where it stopped; `at` when what stands there waits for what follows. */
  #step(text: string, at: number, isLast: boolean): number {
    if (text[at] === '\n') return this.#endLine(text, at);
    switch (this.#rest) {
      case 'start':
        return this.#startLine(text, at, isLast);
      case 'text':
        return this.#inline.take(text, at, isLast);
      case 'row':
        return this.#add(text, at, find(lineFeed, text, at), looks.plain);
      case 'code':
        return this.#add(text, at, find(lineFeed, text, at), looks.code);
      case 'fence':
        return this.#openFence(text, at);
      case 'info':
        return this.#takeInfo(text, at);
      case 'closing fence':
      case 'closed':
        return this.#closeFence(text, at);
    }
  }

  #add(text: string, at: number, end: number, look: number): number {
    this.#painter.add(text.slice(at, end), look);
    return end;
  }

  #endLine(text: string, at: number): number {
    const isClosing = this.#rest === 'closing fence' && this.#marks >= (this.#fence?.length ?? 0);
    if (isClosing || this.#rest === 'closed') this.#fence = undefined;
    this.#isParagraph = this.#rest === 'text' && this.#isParagraph;
    this.#rest = 'start';
    this.#column = this.#quotes = this.#marks = 0;
    this.#isItem = false;
    return this.#add(text, at, at + 1, looks.plain);
  }

  #startLine(text: string, at: number, isLast: boolean): number {
    const afterBlanks = find(notBlank, text, at);
    if (afterBlanks > at) {
      for (let place = at; place < afterBlanks; place++) {
        this.#column += text[place] === '\t' ? 4 - (this.#column % 4) : 1;
      }
      return this.#add(text, at, afterBlanks, looks.plain);
    }
    if (this.#fence) return this.#startInFence(this.#fence, text, at, isLast);
    if (this.#isIndentedCode) return this.#go('code', text, at, isLast);
    if (!isLast && standsAt(openingSoFar, text, at)) return at;
    return this.#openBlock(text, at, isLast);
  }

  /** Four blanks make code where no paragraph goes on and no list nests. */
  get #isIndentedCode(): boolean {
    return this.#column >= 4 && !this.#isParagraph && !this.#isList && this.#quotes === 0;
  }

  #openBlock(text: string, at: number, isLast: boolean): number {
    opening.lastIndex = at;
    const { item, heading, fence, quote, row } = opening.exec(text)?.groups ?? {};
    if (item !== undefined) {
      this.#isList = this.#isItem = true;
      this.#column += item.length;
      return this.#add(text, at, at + item.length, looks.dim);
    }
    if (this.#column < 2 && !this.#isItem) this.#isList = false;
    if (quote !== undefined) return this.#takeQuote(text, at);
    this.#isParagraph = false;
    if (row !== undefined) return this.#go('row', text, at, isLast);
    if (fence !== undefined) {
      const mark = fence.charAt(0);
      this.#fence = { mark, column: this.#column, quotes: this.#quotes, length: 0 };
      return this.#go('fence', text, at, isLast);
    }
    this.#inline.begin(heading === undefined ? looks.plain : looks.bold);
    this.#isParagraph = heading === undefined;
    return this.#go('text', text, at, isLast);
  }

  #takeQuote(text: string, at: number): number {
    this.#quotes++;
    this.#column = 0;
    return this.#add(text, at, at + 1, looks.dim);
  }

  #go(rest: Rest, text: string, at: number, isLast: boolean): number {
    this.#rest = rest;
    return this.#step(text, at, isLast);
  }

  #startInFence(fence: Fence, text: string, at: number, isLast: boolean): number {
    if (this.#quotes < fence.quotes) {
      if (text[at] === '>') return this.#takeQuote(text, at);
      // The quote is over, and the code with it.
      this.#fence = undefined;
      return this.#startLine(text, at, isLast);
    }
    const run = runEnd(fence.mark, text, at) - at;
    // Indented further than this, it is code that shows a fence.
    if (run === 0 || this.#column > fence.column + 3) return this.#go('code', text, at, isLast);
    if (run >= Math.min(fence.length, mostFenceMarks)) {
      return this.#go('closing fence', text, at, isLast);
    }
    if (at + run === text.length && !isLast) return at;
    return this.#go('code', text, at, isLast);
  }

  #openFence(text: string, at: number): number {
    const { mark = '' } = this.#fence ?? {};
    const end = runEnd(mark, text, at);
    if (end === at) return this.#go('info', text, at, false);
    if (this.#fence) this.#fence.length += end - at;
    return this.#add(text, at, end, looks.dim);
  }

  /** Words after a fence hold no backtick: else it was code within a line. */
  #takeInfo(text: string, at: number): number {
    const end = find(lineFeed, text, at);
    const tick = this.#fence?.mark === '`' ? text.slice(at, end).indexOf('`') : -1;
    if (tick > 0) return this.#add(text, at, at + tick, looks.dim);
    if (tick < 0) return this.#add(text, at, end, looks.dim);
    this.#inline.begin(looks.plain, this.#fence?.length);
    this.#fence = undefined;
    this.#isParagraph = true;
    return this.#go('text', text, at, false);
  }

  /** A closing fence has at least as many marks as the opening one, and only blanks after them. */
  #closeFence(text: string, at: number): number {
    const { mark = '', length = 0 } = this.#fence ?? {};
    if (this.#rest === 'closing fence') {
      const end = runEnd(mark, text, at);
      this.#marks += end - at;
      if (end > at) return this.#add(text, at, end, looks.dim);
    }
    const end = this.#marks < length ? at : find(notBlank, text, at);
    if (end === at) return this.#go('code', text, at, false);
    this.#rest = 'closed';
    return this.#add(text, at, end, looks.plain);
  }
}
