/** Draws a text that is being edited, with its cursor and a note below it, again after each key. */
import { textWidth, wrapLines } from '../lib/wrap.js';
import { lineFeed } from './edited-text.js';
import { sanitise, type Style } from './screen.js';
import type { OutputStream } from './writer.js';

/** What stands before the first line, and before each of the others. */
export const marks = { first: '> ', more: '… ' } as const;
const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const maxNotes = 8;
const nothing = { widths: [0], row: 0, column: 0 };

export class TextArea {
  /** The rows on the screen by their widths, and where the cursor is. */
  #drawn = nothing;

  constructor(
    private readonly screen: OutputStream,
    private readonly style: Style,
  ) {}

  /** Shows as many rows around the cursor as the screen has room for. */
  draw(text: string, cursor: number, note: string): void {
    const { rows, place } = this.#layOut(text, cursor);
    const notes = note === '' ? [] : wrapLines(sanitise(note), this.#width);
    const below = notes.length > maxNotes ? [...notes.slice(0, maxNotes), '…'] : notes;
    const height = Math.max((this.screen.rows ?? 24) - below.length, 1);
    const first = Math.max(0, Math.min(place.row - (height >> 1), rows.length - height));
    const visible = rows.slice(first, first + height);
    this.#write(visible, below, { row: place.row - first, column: place.column });
  }

  /** Leaves the whole text on the screen, and the cursor below it. */
  end(text: string): void {
    const { rows } = this.#layOut(text, 0);
    this.#write([...rows, ''], [], { row: rows.length, column: 0 });
    this.forget();
  }

  /** Draws again on a terminal that has broken the rows in other places. */
  resize(text: string, cursor: number, note: string): void {
    const columns = this.screen.columns ?? 80;
    const { widths, row, column } = this.#drawn;
    const rowsOf = (width: number) => Math.max(1, Math.ceil(width / columns));
    const above = widths.slice(0, row).reduce((sum, width) => sum + rowsOf(width), 0);
    this.#drawn = { widths, row: above + Math.floor(column / columns), column };
    this.draw(text, cursor, note);
  }

  /** Takes everything from the screen. */
  clear(): void {
    this.screen.write('\u001b[H\u001b[2J');
    this.forget();
  }

  /** What follows is drawn where the cursor is then. */
  forget(): void {
    this.#drawn = nothing;
  }

  /** The last column stays free: some terminals wrap at once, others with the next letter. */
  get #width(): number {
    return Math.max((this.screen.columns ?? 80) - 1, 8);
  }

  #layOut(text: string, cursor: number) {
    const rows: string[] = [];
    let place = { row: 0, column: 0 };
    let start = 0;
    for (const line of text.split(lineFeed)) {
      let row: string = start === 0 ? marks.first : marks.more;
      let column = textWidth(row);
      for (const { segment, index } of letters.segment(line)) {
        const shown = segment === '\t' ? '    ' : sanitise(segment);
        const width = textWidth(shown);
        if (column + width > this.#width) {
          rows.push(row);
          [row, column] = ['', 0];
        }
        if (start + index <= cursor) place = { row: rows.length, column };
        row += shown;
        column += width;
      }
      if (start + line.length <= cursor) place = { row: rows.length, column };
      rows.push(row);
      start += line.length + 1;
    }
    return { rows, place };
  }

  #write(rows: string[], below: string[], { row, column }: { row: number; column: number }): void {
    const [first = '', ...others] = rows;
    const marked = first.replace(/^> /, this.style('cyan', marks.first));
    const lines = [marked, ...others, ...below.map((line) => this.style('dim', line))];
    const back = up(lines.length - 1 - row);
    // Erased row by row: tmux keeps in its history what is erased from the first row on.
    const erased = `${lines.join('\u001b[K\r\n')}\u001b[J`;
    this.screen.write(`${up(this.#drawn.row)}\r${erased}${back}\r${right(column)}`);
    this.#drawn = { widths: rows.map(textWidth), row, column };
  }
}

const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '');
const right = (columns: number) => (columns > 0 ? `\u001b[${columns}C` : '');
