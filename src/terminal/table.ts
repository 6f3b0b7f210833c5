/** Tables for people: aligned columns without borders that fit the width of the screen. */
import { cutText, textWidth, wrapText } from '../lib/wrap.js';
import { oneLine, sanitise } from './screen.js';
import type { Column, Rows } from './types.js';

interface Look {
  /** The width of the screen. */
  readonly width?: number;
  readonly styleTitle?: (title: string) => string;
}

/** Longer cells cannot be shown on any screen. */
const mostCharacters = 2000;
const harmless = (cell: string) => sanitise(oneLine(cell.slice(0, mostCharacters)));

const gap = '  ';

/**
 * Draws rows as they arrive, below the titles the first time. Columns become wider; one that the
 * first rows leave empty is left out if it may be.
 */
export function growingTable(
  columns: readonly Column[],
  { width = Infinity, styleTitle = String }: Look = {},
): (rows: Rows) => string {
  const natural = new Map(columns.map((column) => [column, textWidth(column.title)]));
  let kept: readonly Column[] | undefined;
  return (rows) => {
    const cells = rows.map((row) => row.map(harmless));
    for (const [index, column] of columns.entries()) {
      for (const row of cells) {
        natural.set(column, Math.max(natural.get(column) ?? 0, textWidth(row[index] ?? '')));
      }
    }
    const isBegun = kept !== undefined;
    const isFilled = ({ drop }: Column, index: number) => !drop || cells.some((row) => row[index]);
    kept ??= keptIn(columns.filter(isFilled), natural, width);
    const widths = widthsOf(kept, natural, width);
    const linesOf = (row: readonly string[]) => {
      const parts = [...widths].map(([column, room]) => {
        const cell = row[columns.indexOf(column)] ?? '';
        return column.wraps ? wrapText(cell, room) : [cutText(cell, room)];
      });
      const height = Math.max(...parts.map((lines) => lines.length));
      return Array.from({ length: height }, (_, nth) => {
        const line = [...widths].map(([{ align }, room], index) => {
          const text = parts[index]?.[nth] ?? '';
          // A letter may be wider than its column.
          const blank = ' '.repeat(Math.max(0, room - textWidth(text)));
          return align === 'right' ? blank + text : text + blank;
        });
        return line.join(gap).trimEnd();
      });
    };
    const head = isBegun ? [] : linesOf(columns.map(({ title }) => title)).map(styleTitle);
    return [...head, ...cells.flatMap(linesOf)].map((line) => `${line}\n`).join('');
  };
}

type Widths = ReadonlyMap<Column, number>;

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
const gapsOf = (columns: readonly Column[]) => gap.length * (columns.length - 1);

/** The columns that fit when all are cut as far as they may be. */
function keptIn(columns: readonly Column[], natural: Widths, width: number) {
  let kept = columns;
  for (;;) {
    const least = kept.map((one) => Math.min(natural.get(one) ?? 0, one.min ?? Infinity));
    if (sum(least) + gapsOf(kept) <= width) return kept;
    const ranks = kept.map(({ drop = 0 }) => drop);
    const highest = Math.max(...ranks);
    if (highest === 0) return kept;
    kept = kept.filter((_, index) => index !== ranks.lastIndexOf(highest));
  }
}

/** The width of each column: the widest is cut first; below `min`, the first column is cut last. */
function widthsOf(columns: readonly Column[], natural: Widths, width: number): Widths {
  const widths = new Map(columns.map((column) => [column, natural.get(column) ?? 0]));
  const minOf = ({ min = Infinity }: Column) => min;
  const sparingTheFirst = (column: Column) => (column === columns[0] ? minOf(column) : 6);
  const leastOf = [minOf, sparingTheFirst, () => 1];
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

/**
 * Names and values below each other. A long value continues below itself, its words complete, but
 * JSON is cut; a name that repeats is shown once.
 */
export function drawFields(
  fields: Rows,
  { width = Infinity, styleTitle = String }: Look = {},
): string {
  const names = fields.map(([name = '']) => harmless(name));
  const longest = Math.min(Math.max(...names.map(textWidth)), Math.floor(width / 2));
  const lines = fields.flatMap(([, value = ''], index) => {
    const isRepeated = index > 0 && names[index] === names[index - 1];
    const name = isRepeated ? '' : cutText(names[index] ?? '', longest);
    const label = styleTitle(name) + ' '.repeat(longest - textWidth(name));
    const text = harmless(value);
    const room = width - longest - gap.length;
    const isData = /^[[{]/.test(text);
    const lines = isData ? [cutText(text, room)] : wrapText(text, room, { keepsWords: true });
    const [first = '', ...more] = lines;
    return [label + gap + first, ...more.map((line) => ' '.repeat(longest) + gap + line)];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
