/** Tables for people: aligned columns without borders, wide characters counted as two. */
import Table from 'cli-table3';
import { sanitise } from './sanitise.js';
import type { Column } from './types.js';

/** Draws rows under titles. Cells are untrusted text. */
export function drawTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const table = new Table({
    head: columns.map((column) => column.title),
    colAligns: columns.map((column) => column.align ?? 'left'),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
    chars: borderless,
  });
  for (const row of rows) table.push(row.map((cell) => sanitise(cell.replace(/[\t\r\n]+/g, ' '))));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const borderless = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
};
