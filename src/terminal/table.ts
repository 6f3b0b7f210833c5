/** Tables for people: aligned columns without borders that fit the width of the screen. */
import CliTable from 'cli-table3';
import { cutText, textWidth, wrapText } from '../lib/wrap.js';
import { narrow, sum } from './column-widths.js';
import { MeasuredColumn } from './measured-column.js';
import { meaningOf } from './meaning.js';
import { oneLine, sanitise, type Style, withReadableAddresses } from './screen.js';
import type { Column, Rows } from './types.js';

interface TableOptions {
  /** The width of the screen. */
  readonly width?: number;
  readonly style?: Style;
}

/** Longer cells cannot be shown on any screen. */
const maxCharacters = 2000;
const harmless = (cell: string) =>
  withReadableAddresses(sanitise(oneLine(cell.slice(0, maxCharacters))));

const gap = '  ';

const unstyled: Style = (_, text) => text;

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
  { width = Infinity, style = unstyled }: TableOptions = {},
): (rows: Rows) => string {
  const measured = columns.map((column, index) => new MeasuredColumn(column, index));
  let chosen: Chosen | undefined;
  return (rows) => {
    const cells = rows.map((row) => row.map(harmless));
    for (const column of measured) column.measure(cells.map((row) => row[column.index] ?? ''));
    const isBegun = chosen !== undefined;
    chosen ??= fitting(
      measured.filter(({ shape, index }) => !shape.drop || cells.some((row) => row[index])),
      width,
    );
    const { columns: visible, hasUnits } = chosen;
    const widths = widthsOf(chosen, width);
    const layout = visible.map(({ shape: { title, align } }, nth) => ({
      align,
      width: widths[nth] ?? 0,
      look: (cell: string, drawn: string) => style(meaningOf(title, cell), drawn),
    }));
    const linesOf = (row: readonly string[]) =>
      visible.map((column, nth) => {
        const cell = column.shown(row[column.index] ?? '', hasUnits);
        const room = widths[nth] ?? 0;
        return column.shape.wraps ? wrapText(cell, room) : [cutText(cell, room)];
      });
    const head = isBegun ? [] : draw([linesOf(columns.map(({ title }) => title))], layout);
    const filled = cells.map(linesOf).filter((row) => row.some((lines) => lines.length > 0));
    const lines = [...head.map((line) => style('bold', line)), ...draw(filled, layout)];
    return lines.map((line) => `${line}\n`).join('');
  };
}

/** The columns that are drawn, and whether amounts have their unit. */
interface Chosen {
  readonly columns: readonly MeasuredColumn[];
  readonly hasUnits: boolean;
}

const roomFor = ({ columns }: Chosen, width: number) => width - gap.length * (columns.length - 1);

/** What fits when all are cut as far as they may be. RUB goes before an amount does. */
function fitting(columns: readonly MeasuredColumn[], width: number, hasUnits = true): Chosen {
  const chosen = { columns, hasUnits };
  const least = columns.map((column) => Math.min(column.natural(hasUnits), column.min));
  if (sum(least) <= roomFor(chosen, width)) return chosen;
  const ranks = columns.map(({ shape: { drop = 0 } }) => drop);
  const highest = Math.max(...ranks);
  const next = highest === 0 ? undefined : columns[ranks.lastIndexOf(highest)];
  const canShorten = hasUnits && columns.some(({ hasUnit }) => hasUnit);
  if (canShorten && (!next || next.hasUnit)) return fitting(columns, width, false);
  if (!next) return chosen;
  return fitting(
    columns.filter((column) => column !== next),
    width,
    hasUnits,
  );
}

/** Ids are cut first, then the widest column; words below their least, and numbers last of all. */
function widthsOf(chosen: Chosen, width: number): readonly number[] {
  const { columns, hasUnits } = chosen;
  const leasts: readonly ((column: MeasuredColumn) => number)[] = [
    ({ idMin }) => idMin,
    ({ min }) => min,
    ({ shape: { align }, idMin }) => (align === 'right' ? Infinity : Math.min(idMin, 6)),
    ({ shape: { align } }) => (align === 'right' ? Infinity : 1),
    () => 1,
  ];
  return leasts.reduce<readonly number[]>(
    (widths, leastOf) => {
      const least = columns.map(leastOf);
      return narrow(widths, roomFor(chosen, width), (index) => least[index] ?? Infinity);
    },
    columns.map((column) => column.natural(hasUnits)),
  );
}

/**
 * Names and values below each other. A long value continues below itself, its words complete, but
 * JSON is cut; a name that repeats is shown once.
 */
export function drawFields(
  fields: Rows,
  { width = Infinity, style = unstyled }: TableOptions = {},
): string {
  const names = fields.map(([name = '']) => harmless(name));
  const nameWidth = Math.min(Math.max(...names.map(textWidth)), Math.floor(width / 2));
  const room = width - nameWidth - gap.length;
  const rows = fields.map(([, value = ''], index) => {
    const isRepeated = index > 0 && names[index] === names[index - 1];
    const name = isRepeated ? '' : cutText(names[index] ?? '', nameWidth);
    const text = harmless(value);
    const isData = /^[[{]/.test(text);
    const lines = isData ? [cutText(text, room)] : wrapText(text, room, { keepsWords: true });
    return [[name], lines];
  });
  const layout: readonly ColumnLayout[] = [
    { width: nameWidth, look: (_, drawn) => style('bold', drawn) },
    { width: 1, look: (cell, drawn, [[name = ''] = []]) => style(meaningOf(name, cell), drawn) },
  ];
  return draw(rows, layout)
    .map((line) => `${line}\n`)
    .join('');
}

interface ColumnLayout {
  readonly width: number;
  readonly align?: 'left' | 'right';
  /** @param drawn what stands for the cell, as wide as it */
  readonly look?: (cell: string, drawn: string, row: Rows) => string;
}

/** About the rows of a screen: the work of the library grows faster than their number. */
const blockRows = 20;

/** @param rows the lines of each cell. */
function draw(rows: readonly Rows[], columns: readonly ColumnLayout[]): string[] {
  const starts = Array.from(
    { length: Math.ceil(rows.length / blockRows) },
    (_, n) => n * blockRows,
  );
  return starts.flatMap((start) => drawBlock(rows.slice(start, start + blockRows), columns));
}

function drawBlock(rows: readonly Rows[], columns: readonly ColumnLayout[]): string[] {
  const table = new CliTable({
    chars: { ...noBorders, middle: gap },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colWidths: columns.map(({ width }) => width),
    colAligns: columns.map(({ align = 'left' }) => align),
  });
  // The library measures letters as in 2007. In place of text that is not ASCII, or is wider than
  // its column, it gets a mark of the right width, which the text replaces in what it draws.
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
      for (const [index, { width, look }] of columns.entries()) {
        const text = row[index]?.[line];
        if (text === undefined) continue;
        const drawn = marked(text, width);
        cells[index]?.push(look ? look(text, drawn, row) : drawn);
      }
    }
    table.push(cells.map((lines) => lines.join('\n')));
  }
  let next = 0;
  const text = table.toString().replace(/\ue000\ue001*/g, () => texts[next++] ?? '');
  return text.split('\n').map((line) => line.trimEnd());
}
