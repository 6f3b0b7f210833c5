import { call } from '../../api/call.js';
import { timesOf, usageBatches, usagePage, type UsageRecord } from '../../api/billing.js';
import type { Context, Handler } from '../../context.js';
import { getUsageByKey, getUsageRecord } from '../../contract/billing.js';
import { historyPage } from '../../contract/limits.js';
import { UsageError } from '../../errors.js';
import { sumRub } from '../../lib/amounts.js';
import { csvRecord, type CsvValue } from '../../lib/table-files.js';
import { textOf, toJson } from '../../lib/json.js';
import { calendarAt, dayMs, dayOf, timeZoneAt } from '../../lib/moment.js';
import { takeField } from '../../lib/names.js';
import { bar } from '../../lib/wrap.js';
import { titles } from '../../terminal/types.js';
import { countCell, distanceCell, rubCell, rubCellOf } from '../cells.js';
import { showFields, showList, withMaskedKeys } from '../fields.js';
import { listView, noteRest, writeList, type ListView, type Pages } from '../listing.js';
import { momentOf } from '../moment.js';
import { chartSums, defaultSince, keyUsageColumns } from './index.js';
import type * as declared from './index.js';

export const show: Handler<typeof declared.show> = async (context, { args: { id } }) => {
  const { data } = await call(await context.client(), getUsageRecord, { params: { id } });
  await showFields(context, data);
};

export const keys: Handler<typeof declared.keys> = async (context, { options: { limit } }) => {
  const { data } = await call(await context.client(), getUsageByKey, {});
  const how = { columns: keyUsageColumns, empty: 'no key has been used', limit };
  await showList(context, withMaskedKeys(data), how);
};

export const list: Handler<typeof declared.list> = async (context, { options }) => {
  const { flags, out, clock } = context;
  const { all, csv, page, limit } = options;
  const range = rangeFrom(options, clock.now());
  const client = await context.client();
  if (!all) {
    const reply = await usagePage(client, range, { page, limit });
    if (csv) return writeCsv(out, [reply.data]);
    await writeList(context, viewOf(context), { items: reply.data, json: reply });
    if (!flags.json) noteRest(context, reply.data.length, reply);
    return;
  }
  const batches = usageBatches(client, range, limit ?? historyPage.max);
  const pages = counting(out, batches, out.isTerminal ? undefined : 'reading');
  if (csv) return writeCsv(out, pages);
  await writeList(context, viewOf(context), { pages, name: 'data', after: (total) => ({ total }) });
};

/** Passes on the records while a spinner counts them. */
async function* counting(
  out: Context['out'],
  batches: ReturnType<typeof usageBatches>,
  doing?: string,
) {
  const spinner = doing === undefined ? undefined : await out.spinner(`${doing} usage records`);
  try {
    for await (const { records, count, total } of batches) {
      yield records;
      const of = total === undefined ? '' : ` of ${total}`;
      spinner?.update(`${doing} ${count}${of} usage records`);
    }
  } finally {
    spinner?.stop();
  }
}

/** @throws UsageError */
function rangeFrom({ since, until }: { since?: string; until?: string }, nowMs: number) {
  const fromMs = momentOf('--since', since, nowMs);
  const untilMs = momentOf('--until', until, nowMs, 'end');
  const range = { fromMs, untilMs };
  if ((fromMs ?? -Infinity) <= (untilMs ?? Infinity)) return range;
  const message = `--since is after --until: ${timesOf(range).join(' and ')}`;
  throw new UsageError(message, { code: 'bad_range', hint: 'swap them' });
}

function viewOf(context: Context): ListView<UsageRecord> {
  // Media has no tokens.
  const count = (tokens?: number | null) =>
    context.out.isTerminal && !tokens ? '' : countCell(context, tokens ?? undefined);
  return listView<UsageRecord>(
    [
      [
        { title: 'TIME', drop: 1 },
        ({ createdAt }) => distanceCell(context, createdAt ?? undefined),
      ],
      [{ title: 'MODEL', min: 16 }, ({ model }) => model],
      [{ title: '>IN', drop: 3 }, ({ promptTokens }) => count(promptTokens)],
      [{ title: '>OUT', drop: 2 }, ({ completionTokens }) => count(completionTokens)],
      ['>PRICE', (record) => rubCellOf(context, record, 'priceRub')],
      [{ title: 'ID', isId: true, drop: 4 }, ({ id }) => id],
    ],
    'no usage records',
  );
}

/** The first line of --csv: the same columns for every service; new ones are added at the end. */
const csvTitles =
  'createdAt,model,route,addressAs,promptTokens,completionTokens,priceRub,id,other'.split(',');

async function writeCsv(out: Context['out'], pages: Pages<UsageRecord>): Promise<void> {
  let lines = csvRecord(csvTitles);
  for await (const records of pages) {
    await out.text(lines + records.map((record) => csvRecord(csvValues(record))).join(''));
    lines = '';
  }
  if (lines !== '') await out.text(lines);
}

/** The values for `csvTitles`; fields without a column are JSON in the last one. */
function csvValues(record: UsageRecord): CsvValue[] {
  const { createdAt, model, promptTokens, completionTokens, priceRub, id, ...others } = record;
  const left = new Map(Object.entries(others));
  // Section 2.10: how these two are spelt in a record is not shown.
  const route = takeField(left, ['route', 'publicroute'], textOf);
  const addressAs = takeField(left, ['addressas'], textOf);
  const other = left.size === 0 ? undefined : toJson(Object.fromEntries(left));
  return [createdAt, model, route, addressAs, promptTokens, completionTokens, priceRub, id, other];
}

export const chart: Handler<typeof declared.chart> = async (context, { options }) => {
  const { flags, out, clock } = context;
  const { by = chartSums[0], since: begin = defaultSince, until: end, limit } = options;
  const nowMs = clock.now();
  const { fromMs = 0, untilMs } = rangeFrom({ since: begin, until: end }, nowMs);
  // Otherwise the first day would be incomplete and look like a day with little use.
  const isFromMidnight = by === 'day' && /^\s*\d+[dw]\s*$/.test(begin);
  const range = { fromMs: isFromMidnight ? calendarAt(fromMs).day.startMs : fromMs, untilMs };
  const client = await context.client();
  const sums = new Map<string, UsageSum>();
  let total = nothing;
  const batches = usageBatches(client, range, historyPage.max);
  for await (const records of counting(out, batches, 'adding up')) {
    for (const record of records) {
      const name = by === 'day' ? dayIn(record) : (record.model ?? unnamed);
      sums.set(name, plus(sums.get(name) ?? nothing, record));
      total = plus(total, record);
    }
  }
  const lastMs = Math.min(untilMs ?? nowMs, nowMs);
  const byCost = ([, one]: ChartRow, [, other]: ChartRow) =>
    other.priceRub - one.priceRub || other.calls - one.calls;
  const every: readonly ChartRow[] = by === 'day' ? byDay(sums, lastMs) : [...sums].sort(byCost);
  const rows = every.slice(0, limit);
  const timeZone = timeZoneAt(nowMs);
  if (flags.json) {
    const data = rows.map(([name, sum]) => ({ [by]: name, ...sumJson(sum) }));
    const [since = null, until = null] = timesOf(range);
    return out.json({ by, since, until, data, total: sumJson(total), timeZone });
  }
  if (rows.length === 0) out.note('no usage records');
  await showChart(context, by, rows, total);
  const isOfDays = out.isTerminal && by === 'day' && rows.length > 0;
  if (isOfDays) out.note(`days begin at midnight, ${timeZone}`);
};

/** Above this many days, only days with a record are shown. */
const maxDays = 4000;

const unnamed = 'unknown';

const nothing = { priceRub: 0, calls: 0, inputTokens: 0, outputTokens: 0 };
type UsageSum = Readonly<typeof nothing>;
type ChartRow = readonly [name: string, sum: UsageSum];

function plus(sum: UsageSum, record: UsageRecord): UsageSum {
  const priceRub = record.priceRub ?? 0;
  return {
    priceRub: sumRub([sum.priceRub, priceRub]),
    // A refund is not a call.
    calls: sum.calls + (priceRub < 0 ? 0 : 1),
    inputTokens: sum.inputTokens + (record.promptTokens ?? 0),
    outputTokens: sum.outputTokens + (record.completionTokens ?? 0),
  };
}

const sumJson = ({ priceRub, calls, ...usage }: UsageSum) => ({ calls, usage, cost: { priceRub } });

function dayIn({ createdAt }: UsageRecord): string {
  const day = dayOf(Date.parse(createdAt ?? ''));
  // Years that do not have four digits cannot be sorted as text.
  return /^\d{4}-/.test(day) ? day : unnamed;
}

/** Every day from the first with a record to `lastMs`, including days without records. */
function byDay(sums: ReadonlyMap<string, UsageSum>, lastMs: number): ChartRow[] {
  const named = [...sums.keys()].filter((name) => name !== unnamed).sort();
  const [first = ''] = named;
  const last = [dayOf(lastMs), named.at(-1) ?? ''].sort().at(-1) ?? '';
  const count = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
  const isShort = count <= maxDays;
  const dayAfter = (nth: number) => {
    const date = new Date(`${first}T00:00`);
    return dayOf(date.setDate(date.getDate() + nth));
  };
  // Where a zone left out a day, two of them are the same.
  const days = new Set(isShort ? Array.from({ length: count }, (_, nth) => dayAfter(nth)) : named);
  const odd = sums.has(unnamed) ? [unnamed] : [];
  return [...days, ...odd].map((day) => [day, sums.get(day) ?? nothing]);
}

function showChart(context: Context, by: string, rows: readonly ChartRow[], total: UsageSum) {
  const maxRub = rows.reduce((highest, [, { priceRub }]) => Math.max(highest, priceRub), 0);
  const columns = titles(
    { title: by.toUpperCase(), min: 10 },
    '>COST',
    { title: '', isDrawn: true, drop: 4 },
    { title: '>CALLS', drop: 1 },
    { title: '>IN', drop: 3 },
    { title: '>OUT', drop: 2 },
  );
  const { isTerminal } = context.out;
  const cellsOf = ([name, sum]: ChartRow, part = 0) => {
    const { priceRub, calls, inputTokens, outputTokens } = sum;
    if (isTerminal && calls + inputTokens + outputTokens + priceRub === 0) return [name];
    const counts = [calls, inputTokens, outputTokens].map((one) => countCell(context, one));
    return [name, rubCell(context, priceRub), bar(part, 24), ...counts];
  };
  const cells = rows.map((row) => cellsOf(row, row[1].priceRub / maxRub));
  const isSummed = isTerminal && rows.length > 0;
  return context.out.table(columns, [...cells, ...(isSummed ? [cellsOf(['total', total])] : [])]);
}
