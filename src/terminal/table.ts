/** Tables for people: aligned columns without borders that fit the width of the screen. */
import { cutText, textWidth, wrapText } from '../lib/wrap.js';
import { oneLine, sanitise } from './screen.js';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Cells may be cut to this width where the table does not fit. */
  readonly min?: number;
  /** Where cutting is not enough, the column with the highest number is left out first. */
  readonly drop?: number;
}

export type Rows = readonly (readonly string[])[];

interface Look {
  /** The width of the screen. */
  readonly width?: number;
  readonly styleTitle?: (title: string) => string;
}

export function drawTable(columns: readonly Column[], rows: Rows, look: Look = {}): string {
  return new GrowingTable(columns, look).draw(rows).trimEnd();
}

/** Longer cells cannot be shown on any screen. */
const mostCharacters = 2000;
const harmless = (cell: string) => sanitise(oneLine(cell.slice(0, mostCharacters)));

const gap = '  ';

/** A table whose rows still arrive: its columns become wider, and none is left out later. */
export class GrowingTable {
  readonly #natural: number[] = [];
  #kept: readonly Column[] | undefined;

  constructor(
    private readonly columns: readonly Column[],
    private readonly look: Look = {},
  ) {}

  /** The lines of these rows, below the titles the first time. */
  draw(rows: Rows): string {
    const { width = Infinity, styleTitle = (title: string) => title } = this.look;
    const isBegun = this.#kept !== undefined;
    const cells = rows.map((row) => row.map(harmless));
    const titles = this.columns.map(({ title }) => title);
    for (const row of [titles, ...cells]) {
      for (const [index, cell] of row.entries()) {
        this.#natural[index] = Math.max(this.#natural[index] ?? 0, textWidth(cell));
      }
    }
    const naturalOf = (column: Column) => this.#natural[this.columns.indexOf(column)] ?? 0;
    this.#kept ??= keptIn(this.columns, naturalOf, width);
    const widths = widthsOf(this.#kept, naturalOf, width);
    const lineOf = (row: readonly string[]) =>
      [...widths].map(([column, room]) => {
        const cell = cutText(row[this.columns.indexOf(column)] ?? '', room);
        const blank = ' '.repeat(room - textWidth(cell));
        return column.align === 'right' ? blank + cell : cell + blank;
      });
    const head = isBegun ? [] : [lineOf(titles).join(gap).trimEnd()].map(styleTitle);
    const body = cells.map((row) => lineOf(row).join(gap).trimEnd());
    return [...head, ...body].map((line) => `${line}\n`).join('');
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
const gapsOf = (columns: readonly Column[]) => gap.length * (columns.length - 1);

/** The columns that fit when all are cut as far as they may be. */
function keptIn(columns: readonly Column[], naturalOf: (column: Column) => number, width: number) {
  let kept = columns;
  for (;;) {
    const least = kept.map((column) => Math.min(naturalOf(column), column.min ?? Infinity));
    if (sum(least) + gapsOf(kept) <= width) return kept;
    const ranks = kept.map(({ drop = 0 }) => drop);
    const highest = Math.max(...ranks);
    if (highest === 0) return kept;
    kept = kept.filter((_, index) => index !== ranks.lastIndexOf(highest));
  }
}

/** The width of each column: the widest is cut first, and below its `min` only if all are at theirs. */
function widthsOf(
  columns: readonly Column[],
  naturalOf: (column: Column) => number,
  width: number,
): Map<Column, number> {
  const widths = new Map(columns.map((column) => [column, naturalOf(column)]));
  const leastOf = [({ min = Infinity }: Column) => min, () => 1];
  for (const least of leastOf) {
    let excess = sum([...widths.values()]) + gapsOf(columns) - width;
    while (excess > 0) {
      const wide = [...widths].filter(([column, room]) => room > least(column));
      const widest = wide.sort(([, one], [, other]) => other - one)[0];
      if (!widest) break;
      widths.set(widest[0], widest[1] - 1);
      excess -= 1;
    }
  }
  return widths;
}

/** Names and values below each other; a long value continues below itself, its words complete. */
export function drawFields(fields: Rows, { width = Infinity, styleTitle = String }: Look): string {
  const names = fields.map(([name = '']) => harmless(name));
  const longest = Math.min(Math.max(...names.map(textWidth)), Math.floor(width / 2));
  const lines = fields.flatMap(([, value = ''], index) => {
    const name = cutText(names[index] ?? '', longest);
    const label = styleTitle(name) + ' '.repeat(longest - textWidth(name));
    const text = harmless(value);
    const [first = '', ...more] = wrapText(text, width - longest - gap.length, {
      keepsWords: true,
    });
    return [label + gap + first, ...more.map((line) => ' '.repeat(longest) + gap + line)];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
