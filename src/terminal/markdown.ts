/** Styles Markdown for a terminal as it arrives: a look depends only on what precedes it. */
import type { Look, Style } from './screen.js';

const [plain, code, underline, italic, bold, dim] = [0, 1, 2, 4, 8, 16];

/** By the number of stars. */
const emphases = [plain, italic, bold, bold | italic];
// The innermost style first.
const styles: readonly (readonly [bit: number, look: Look])[] = [
  [code, 'cyan'],
  [underline, 'underline'],
  [italic, 'italic'],
  [bold, 'bold'],
  [dim, 'dim'],
];

const blanks = /[ \t\r]+/y;
const lineFeed = /\n/g;
/** What a line can begin with. The marks of a fence wait, so svc reads at most eight. */
const opening =
  /(?<item>(?:[-+*]|\d{1,9}[.)])(?=[ \t\r\n]|$))|(?<heading>#{1,6}(?=[ \t\r\n]|$))|(?<fence>`{3,8}(?!`)|~{3,8}(?!~))|(?<quote>>)|(?<row>\|)/y;
const openingSoFar = /(?:[-+*]|\d{1,9}[.)]?|#{1,6}|`{1,8}|~{1,8})$/y;
const fenceMarks = /`{1,8}|~{1,8}/y;
const tickOrLineFeed = /[`\n]/g;

/** A mark or the start of an address, such as an `h` at the end of a piece. */
const special = /[*`\\(\n]|\bh(?=ttps?:\/\/|t{0,2}$|ttps?:?\/?$)/g;
const ticks = /`+/y;
const stars = /\*+/y;
const scheme = /https?:\/\//y;
const schemeSoFar = /h(?:t{0,2}|ttps?:?\/?)$/y;
const addressEnd = /[\s<>"`*|()[\]]|(?![\x00-\x7f])\p{P}/gu;
const sentenceMark = /[.,;:!?']/;
const punctuation = /[!-/:-@[-`{-~]/;
/** Letters of scripts with spaces between words; there, emphasis does not begin within a word. */
const word =
  /(?!\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Thai})[\p{L}\p{M}\p{N}_]/u;
/** Emphasis does not begin with these: 2 * 3, **\/*.ts, x **= 2. */
const opensNothing = /[\s/)\]},;=|>]/;
/** *Emphasis* does not begin after these (a.*b); **strong** does, where a space is missing. */
const opensNoItalic = /[!#-&*-/:-@\\\]^_`|}~]/;
const closesNothing = /[\s([{“‘«]/;

type Fence = Readonly<{ mark: string; length: number; column: number; quotes: number }>;

type Rest = 'start' | 'text' | 'row' | 'code' | 'info' | 'closed fence';

export class MarkdownStyler {
  #text = '';
  #at = 0;
  #isLast = false;
  #painted = '';
  #stretch = '';
  #look = plain;
  #fence: Fence | undefined;
  #rest: Rest = 'start';
  #column = 0;
  #quotes = 0;
  #base = plain;
  #emphasis = plain;
  /** How many backticks opened the code; 0 outside code. */
  #code = 0;
  #ticks = 0;
  /** How many brackets are open in the address; undefined outside an address. */
  #address: number | undefined;
  #before = '';

  constructor(private readonly style: Style) {}

  /** @returns the text with closed styles, without the last marks that must wait. */
  push(text: string, isLast = false): string {
    this.#text = this.#text.slice(this.#at) + text;
    this.#at = 0;
    this.#isLast = isLast;
    this.#painted = '';
    while (this.#at < this.#text.length && this.#step());
    this.#closeStretch();
    return this.#painted;
  }

  end(): string {
    return this.push('', true);
  }

  /** @returns false when the text here must wait for what follows. */
  #step(): boolean {
    if (this.#here === '\n') return this.#endLine();
    switch (this.#rest) {
      case 'start':
        return this.#takeBlanks() || this.#startLine();
      case 'text':
        return this.#takeText();
      case 'row':
      case 'code':
        return this.#add(this.#find(lineFeed), this.#rest === 'code' ? code : plain);
      case 'info':
        return this.#takeInfo();
      case 'closed fence':
        return this.#takeBlanks() || this.#go('code');
    }
  }

  get #here(): string {
    return this.#text[this.#at] ?? '';
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }

  #find(pattern: RegExp, from = this.#at): number {
    pattern.lastIndex = from;
    return pattern.exec(this.#text)?.index ?? this.#text.length;
  }

  #add(end: number, look = this.#textLook): true {
    if (look !== this.#look) this.#closeStretch();
    this.#look = look;
    this.#stretch += this.#text.slice(this.#at, end);
    this.#before = this.#text[end - 1] ?? '';
    this.#at = end;
    return true;
  }

  #closeStretch(): void {
    if (this.#stretch === '') return;
    const worn = styles.filter(([bit]) => (this.#look & bit) !== 0);
    this.#painted += worn.reduce((text, [, look]) => this.style(look, text), this.#stretch);
    this.#stretch = '';
  }

  #go(rest: Rest): true {
    this.#rest = rest;
    return true;
  }

  #endLine(): true {
    if (this.#rest === 'closed fence') this.#fence = undefined;
    this.#rest = 'start';
    this.#column = this.#quotes = 0;
    return this.#add(this.#at + 1, plain);
  }

  #takeBlanks(): boolean {
    const [blank] = this.#match(blanks) ?? [''];
    for (const one of blank) this.#column += one === '\t' ? 4 - (this.#column % 4) : 1;
    return blank !== '' && this.#add(this.#at + blank.length, plain);
  }

  #startLine(): boolean {
    if (this.#fence) return this.#startInFence(this.#fence);
    if (!this.#isLast && this.#match(openingSoFar)) return false;
    const { item, heading, fence, quote, row } = this.#match(opening)?.groups ?? {};
    if (item !== undefined) {
      this.#column += item.length;
      return this.#add(this.#at + item.length, dim);
    }
    if (quote !== undefined) return this.#takeQuote();
    if (row !== undefined) return this.#go('row');
    if (fence === undefined) return this.#beginText(heading === undefined ? plain : bold);
    const mark = fence.charAt(0);
    this.#fence = { mark, length: fence.length, column: this.#column, quotes: this.#quotes };
    this.#rest = 'info';
    return this.#add(this.#at + fence.length, dim);
  }

  #takeQuote(): true {
    this.#quotes++;
    this.#column = 0;
    return this.#add(this.#at + 1, dim);
  }

  #startInFence(fence: Fence): boolean {
    if (this.#quotes < fence.quotes) {
      if (this.#here === '>') return this.#takeQuote();
      this.#fence = undefined;
      return true;
    }
    const marks = this.#match(fenceMarks)?.[0] ?? '';
    const end = this.#at + marks.length;
    // A mark that is indented further is code that shows a fence.
    const mayClose = marks.startsWith(fence.mark) && this.#column <= fence.column + 3;
    const isWhole = this.#isLast || marks.length === 8 || end < this.#text.length;
    if (mayClose && !isWhole) return false;
    if (!mayClose || marks.length < fence.length) return this.#go('code');
    this.#rest = 'closed fence';
    return this.#add(end, dim);
  }

  /** With a backtick in its words, the fence was code within a line. */
  #takeInfo(): true {
    const { mark, length } = this.#fence ?? { mark: '', length: 0 };
    const end = this.#find(mark === '`' ? tickOrLineFeed : lineFeed);
    if (end > this.#at) return this.#add(end, dim);
    this.#fence = undefined;
    return this.#beginText(plain, length);
  }

  #beginText(base: number, ticks = 0): true {
    this.#base = base;
    this.#emphasis = plain;
    this.#address = undefined;
    this.#code = ticks;
    this.#ticks = 0;
    this.#before = '';
    return this.#go('text');
  }

  get #textLook(): number {
    const inCode = this.#code > 0 || this.#ticks > 0 ? code : plain;
    const inAddress = this.#address === undefined ? plain : underline;
    return this.#base | this.#emphasis | inCode | inAddress;
  }

  /** Ambiguous marks and underscores change nothing. */
  #takeText(): boolean {
    const mark = this.#here;
    if (mark === '`') {
      this.#address = undefined;
      const run = this.#match(ticks)?.[0] ?? '';
      this.#ticks += run.length;
      return this.#add(this.#at + run.length);
    }
    if (this.#ticks > 0 && this.#code === 0) this.#code = this.#ticks;
    else if (this.#code === this.#ticks) this.#code = 0;
    this.#ticks = 0;
    if (this.#code > 0) return this.#add(this.#find(tickOrLineFeed));
    if (this.#address !== undefined) return this.#takeAddress(this.#address);
    if (mark === '*') return this.#takeStars();
    const next = this.#text[this.#at + 1];
    if (mark === '\\') {
      if (next === undefined && !this.#isLast) return false;
      return this.#add(this.#at + (punctuation.test(next ?? '') ? 2 : 1));
    }
    if (mark === '(' && this.#before === ']') {
      this.#add(this.#at + 1);
      this.#address = 0;
      return true;
    }
    if (mark === 'h' && !/\w/.test(this.#before)) {
      if (!this.#isLast && this.#match(schemeSoFar)) return false;
      if (this.#match(scheme)) return this.#takeAddress((this.#address = 0));
    }
    return this.#add(this.#find(special, this.#at + 1));
  }

  #takeStars(): boolean {
    const count = this.#match(stars)?.[0].length ?? 0;
    const end = this.#at + count;
    const emphasis = emphases[count];
    // A longer run is not a mark.
    if (emphasis === undefined || this.#before === '*') return this.#add(end);
    const next = this.#text[end];
    if (next === undefined && !this.#isLast) return false;
    const look = this.#textLook;
    const mayClose = this.#before !== '' && !closesNothing.test(this.#before);
    const closed = mayClose ? this.#emphasis & emphasis : plain;
    if (closed !== plain) this.#emphasis &= ~closed;
    else if (this.#opens(count, next ?? '\n')) this.#emphasis |= emphasis;
    return this.#add(end, look | this.#textLook);
  }

  #opens(count: number, next: string): boolean {
    const before = this.#before;
    if (word.test(before) || opensNothing.test(next)) return false;
    // "*" is a star; *.png is a pattern, and **.env a strong name.
    if (punctuation.test(before) && punctuation.test(next)) return false;
    return count > 1 || (next !== '.' && !opensNoItalic.test(before));
  }

  #takeAddress(open: number): boolean {
    const bracket = this.#here;
    if (bracket === '(' || (bracket === ')' && open > 0)) {
      this.#address = open + (bracket === '(' ? 1 : -1);
      return this.#add(this.#at + 1);
    }
    const found = this.#find(addressEnd);
    // A mark at the end of a sentence is not part of the address.
    const end = sentenceMark.test(this.#text[found - 1] ?? '') ? found - 1 : found;
    if (end > this.#at) return this.#add(end);
    if (found > this.#at && found === this.#text.length && !this.#isLast) return false;
    this.#address = undefined;
    return true;
  }
}
