/** Draws the chart of usage: for each row its cost, calls and tokens, each with a bar. */
import { bar, textWidth } from '../../lib/wrap.js';
import { formatRub } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import type { Grouping, Sum } from './sums.js';

export interface Chart {
  readonly by: Grouping;
  readonly rows: readonly (readonly [string, Sum])[];
  readonly total: Sum;
  /** Of the screen. */
  readonly columns: number;
}

interface Measure {
  readonly title: string;
  readonly of: (sum: Sum) => number;
  readonly text: (sum: Sum) => string;
}

const measures: readonly Measure[] = [
  { title: 'COST', of: ({ priceRub }) => priceRub, text: ({ priceRub }) => formatRub(priceRub) },
  { title: 'CALLS', of: ({ calls }) => calls, text: ({ calls }) => String(calls) },
  { title: 'TOKENS', of: tokens, text: (sum) => String(tokens(sum)) },
];

function tokens({ promptTokens, completionTokens }: Sum): number {
  return promptTokens + completionTokens;
}

const nameColumns = 32;
const gap = '  ';
const widestBar = 24;
/** A narrower bar tells nothing. */
const narrowestBar = 4;

/** Lines of text, the titles first and the totals last. */
export function drawChart({ by, rows, total, columns }: Chart): string {
  const names = [by.toUpperCase(), ...rows.map(([name]) => plainText(name, nameColumns)), 'total'];
  const sums = rows.map(([, sum]) => sum);
  const texts = measures.map(({ title, text }) => [title, ...[...sums, total].map(text)]);
  const bars = barsFor(columns, [names, ...texts].map(widest));
  const drawn = texts.map((cells, index) => {
    const numbers = aligned(cells, 'right');
    const columnsOfBar = bars[index] ?? 0;
    const measure = measures[index];
    if (columnsOfBar === 0 || !measure) return numbers;
    const most = sums.reduce((so, sum) => Math.max(so, measure.of(sum)), 0);
    // A title and the total have no bar.
    const drawnBars = ['', ...sums.map((sum) => bar(measure.of(sum) / most, columnsOfBar)), ''];
    const padded = aligned(drawnBars, 'left', columnsOfBar);
    return numbers.map((number, row) => `${number} ${padded[row] ?? ''}`);
  });
  const columnsDrawn = [aligned(names, 'left'), ...drawn];
  return names
    .map((_name, row) => columnsDrawn.map((cells) => cells[row] ?? '').join(gap))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** How wide the bars of each measure may be; on a narrow screen the cost alone has one, or none. */
function barsFor(columns: number, widths: readonly number[]): number[] {
  const taken = widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);
  for (const count of [measures.length, 1]) {
    const each = Math.floor((columns - 1 - taken - count) / count);
    if (each >= narrowestBar) {
      return measures.map((_one, index) => (index < count ? Math.min(each, widestBar) : 0));
    }
  }
  return measures.map(() => 0);
}

function widest(texts: readonly string[]): number {
  // As arguments of one call, a great many would not fit.
  return texts.reduce((so, text) => Math.max(so, textWidth(text)), 0);
}

function aligned(
  texts: readonly string[],
  side: 'left' | 'right',
  width = widest(texts),
): string[] {
  return texts.map((text) => {
    const blank = ' '.repeat(Math.max(0, width - textWidth(text)));
    return side === 'right' ? blank + text : text + blank;
  });
}
