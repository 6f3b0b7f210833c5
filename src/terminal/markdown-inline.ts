/** The styles within a line of Markdown: emphasis, code and addresses. */
import type { Look, Style } from './screen.js';

/**
 * What may mean something in text: a mark, or an address. An `h` that ends the piece may begin one.
 */
const special = /[*`\\(\n]|\bh(?=ttps?:\/\/|t{0,2}$|ttps?:?\/?$)/g;
const scheme = /https?:\/\//y;
const schemeSoFar = /h(?:t{0,2}|ttps?:?\/?)$/y;
/** What ends an address; of brackets, those that it did not open. */
const addressEnd = /[\s<>"`*|()[\]]|(?![\x00-\x7f])\p{P}/gu;
const sentenceMark = /[.,;:!?']/;
const codeEnd = /[`\n]/g;
const punctuation = /[!-/:-@[-`{-~]/;

/** Letters of scripts that put spaces between words: emphasis does not begin within a word. */
const word =
  /(?!\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Thai})[\p{L}\p{M}\p{N}_]/u;
/** What emphasis does not begin with: 2 * 3, **\/*.ts, x **= 2. */
const opensNothing = /[\s/)\]},;=|>]/;
/** What *emphasis* does not begin after, as in a.*b; **strong** does, where a space was forgotten. */
const opensNoItalic = /[!#-&*-/:-@\\\]^_`|}~]/;
/** What emphasis does not end after. */
const closesNothing = /[\s([{“‘«]/;

/**
 * Where the text leaves it open what a mark means, the meaning that harms least is taken: nothing
 * is known of what comes later. Underscores are left alone, for names are full of them.
 */
export class InlineStyler {
  /** The look of all the line: a heading is bold. */
  #base = 0;
  #isStrong = false;
  #isItalic = false;
  /** How many backticks opened the code that the text is in; 0 when it is in none. */
  #code = 0;
  /** How many backticks stand right before. */
  #ticks = 0;
  #isAddress = false;
  /** Brackets that are open in the address. */
  #brackets = 0;
  /** A run of more than three stars is no mark, however it is cut. */
  #isLongRun = false;
  /** The character before; empty at the beginning. */
  #before = '';

  constructor(private readonly painter: Painter) {}

  /** The text of a line begins, in code of so many backticks. */
  begin(base: number, code = 0): void {
    this.#base = base;
    this.#isStrong = this.#isItalic = this.#isAddress = this.#isLongRun = false;
    this.#code = code;
    this.#ticks = 0;
    this.#before = '';
  }

  /**
   * Styles text from `at` on, to the end of the line.
   * @returns where it stopped: the end of the line or of the text, or a mark whose meaning what
   *   follows will decide.
   */
  take(text: string, at: number, isLast: boolean): number {
    let place = at;
    while (place < text.length && text[place] !== '\n') {
      const next = this.#step(text, place, isLast);
      if (next === place) break;
      this.#before = text[next - 1] ?? '';
      place = next;
    }
    return place;
  }

  get #look(): number {
    return (
      this.#base |
      (this.#isStrong ? looks.bold : 0) |
      (this.#isItalic ? looks.italic : 0) |
      (this.#code > 0 || this.#ticks > 0 ? looks.code : 0) |
      (this.#isAddress ? looks.underline : 0)
    );
  }

  #step(text: string, at: number, isLast: boolean): number {
    const mark = text[at];
    if (mark === '`') return this.#countTicks(text, at);
    if (this.#ticks > 0) this.#endTicks();
    if (this.#code > 0) return this.#add(text, at, find(codeEnd, text, at));
    if (this.#isAddress) {
      const next = this.#takeAddress(text, at, isLast);
      if (next !== undefined) return next;
    }
    if (mark === '*') return this.#takeStars(text, at, isLast);
    this.#isLongRun = false;
    if (mark === '\\') return this.#takeEscape(text, at, isLast);
    if (mark === '(' && this.#before === ']') {
      this.#add(text, at, at + 1);
      this.#beginAddress();
      return at + 1;
    }
    if (mark === 'h' && !/\w/.test(this.#before)) {
      if (standsAt(scheme, text, at)) {
        this.#beginAddress();
        return this.#takeAddress(text, at, isLast) ?? at;
      }
      if (!isLast && standsAt(schemeSoFar, text, at)) return at;
    }
    // Text that means nothing, to the next mark.
    return this.#add(text, at, find(special, text, at + 1));
  }

  #add(text: string, at: number, end: number): number {
    this.painter.add(text.slice(at, end), this.#look);
    return end;
  }

  #countTicks(text: string, at: number): number {
    this.#isAddress = this.#isLongRun = false;
    const end = runEnd('`', text, at);
    this.#ticks += end - at;
    return this.#add(text, at, end);
  }

  /** Code ends with as many backticks as it began with. */
  #endTicks(): void {
    if (this.#code === 0) this.#code = this.#ticks;
    else if (this.#code === this.#ticks) this.#code = 0;
    this.#ticks = 0;
  }

  #takeEscape(text: string, at: number, isLast: boolean): number {
    const escaped = text[at + 1];
    if (escaped === undefined && !isLast) return at;
    return this.#add(text, at, punctuation.test(escaped ?? '') ? at + 2 : at + 1);
  }

  /** One star is emphasis, two are strong, three are both; the marks look as what they mark. */
  #takeStars(text: string, at: number, isLast: boolean): number {
    const end = runEnd('*', text, at);
    const count = end - at;
    if (this.#isLongRun || count > 3) {
      this.#isLongRun = true;
      return this.#add(text, at, end);
    }
    const next = text[end];
    if (next === undefined && !isLast) return at;
    const before = this.#look;
    if (!this.#close(count)) this.#open(count, next ?? '\n');
    this.painter.add(text.slice(at, end), before | this.#look);
    return end;
  }

  #close(count: number): boolean {
    if (this.#before === '' || closesNothing.test(this.#before)) return false;
    const strong = this.#isStrong && count >= 2;
    const italic = this.#isItalic && (strong ? count === 3 : count !== 2);
    if (strong) this.#isStrong = false;
    if (italic) this.#isItalic = false;
    return strong || italic;
  }

  #open(count: number, next: string): void {
    const before = this.#before;
    if (word.test(before) || opensNothing.test(next)) return;
    // "*" is a star; *.png is a pattern, and **.env** a strong name.
    if (punctuation.test(before) && punctuation.test(next)) return;
    if (count === 1 && (next === '.' || opensNoItalic.test(before))) return;
    if (count >= 2) this.#isStrong = true;
    if (count !== 2) this.#isItalic = true;
  }

  #beginAddress(): void {
    this.#isAddress = true;
    this.#brackets = 0;
  }

  /** Undefined when the address ends here. */
  #takeAddress(text: string, at: number, isLast: boolean): number | undefined {
    const bracket = text[at];
    if (bracket === '(' || (bracket === ')' && this.#brackets > 0)) {
      this.#brackets += bracket === '(' ? 1 : -1;
      return this.#add(text, at, at + 1);
    }
    const end = find(addressEnd, text, at);
    if (end > at && !sentenceMark.test(text[end - 1] ?? '')) return this.#add(text, at, end);
    if (end > at + 1) return this.#add(text, at, end - 1);
    if (end > at && end === text.length && !isLast) return at;
    this.#isAddress = false;
    return undefined;
  }
}

/** How a stretch of text looks: a sum of these. */
export const looks = { plain: 0, bold: 1, italic: 2, code: 4, underline: 8, dim: 16 } as const;

/** What each of them wears, the innermost first. */
const wears: readonly (readonly [bit: number, look: Look])[] = [
  [looks.code, 'cyan'],
  [looks.underline, 'underline'],
  [looks.italic, 'italic'],
  [looks.bold, 'bold'],
  [looks.dim, 'dim'],
];

export class Painter {
  #painted = '';
  /** The stretch at hand: neighbours of one look share their styles. */
  #stretch = '';
  #look = 0;

  constructor(private readonly style: Style) {}

  add(text: string, look: number): void {
    if (look !== this.#look) {
      this.#close();
      this.#look = look;
    }
    this.#stretch += text;
  }

  /** All that was added since the last time; no style is left open. */
  take(): string {
    this.#close();
    const painted = this.#painted;
    this.#painted = '';
    return painted;
  }

  #close(): void {
    if (this.#stretch === '') return;
    const worn = wears.filter(([bit]) => (this.#look & bit) !== 0);
    this.#painted += worn.reduce((text, [, look]) => this.style(look, text), this.#stretch);
    this.#stretch = '';
  }
}

/** Where a pattern with the flag g next matches, from `at` on; the text's end when it does not. */
export function find(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.index ?? text.length;
}

/** Whether a pattern with the flag y matches at this place. */
export function standsAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Where a run of one character ends; `at` when there is none. */
export function runEnd(character: string, text: string, at: number): number {
  let end = at;
  while (text[end] === character) end++;
  return end;
}
