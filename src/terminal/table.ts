/** Tables for people: aligned columns without borders, wide characters counted as two. */
import { plainText } from '../lib/plain-text.js';
import { textWidth } from '../lib/wrap.js';
import { oneLine, sanitise } from './screen.js';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

export type Rows = readonly (readonly string[])[];

export function drawTable(columns: readonly Column[], rows: Rows): string {
  return linesUnder(columns, [], rows, (cell) => sanitise(oneLine(cell))).join('\n');
}

/** Wider cells of a growing table are cut: one of them would spoil every line after it. */
const mostColumns = 60;

/** A table that is shown while its rows still come: columns widen, and never narrow again. */
export class GrowingTable {
  readonly #widths: number[] = [];

  constructor(private readonly columns: readonly Column[]) {}

  draw(rows: Rows): string {
    const cut = (cell: string) => plainText(sanitise(cell), mostColumns);
    const isBegun = this.#widths.length > 0;
    const lines = linesUnder(this.columns, this.#widths, rows, cut);
    return lines.map((line, index) => (isBegun && index === 0 ? '' : `${line}\n`)).join('');
  }
}

/** The titles and the rows in lines; `widths` is widened to what they take. */
function linesUnder(
  columns: readonly Column[],
  widths: number[],
  rows: Rows,
  harmless: (cell: string) => string,
): string[] {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => row.map(harmless))];
  for (const line of lines) {
    for (const [index, cell] of line.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, textWidth(cell));
    }
  }
  return lines.map((line) => {
    const padded = line.map((cell, index) => {
      const blank = ' '.repeat((widths[index] ?? 0) - textWidth(cell));
      return columns[index]?.align === 'right' ? blank + cell : cell + blank;
    });
    return padded.join('  ').trimEnd();
  });
}
