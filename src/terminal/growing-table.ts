/** A table that is shown while its rows still come: columns widen, and never narrow again. */
import { plainText } from '../lib/plain-text.js';
import { textWidth } from '../lib/wrap.js';
import { sanitise } from './sanitise.js';
import type { Column } from './types.js';

/** Wider cells are cut: one of them would spoil every line after it. */
const mostColumns = 60;

export class GrowingTable {
  readonly #widths: number[];
  #isBegun = false;

  constructor(private readonly columns: readonly Column[]) {
    this.#widths = columns.map(({ title }) => textWidth(title));
  }

  /** The lines of these rows, with the titles before the first ones. Cells are untrusted text. */
  draw(rows: readonly (readonly string[])[]): string {
    const cells = rows.map((row) => row.map((cell) => plainText(sanitise(cell), mostColumns)));
    for (const row of cells) {
      for (const [index, cell] of row.entries()) {
        this.#widths[index] = Math.max(this.#widths[index] ?? 0, textWidth(cell));
      }
    }
    const titles = this.#isBegun ? [] : [this.columns.map(({ title }) => title)];
    this.#isBegun = true;
    return [...titles, ...cells].map((row) => `${this.#line(row)}\n`).join('');
  }

  #line(row: readonly string[]): string {
    const padded = row.map((cell, index) => {
      const blank = ' '.repeat(Math.max(0, (this.#widths[index] ?? 0) - textWidth(cell)));
      return this.columns[index]?.align === 'right' ? blank + cell : cell + blank;
    });
    return padded.join('  ').trimEnd();
  }
}
