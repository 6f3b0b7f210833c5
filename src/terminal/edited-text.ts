/** A text that node:readline edits: as one line, because it knows only one. */
import { createInterface, type Interface, type Key } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';

/** What ends a line of the text. */
export const lineFeed = '\v';

/** A longer paste, or earlier text, is shown as a mark. */
const maxShown = { lines: 10, characters: 1000 };

export class EditedText {
  readonly #marks = new Map<string, string>();
  readonly #readline: Interface;

  /** @param history earlier texts, newest first. */
  constructor(history: readonly string[]) {
    this.#readline = createInterface({
      input: new PassThrough(),
      // What it draws is dropped.
      output: new Writable({ write: (_text, _encoding, done) => done() }),
      terminal: true,
      history: history.map((text) => this.#folded(text)),
      historySize: 1000,
      removeHistoryDuplicates: true,
    });
  }

  /** As it is shown. */
  get line(): string {
    return this.#readline.line;
  }

  get cursor(): number {
    return this.#readline.cursor;
  }

  get beforeCursor(): string {
    return this.line.slice(0, this.cursor);
  }

  /** A line as it was typed and pasted. */
  whole(line = this.line): string {
    const text = line.replace(/\[text \d+: \d+ \w+\]/g, (mark) => this.#marks.get(mark) ?? mark);
    return text.replaceAll(lineFeed, '\n');
  }

  press(name: string, ctrl = false): void {
    this.#readline.write(null, { name, ctrl });
  }

  type(text: string, key: Key): void {
    this.#readline.write(text, key);
  }

  insert(text: string): void {
    this.#readline.write(text);
  }

  paste(text: string): void {
    this.insert(this.#folded(text));
  }

  replace(text: string): void {
    this.press('e', true);
    this.press('u', true);
    this.insert(text);
  }

  /** Moves to the line above or below. @returns false at the first or last one. */
  moveLine(by: -1 | 1): boolean {
    const lines = this.line.split(lineFeed);
    const before = this.beforeCursor.split(lineFeed);
    const target = lines[before.length - 1 + by];
    if (target === undefined) return false;
    const column = Math.min(before.at(-1)?.length ?? 0, target.length);
    const above = lines.slice(0, before.length - 1 + by);
    const place = above.reduce((sum, line) => sum + line.length + 1, column);
    while (this.cursor > place) this.press('left');
    while (this.cursor < place) this.press('right');
    return true;
  }

  close(): void {
    this.#readline.close();
  }

  #folded(text: string): string {
    const line = text.replace(/\r\n?|[\n\u2028\u2029]/g, lineFeed).replace(/\v$/, '');
    const lines = line.split(lineFeed).length;
    if (lines <= maxShown.lines && line.length <= maxShown.characters) return line;
    const size = lines > 1 ? `${lines} lines` : `${line.length} characters`;
    const mark = `[text ${this.#marks.size + 1}: ${size}]`;
    this.#marks.set(mark, line);
    return mark;
  }
}
