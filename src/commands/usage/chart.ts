import { usageBatches, type UsageRange } from '../../api/billing.js';
import type { Handler } from '../../cli/declaration.js';
import { historyPage } from '../../contract/limits.js';
import { formatRub } from '../../lib/amounts.js';
import { drawChart } from './draw.js';
import { chartSums, defaultSince, type chart } from './index.js';
import { rangeFrom } from './range.js';
import { Sums, type Sum } from './sums.js';

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
  if (flags.json) {
    await out.json(chartJson(by, range, rows, sums.total));
    return;
  }
  if (rows.length === 0) {
    out.note('no usage records');
  } else if (out.isTerminal) {
    await out.text(drawChart({ by, rows, total: sums.total, columns: out.columns }));
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
