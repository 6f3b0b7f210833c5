/** Ctrl-R: finds an earlier text by letters in it, as readline does. */
import type { EditedText } from './edited-text.js';

export class HistorySearch {
  /** What the text was, and where its cursor stood. */
  readonly #before: { readonly line: string; readonly cursor: number };
  #query = '';
  /** The place of what was found among the earlier texts. */
  #at = 0;
  #isFound = true;

  constructor(private readonly text: EditedText) {
    this.#before = { line: text.line, cursor: text.cursor };
  }

  get note(): string {
    return `(${this.#isFound ? '' : 'failed '}reverse-i-search) ${this.#query}`;
  }

  /** @returns whether it goes on, or is given up; undefined for a key that means nothing to it. */
  press(name: string, text: string): boolean | undefined {
    if (name === 'ctrl-r') this.#find(this.#at + 1);
    else if (name === 'backspace') {
      this.#query = Array.from(this.#query).slice(0, -1).join('');
      this.#find(0);
    } else if (['ctrl-g', 'ctrl-c', 'escape', 'meta-escape'].includes(name)) {
      this.#show(this.#before.line, this.#before.cursor);
      return false;
    } else if (name === 'paste' || (text >= ' ' && !/^(ctrl|meta)-/.test(name))) {
      this.#query += text;
      this.#find(this.#at);
    } else return undefined;
    return true;
  }

  /** Shows the first that has the letters, from this place on. */
  #find(from: number): void {
    const query = this.#query.toLowerCase();
    const { earlier } = this.text;
    const isMatch = (line: string) => this.text.whole(line).toLowerCase().includes(query);
    const at = query === '' ? 0 : earlier.findIndex((line, nth) => nth >= from && isMatch(line));
    this.#isFound = at !== -1;
    const line = query === '' ? undefined : earlier[at];
    if (line !== undefined) this.#show(line, line.toLowerCase().indexOf(query));
    if (this.#isFound) this.#at = at;
  }

  #show(line: string, place: number): void {
    this.text.replace(line);
    if (place >= 0) this.text.moveTo(place);
  }
}
