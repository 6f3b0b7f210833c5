/** Tables for people: aligned columns without borders that fit the width of the screen. */
import Table from 'cli-table3';
import { cutText, textWidth, wrapText } from '../lib/wrap.js';
import { oneLine, sanitise } from './screen.js';
import type { Column, Rows } from './types.js';

interface Look {
  /** The width of the screen. */
  readonly width?: number;
  readonly styleTitle?: (title: string) => string;
}

/** Longer cells cannot be shown on any screen. */
const maxCharacters = 2000;
const harmless = (cell: string) => sanitise(oneLine(cell.slice(0, maxCharacters)));

const gap = '  ';

const noBorders = Object.fromEntries(
  ['top', 'mid', 'bottom', 'left', 'right'].flatMap((edge) =>
    ['', '-left', '-mid', '-right'].map((end) => [edge + end, '']),
  ),
);

/**
 * Draws rows as they arrive, below the titles the first time. Columns become wider; one that the
 * first rows leave empty is left out if it may be.
 */
export function growingTable(
  columns: readonly Column[],
  { width = Infinity, styleTitle = String }: Look = {},
): (rows: Rows) => string {
  const natural = new Map(columns.map((column) => [column, textWidth(column.title)]));
  let shown: readonly Column[] | undefined;
  return (rows) => {
    const cells = rows.map((row) => row.map(harmless));
    for (const [index, column] of columns.entries()) {
      for (const row of cells) {
        natural.set(column, Math.max(natural.get(column) ?? 0, textWidth(row[index] ?? '')));
      }
    }
    const isBegun = shown !== undefined;
    const isFilled = ({ drop }: Column, index: number) => !drop || cells.some((row) => row[index]);
    shown ??= fitting(columns.filter(isFilled), natural, width);
    const widths = widthsOf(shown, natural, width);
    const linesOf = (row: readonly string[]) =>
      [...widths].map(([column, room]) => {
        const cell = row[columns.indexOf(column)] ?? '';
        return column.wraps ? wrapText(cell, room) : [cutText(cell, room)];
      });
    const layout = [...widths].map(([{ align = 'left' }, room]) => ({ align, width: room }));
    const head = isBegun ? [] : draw([linesOf(columns.map(({ title }) => title))], layout);
    const filled = cells.map(linesOf).filter((row) => row.some((lines) => lines.length > 0));
    const lines = [...head.map(styleTitle), ...draw(filled, layout)];
    return lines.map((line) => `${line}\n`).join('');
  };
}

type Widths = ReadonlyMap<Column, number>;

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
const gapsOf = (columns: readonly Column[]) => gap.length * (columns.length - 1);

/** The columns that fit when all are cut as far as they may be. */
function fitting(columns: readonly Column[], natural: Widths, width: number) {
  let left = columns;
  for (;;) {
    const least = left.map((one) => Math.min(natural.get(one) ?? 0, one.min ?? Infinity));
    if (sum(least) + gapsOf(left) <= width) return left;
    const ranks = left.map(({ drop = 0 }) => drop);
    const highest = Math.max(...ranks);
    if (highest === 0) return left;
    left = left.filter((_, index) => index !== ranks.lastIndexOf(highest));
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
  const room = width - longest - gap.length;
  const rows = fields.map(([, value = ''], index) => {
    const isRepeated = index > 0 && names[index] === names[index - 1];
    const name = isRepeated ? '' : cutText(names[index] ?? '', longest);
    const text = harmless(value);
    const isData = /^[[{]/.test(text);
    const lines = isData ? [cutText(text, room)] : wrapText(text, room, { keepsWords: true });
    return [[name], lines];
  });
  const layout = [{ width: longest, style: styleTitle }, { width: 1 }];
  return draw(rows, layout)
    .map((line) => `${line}\n`)
    .join('');
}

interface ColumnLayout {
  readonly width: number;
  readonly align?: 'left' | 'right';
  readonly style?: (text: string) => string;
}

/** About the rows of a screen: the work of the library grows faster than their number. */
const blockRows = 20;

/** @param rows the lines of each cell. */
function draw(rows: readonly Rows[], columns: readonly ColumnLayout[]): string[] {
  const drawn: string[] = [];
  for (let start = 0; start < rows.length; start += blockRows) {
    drawn.push(...drawBlock(rows.slice(start, start + blockRows), columns));
  }
  return drawn;
}

function drawBlock(rows: readonly Rows[], columns: readonly ColumnLayout[]): string[] {
  const table = new Table({
    chars: { ...noBorders, middle: gap },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colWidths: columns.map(({ width }) => width),
    colAligns: columns.map(({ align = 'left' }) => align),
  });
  // The library measures a letter as it was in 2007: in place of what is not ASCII, or is wider
  // than its column, it gets a mark of the right width.
  const texts: string[] = [];
  const marked = (text: string, width: number) => {
    const room = Math.min(width, textWidth(text));
    if (room === 0 || (/^[ -~]*$/.test(text) && text.length <= width)) return text;
    texts.push(text);
    return `\ue000${'\ue001'.repeat(room - 1)}`;
  };
  for (const row of rows) {
    const cells = columns.map((): string[] => []);
    // Line by line, as they are drawn.
    for (let line = 0; row.some((lines) => line < lines.length); line += 1) {
      for (const [index, { width, style = String }] of columns.entries()) {
        const text = row[index]?.[line];
        if (text !== undefined) cells[index]?.push(style(marked(text, width)));
      }
    }
    table.push(cells.map((lines) => lines.join('\n')));
  }
  let next = 0;
  const text = table.toString().replace(/\ue000\ue001*/g, () => texts[next++] ?? '');
  return text.split('\n').map((line) => line.trimEnd());
}
