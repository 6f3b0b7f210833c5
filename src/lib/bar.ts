/** Bars of a chart in letters. */

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * A bar for a part from 0 to 1, at most `columns` wide; it ends in eighths of a letter. Anything
 * above nothing shows.
 */
export function bar(part: number, columns: number): string {
  if (!(part > 0)) return '';
  const length = Math.max(1, Math.round(Math.min(part, 1) * columns * 8));
  return '█'.repeat(Math.floor(length / 8)) + (eighths[length % 8] ?? '');
}
