/** Draws a text that is being edited, with its cursor and a note below it, again after each key. */
import type { Writable } from 'node:stream';
import { textWidth, wrapLines } from '../lib/wrap.js';
import { sanitise, type Style } from './screen.js';

export type Screen = Writable & { columns?: number; rows?: number };

/** What ends a line: readline edits a text as one line. */
export const lineFeed = '\v';
/** What stands before the first line, and before each of the others. */
export const marks = { first: '> ', more: '… ' } as const;
const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const mostNotes = 8;

export function textArea(screen: Screen, style: Style) {
  /** The rows on the screen by their widths, and where the cursor is. */
  let drawn = { widths: [0], row: 0, column: 0 };
  // The last column stays free: some terminals wrap at once, others with the next letter.
  const widthNow = () => Math.max((screen.columns ?? 80) - 1, 8);

  const layOut = (text: string, cursor: number) => {
    const rows: string[] = [];
    let place = { row: 0, column: 0 };
    let start = 0;
    for (const line of text.split(lineFeed)) {
      let row: string = start === 0 ? marks.first : marks.more;
      let column = textWidth(row);
      for (const { segment, index } of letters.segment(line)) {
        const shown = segment === '\t' ? '    ' : sanitise(segment);
        const width = textWidth(shown);
        if (column + width > widthNow()) {
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
  };
  const write = (rows: string[], below: string[], row: number, column: number) => {
    const lines = [...rows, ...below.map((line) => style('dim', line))];
    const back = up(lines.length - 1 - row);
    // Erased row by row: tmux keeps in its history what is erased from the first row on.
    const erased = `${lines.join('\u001b[K\r\n')}\u001b[J`;
    screen.write(`${up(drawn.row)}\r${erased}${back}\r${right(column)}`);
    drawn = { widths: rows.map(textWidth), row, column };
  };
  const forget = () => {
    drawn = { widths: [0], row: 0, column: 0 };
  };
  /** Shows as many rows around the cursor as the screen has room for. */
  const draw = (text: string, cursor: number, note: string): void => {
    const { rows, place } = layOut(text, cursor);
    const notes = note === '' ? [] : wrapLines(sanitise(note), widthNow());
    const below = notes.length > mostNotes ? [...notes.slice(0, mostNotes), '…'] : notes;
    const height = Math.max((screen.rows ?? 24) - below.length, 1);
    const first = Math.max(0, Math.min(place.row - (height >> 1), rows.length - height));
    write(rows.slice(first, first + height), below, place.row - first, place.column);
  };
  return {
    draw,
    /** Leaves the whole text on the screen, and the cursor below it. */
    end: (text: string): void => {
      const { rows } = layOut(text, 0);
      write([...rows, ''], [], rows.length, 0);
      forget();
    },
    /** Draws again on a terminal that has broken the rows in other places. */
    resize: (text: string, cursor: number, note: string): void => {
      const columns = screen.columns ?? 80;
      const above = drawn.widths.slice(0, drawn.row);
      const rows = above.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
      drawn.row = rows + Math.floor(drawn.column / columns);
      draw(text, cursor, note);
    },
    /** What follows is drawn where the cursor is then. */
    forget,
  };
}

const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '');
const right = (columns: number) => (columns > 0 ? `\u001b[${columns}C` : '');
