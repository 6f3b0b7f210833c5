/** A text that node:readline edits: as one line, because it knows only one. */
import { Interface } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';

/** What ends a line of the text. */
export const lineFeed = '\v';

/** A longer paste, or earlier text, is shown as a mark. */
const maxShown = { lines: 10, characters: 1000 };

type Marks = Map<string, string>;

export class EditedText extends Interface {
  readonly #marks: Marks;
  #earlier: readonly string[];

  /** @param history earlier texts, newest first. */
  constructor(history: readonly string[]) {
    const marks: Marks = new Map();
    const earlier = history.map((text) => folded(text, marks));
    super({
      input: new PassThrough(),
      // What it draws is dropped.
      output: new Writable({ write: (_text, _encoding, done) => done() }),
      terminal: true,
      history: [...earlier],
      historySize: 1000,
      removeHistoryDuplicates: true,
    });
    this.#marks = marks;
    this.#earlier = earlier;
    this.on('history', (lines) => (this.#earlier = lines));
  }

  /** Earlier lines, newest first. */
  get earlier(): readonly string[] {
    return this.#earlier;
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
    this.write(null, { name, ctrl });
  }

  paste(text: string): void {
    this.write(folded(text, this.#marks));
  }

  replace(text: string): void {
    this.press('e', true);
    this.press('u', true);
    this.write(text);
  }

  /** Moves to the line above or below. @returns false at the first or last one. */
  moveLine(by: -1 | 1): boolean {
    const lines = this.line.split(lineFeed);
    const before = this.beforeCursor.split(lineFeed);
    const target = lines[before.length - 1 + by];
    if (target === undefined) return false;
    const column = Math.min(before.at(-1)?.length ?? 0, target.length);
    const above = lines.slice(0, before.length - 1 + by);
    this.moveTo(above.reduce((sum, line) => sum + line.length + 1, column));
    return true;
  }

  moveTo(place: number): void {
    while (this.cursor > place) this.press('left');
    while (this.cursor < Math.min(place, this.line.length)) this.press('right');
  }
}

function folded(text: string, marks: Marks): string {
  const line = text.replace(/\r\n?|[\n\u2028\u2029]/g, lineFeed).replace(/\v$/, '');
  const lines = line.split(lineFeed).length;
  if (lines <= maxShown.lines && line.length <= maxShown.characters) return line;
  const size = lines > 1 ? `${lines} lines` : `${line.length} characters`;
  const mark = `[text ${marks.size + 1}: ${size}]`;
  marks.set(mark, line);
  return mark;
}
