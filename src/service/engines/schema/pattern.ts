/**
 * A string that fits a regular expression: its shortest reading, for the expressions that
 * schemas use (letters, classes, groups, alternatives, counts, anchors). Others give undefined.
 */

import { demandTime, fits } from './bounded.js';

/** A string that fits `pattern` and has at least `minLength` characters, or undefined. */
export function stringFor(pattern: RegExp, minLength = 0): string | undefined {
  // Each try repeats open-ended parts once more, until the string is long enough.
  for (const extra of [0, 1, 2, 4, 8, 16, minLength]) {
    const reader = new Reader(pattern.source, extra);
    const text = reader.alternatives();
    if (text === undefined || !reader.isAtEnd) return undefined;
    if (text.length >= minLength && fits(pattern, text)) return text;
  }
  return undefined;
}

const mostRepeats = 1000;
const longestText = 100_000;

class Reader {
  readonly #source: string;
  readonly #extra: number;
  #at = 0;

  constructor(source: string, extra: number) {
    this.#source = source;
    this.#extra = extra;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  /** `a|b|c`: the first one is taken, the others are read over. */
  alternatives(): string | undefined {
    const first = this.#sequence();
    while (this.#source[this.#at] === '|') {
      this.#at += 1;
      if (this.#sequence() === undefined) return undefined;
    }
    return first;
  }

  #sequence(): string | undefined {
    let text = '';
    while (!this.isAtEnd && !'|)'.includes(this.#source.charAt(this.#at))) {
      const atom = this.#atom();
      if (atom === undefined) return undefined;
      const count = this.#count();
      if (count === undefined || count > mostRepeats) return undefined;
      if (text.length + atom.length * count > longestText) return undefined;
      text += atom.repeat(count);
    }
    return text;
  }

  #atom(): string | undefined {
    demandTime();
    const char = this.#take();
    switch (char) {
      case '^':
      case '$':
        return '';
      case '.':
        return 'a';
      case '(':
        return this.#group();
      case '[':
        return this.#class();
      case '\\':
        return this.#escape();
      default:
        return '*+?{'.includes(char) ? undefined : char;
    }
  }

  #group(): string | undefined {
    const rest = this.#source.slice(this.#at);
    const opening = /^\?(:|<[A-Za-z_]\w*>)/.exec(rest);
    if (opening) this.#at += opening[0].length;
    // Looking around would need a search, not a reading.
    else if (rest.startsWith('?')) return undefined;
    const text = this.alternatives();
    return this.#take() === ')' ? text : undefined;
  }

  #class(): string | undefined {
    const close = /^(?:\\[^]|[^\]\\])*\]/.exec(this.#source.slice(this.#at));
    if (!close) return undefined;
    const source = `[${close[0]}`;
    this.#at += close[0].length;
    return firstFitting(source);
  }

  #escape(): string | undefined {
    const char = this.#take();
    const long = /^(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})/.exec(
      char + this.#source.slice(this.#at),
    );
    if (long) {
      this.#at += long[0].length - 1;
      return firstFitting(`\\${long[0]}`);
    }
    if ('bB'.includes(char)) return '';
    if (/[dDsSwWtnrfv]/.test(char)) return firstFitting(`\\${char}`);
    return /[0-9kpPuxc]/.test(char) ? undefined : char;
  }

  /** How often to repeat what was just read. */
  #count(): number | undefined {
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at));
    if (!found) return this.#source[this.#at] === '{' ? undefined : 1;
    this.#at += found[0].length;
    const [, sign, least = '0', comma, most] = found;
    if (sign === '?') return 0;
    if (sign === '*') return this.#extra;
    if (sign === '+') return 1 + this.#extra;
    if (!comma) return Number(least);
    return Math.min(Number(least) + this.#extra, most ? Number(most) : Infinity);
  }

  #take(): string {
    const code = this.#source.codePointAt(this.#at);
    const char = code === undefined ? '' : String.fromCodePoint(code);
    this.#at += char.length;
    return char;
  }
}

/** The first plain character that fits a one-character expression. */
function firstFitting(source: string): string | undefined {
  const one = new RegExp(`^${source}$`, 'u');
  for (const candidate of 'aA0 _-.@/:+,;!') {
    if (one.test(candidate)) return candidate;
  }
  for (let code = 0x20; code < 0x3000; code += 1) {
    const candidate = String.fromCharCode(code);
    if (one.test(candidate)) return candidate;
  }
  return undefined;
}
