/** Tables for people: aligned columns without borders, wide characters counted as two. */
import { plainText } from '../lib/plain-text.js';
import { textWidth } from '../lib/wrap.js';
import { sanitise } from './screen.js';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

type Rows = readonly (readonly string[])[];

/** Draws rows under titles. Cells are untrusted text. */
export function drawTable(columns: readonly Column[], rows: Rows): string {
  const cells = rows.map((row) => row.map((cell) => sanitise(cell.replace(/[\t\r\n]+/g, ' '))));
  const titles = columns.map(({ title }) => title);
  const widths = titles.map(textWidth);
  widen(widths, cells);
  return [titles, ...cells].map((row) => lineOf(row, columns, widths)).join('\n');
}

/** Wider cells of a growing table are cut: one of them would spoil every line after it. */
const mostColumns = 60;

/** A table that is shown while its rows still come: columns widen, and never narrow again. */
export class GrowingTable {
  readonly #widths: number[];
  #isBegun = false;

  constructor(private readonly columns: readonly Column[]) {
    this.#widths = columns.map(({ title }) => textWidth(title));
  }

  /** The lines of these rows, with the titles before the first ones. Cells are untrusted text. */
  draw(rows: Rows): string {
    const cells = rows.map((row) => row.map((cell) => plainText(sanitise(cell), mostColumns)));
    widen(this.#widths, cells);
    const titles = this.#isBegun ? [] : [this.columns.map(({ title }) => title)];
    this.#isBegun = true;
    const lines = [...titles, ...cells].map((row) => lineOf(row, this.columns, this.#widths));
    return lines.map((line) => `${line}\n`).join('');
  }
}

function widen(widths: number[], rows: Rows): void {
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, textWidth(cell));
    }
  }
}

function lineOf(
  row: readonly string[],
  columns: readonly Column[],
  widths: readonly number[],
): string {
  const padded = row.map((cell, index) => {
    const blank = ' '.repeat(Math.max(0, (widths[index] ?? 0) - textWidth(cell)));
    return columns[index]?.align === 'right' ? blank + cell : cell + blank;
  });
  return padded.join('  ').trimEnd();
}
