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
  const sums = new Sums(by);
  const spinner = await out.spinner('adding up usage records');
  try {
    for await (const { records, given } of usageBatches(client, range, historyPage.max)) {
      sums.add(records);
      spinner.update(`adding up ${String(given)} usage records`);
    }
  } finally {
    spinner.stop();
  }
  const rows = by === 'day' ? sums.days(Math.min(range.untilMs ?? nowMs, nowMs)) : sums.byCost;
  if (flags.json) return out.json(chartJson(by, range, rows, sums.total));
  if (rows.length === 0) {
    out.note('no usage records');
  } else if (out.isTerminal) {
    await out.text(drawChart(by, rows, sums.total, out.columns));
  } else {
    await out.table(
      [],
      rows.map(([name, sum]) => [name, ...cells(sum)]),
    );
  }
};

/** Half a day as the first would look like one on which little was done. */
function fromMidnight({ fromMs = 0, untilMs }: UsageRange): UsageRange {
  return { fromMs: fromMs - (fromMs % 86_400_000), untilMs };
}

/** Cost, calls, tokens in and out. */
function cells({ priceRub, calls, promptTokens, completionTokens }: Sum): string[] {
  return [formatRub(priceRub), ...[calls, promptTokens, completionTokens].map(String)];
}

function chartJson(
  by: 'day' | 'model',
  { fromMs, untilMs }: UsageRange,
  rows: readonly [string, Sum][],
  total: Sum,
) {
  const [since, until] = [fromMs, untilMs].map((ms) =>
    ms === undefined ? null : new Date(ms).toISOString(),
  );
  return { by, since, until, data: rows.map(([name, sum]) => ({ [by]: name, ...sum })), total };
}

interface Sum {
  readonly priceRub: number;
  /** Records that give money back are no calls. */
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

type Grouping = 'day' | 'model';

const nothing: Sum = { priceRub: 0, calls: 0, promptTokens: 0, completionTokens: 0 };

/** What a record without a time, or without a model, is counted under. */
const unnamed = 'unknown';

const dayMs = 86_400_000;
const mostDays = 4000;

class Sums {
  readonly #groups = new Map<string, Sum>();
  #total = nothing;

  constructor(private readonly by: Grouping) {}

  add(records: readonly UsageRecord[]): void {
    for (const record of records) {
      const name = this.by === 'day' ? dayIn(record) : (record.model ?? unnamed);
      this.#groups.set(name, plus(this.#groups.get(name) ?? nothing, record));
      this.#total = plus(this.#total, record);
    }
  }

  get total(): Sum {
    return rounded(this.#total);
  }

  /** By cost, the dearest first. */
  get byCost(): [string, Sum][] {
    return [...this.#groups]
      .map(([name, sum]): [string, Sum] => [name, rounded(sum)])
      .sort(([, one], [, other]) => other.priceRub - one.priceRub || other.calls - one.calls);
  }

  /**
   * Every day from the first with a record to `lastMs`: one without any says something too, but
   * where that would be years of them.
   */
  days(lastMs: number): [string, Sum][] {
    const named = [...this.#groups.keys()].filter((name) => name !== unnamed).sort();
    const lastNamed = named.at(-1) ?? '';
    const last = [dayOf(lastMs), lastNamed].sort().at(-1) ?? '';
    const days = daysBetween(named[0] ?? '', last) ?? named;
    const odd = this.#groups.has(unnamed) ? [unnamed] : [];
    return [...days, ...odd].map((day) => [day, rounded(this.#groups.get(day) ?? nothing)]);
  }
}

function plus(sum: Sum, record: UsageRecord): Sum {
  const priceRub = record.priceRub ?? 0;
  return {
    priceRub: sum.priceRub + priceRub,
    calls: sum.calls + (priceRub < 0 ? 0 : 1),
    promptTokens: sum.promptTokens + (record.promptTokens ?? 0),
    completionTokens: sum.completionTokens + (record.completionTokens ?? 0),
  };
}

/** Adding thousands of prices leaves crumbs far behind the point. */
function rounded(sum: Sum): Sum {
  return { ...sum, priceRub: Math.round(sum.priceRub * 1e9) / 1e9 };
}

function dayIn({ createdAt }: UsageRecord): string {
  const ms = Date.parse(createdAt ?? '');
  const day = Number.isNaN(ms) ? unnamed : dayOf(ms);
  // Years of other than four digits are no days that can be written, or put in order.
  return /^\d{4}-\d\d-\d\d$/.test(day) ? day : unnamed;
}

/** Undefined when there are more than anybody looks at. */
function daysBetween(first: string, last: string): string[] | undefined {
  const [firstMs, lastMs] = [first, last].map((day) => Date.parse(`${day}T00:00:00Z`));
  if (firstMs === undefined || lastMs === undefined) return undefined;
  const count = (lastMs - firstMs) / dayMs + 1;
  if (!(count <= mostDays)) return undefined;
  return Array.from({ length: count }, (_unused, nth) => dayOf(firstMs + nth * dayMs));
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
function drawChart(
  by: Grouping,
  rows: readonly (readonly [string, Sum])[],
  total: Sum,
  columns: number,
): string {
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
