import { usageBatches, type UsageRange, type UsageRecord } from '../../api/billing.js';
import type { Handler } from '../../cli/declaration.js';
import { historyPage } from '../../contract/limits.js';
import { bar, textWidth } from '../../lib/wrap.js';
import { dayOf } from '../../lib/moment.js';
import { formatRub } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import { chartSums, defaultSince, type chart } from './index.js';
import { rangeFrom } from './list.js';

/** Shows what was charged, by day or by model: bars for people, columns for a pipe. */
export const run: Handler<typeof chart> = async (context, { options }) => {
  const { flags, out, clock } = context;
  const { by = chartSums[0], since = defaultSince, until } = options;
  const nowMs = clock.now();
  const asked = rangeFrom({ since, until }, nowMs);
  const range = by === 'day' && /^\s*\d+[dw]\s*$/.test(since) ? fromMidnight(asked) : asked;
  const client = await context.client();
  const sums = new Map<string, Sum>();
  let total = nothing;
  const spinner = await out.spinner('adding up usage records');
  try {
    for await (const { records, given } of usageBatches(client, range, historyPage.max)) {
      for (const record of records) {
        const name = by === 'day' ? dayIn(record) : (record.model ?? unnamed);
        sums.set(name, plus(sums.get(name) ?? nothing, record));
        total = plus(total, record);
      }
      spinner.update(`adding up ${String(given)} usage records`);
    }
  } finally {
    spinner.stop();
  }
  const lastMs = Math.min(range.untilMs ?? nowMs, nowMs);
  const rows: readonly Row[] = by === 'day' ? byDay(sums, lastMs) : [...sums].sort(byCost);
  if (flags.json) {
    const data = rows.map(([name, sum]) => ({ [by]: name, ...sum }));
    return out.json({ by, since: isoOf(range.fromMs), until: isoOf(range.untilMs), data, total });
  }
  if (rows.length === 0) out.note('no usage records');
  else if (out.isTerminal) await out.text(drawChart(by, rows, total, out.columns));
  else await out.table([], rows.map(cells));
};

/** Name, cost, calls, tokens in and out. */
function cells([name, { priceRub, calls, promptTokens, completionTokens }]: Row): string[] {
  return [name, formatRub(priceRub), ...[calls, promptTokens, completionTokens].map(String)];
}

/** Half a day as the first would look like one on which little was done. */
function fromMidnight({ fromMs = 0, untilMs }: UsageRange): UsageRange {
  return { fromMs: fromMs - (fromMs % dayMs), untilMs };
}

const dayMs = 86_400_000;
/** Of more days than anybody looks at, only those with a record are shown. */
const mostDays = 4000;

/** What a record without a time, or without a model, is counted under. */
const unnamed = 'unknown';

const nothing = { priceRub: 0, calls: 0, promptTokens: 0, completionTokens: 0 };
type Sum = Readonly<typeof nothing>;
type Row = readonly [name: string, sum: Sum];

function plus(sum: Sum, record: UsageRecord): Sum {
  const priceRub = record.priceRub ?? 0;
  return {
    // Adding thousands of prices leaves crumbs far behind the point.
    priceRub: Math.round((sum.priceRub + priceRub) * 1e9) / 1e9,
    // Records that give money back are no calls.
    calls: sum.calls + (priceRub < 0 ? 0 : 1),
    promptTokens: sum.promptTokens + (record.promptTokens ?? 0),
    completionTokens: sum.completionTokens + (record.completionTokens ?? 0),
  };
}

function dayIn({ createdAt }: UsageRecord): string {
  const ms = Date.parse(createdAt ?? '');
  const day = Number.isNaN(ms) ? unnamed : dayOf(ms);
  // Years of other than four digits are no days that can be written, or put in order.
  return /^\d{4}-\d\d-\d\d$/.test(day) ? day : unnamed;
}

/** The dearest first. */
function byCost([, one]: Row, [, other]: Row): number {
  return other.priceRub - one.priceRub || other.calls - one.calls;
}

/** Every day from the first with a record to `lastMs`: one without any says something too. */
function byDay(sums: ReadonlyMap<string, Sum>, lastMs: number): Row[] {
  const named = [...sums.keys()].filter((name) => name !== unnamed).sort();
  const [first = ''] = named;
  const last = [dayOf(lastMs), named.at(-1) ?? ''].sort().at(-1) ?? '';
  const firstMs = Date.parse(first);
  const count = (Date.parse(last) - firstMs) / dayMs + 1;
  const days =
    count <= mostDays
      ? Array.from({ length: count }, (_unused, nth) => dayOf(firstMs + nth * dayMs))
      : named;
  const odd = sums.has(unnamed) ? [unnamed] : [];
  return [...days, ...odd].map((day) => [day, sums.get(day) ?? nothing]);
}

function isoOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

const tokens = ({ promptTokens, completionTokens }: Sum) => promptTokens + completionTokens;

const measures: readonly {
  readonly title: string;
  readonly of: (sum: Sum) => number;
  readonly text: (sum: Sum) => string;
}[] = [
  { title: 'COST', of: ({ priceRub }) => priceRub, text: ({ priceRub }) => formatRub(priceRub) },
  { title: 'CALLS', of: ({ calls }) => calls, text: ({ calls }) => String(calls) },
  { title: 'TOKENS', of: tokens, text: (sum) => String(tokens(sum)) },
];

const nameColumns = 32;
const gap = '  ';

/** Lines of text, the titles first and the totals last. */
function drawChart(by: string, rows: readonly Row[], total: Sum, columns: number): string {
  const names = [by.toUpperCase(), ...rows.map(([name]) => plainText(name, nameColumns)), 'total'];
  const sums = rows.map(([, sum]) => sum);
  const numbers = measures.map(({ title, text }) => [title, ...[...sums, total].map(text)]);
  const widths = [names, ...numbers].map(widest);
  const bars = barWidths(columns, widths);
  const drawn = measures.map(({ of }, index) => {
    const most = sums.reduce((so, sum) => Math.max(so, of(sum)), 0);
    const columnsOfBar = bars[index] ?? 0;
    return (numbers[index] ?? []).map((number, row) => {
      const padded = number.padStart(widths[index + 1] ?? 0);
      if (columnsOfBar === 0) return padded;
      // The title and the total have no bar.
      const part = of(sums[row - 1] ?? nothing) / most;
      return `${padded} ${bar(part, columnsOfBar).padEnd(columnsOfBar)}`;
    });
  });
  return names
    .map((name, row) => {
      const blank = ' '.repeat((widths[0] ?? 0) - textWidth(name));
      return `${[name + blank, ...drawn.map((cells) => cells[row] ?? '')].join(gap).trimEnd()}\n`;
    })
    .join('');
}

const widestBar = 24;
/** A narrower bar tells nothing. */
const narrowestBar = 4;

/** How wide the bars of each measure may be; on a narrow screen the cost alone has one, or none. */
function barWidths(columns: number, widths: readonly number[]): number[] {
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
