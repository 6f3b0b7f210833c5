import { call } from '../../api/call.js';
import { usageBatches, usagePage, type UsageRange, type UsageRecord } from '../../api/billing.js';
import type { Client } from '../../api/client.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { getUsageByKey, getUsageRecord } from '../../contract/billing.js';
import { historyPage } from '../../contract/limits.js';
import { UsageError } from '../../errors.js';
import { csvRecord, type CsvValue } from '../../lib/table-files.js';
import { textOf } from '../../lib/json.js';
import { parseMoment } from '../../lib/moment.js';
import { formatRub } from '../../lib/amounts.js';
import { spelling } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { titles } from '../../terminal/types.js';
import { showFields, showList, withMaskedKeys } from '../fields.js';
import { writeJson, writeRows, type Pages } from '../listing.js';
import type * as declared from './index.js';

/** Shows one usage record (section 4.10). */
export const show: Handler<typeof declared.show> = async (context, { args: { id } }) => {
  const { data } = await call(await context.client(), getUsageRecord, { params: { id } });
  await showFields(context, data);
};

/** Shows what each key has used (section 4.10): whatever fields come. */
export const keys: Handler<typeof declared.keys> = async (context) => {
  const { data } = await call(await context.client(), getUsageByKey, {});
  await showList(context, withMaskedKeys(data), 'no usage of any key');
};

/** Lists usage records: one page, or every page as a stream. */
export const list: Handler<typeof declared.list> = async (context, { options }) => {
  const { flags, out, clock } = context;
  const { all, csv, page, limit } = options;
  const range = rangeFrom(options, clock.now());
  const client = await context.client();
  const one = all ? undefined : await usagePage(client, range, { page, limit });
  if (flags.json && one) return out.json(one);
  const pages = one ? [one.data] : everyPage(context, client, range, limit);
  if (csv) return writeCsv(out, pages);
  if (flags.json) return writeJson(context, pages, 'data', { after: (total) => ({ total }) });
  return writeRows(context, pages, { columns, row: rowOf, empty: 'no usage records' });
};

/** Says on stderr how far it is where that is not to be seen. */
async function* everyPage(
  { out }: Context,
  client: Client,
  range: UsageRange,
  limit: number = historyPage.max,
): AsyncGenerator<readonly UsageRecord[], void, undefined> {
  const spinner = out.isTerminal ? undefined : await out.spinner('asking for usage records');
  try {
    for await (const { records, given, total } of usageBatches(client, range, limit)) {
      yield records;
      const of = total === undefined ? '' : ` of ${String(total)}`;
      spinner?.update(`${String(given)}${of} usage records`);
    }
  } finally {
    spinner?.stop();
  }
}

/** @throws UsageError when one is no time, or they are the wrong way round. */
export function rangeFrom(
  { since, until }: { since?: string; until?: string },
  nowMs: number,
): UsageRange {
  const fromMs = momentOf('--since', since, nowMs, 'start');
  const untilMs = momentOf('--until', until, nowMs, 'end');
  if (fromMs !== undefined && untilMs !== undefined && fromMs > untilMs) {
    const told = [fromMs, untilMs].map((ms) => new Date(ms).toISOString());
    throw new UsageError(`--since is after --until: ${told.join(' and ')}`, {
      code: 'bad_range',
      hint: 'swap them',
    });
  }
  return { fromMs, untilMs };
}

function momentOf(
  flag: string,
  text: string | undefined,
  nowMs: number,
  edge: 'start' | 'end',
): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseMoment(text, nowMs, edge);
  if (ms !== undefined) return ms;
  throw new UsageError(`${flag} is no date or time: ${JSON.stringify(plainText(text, 60))}`, {
    code: 'bad_date',
    hint: 'write 7d, 24h, 2026-11-01, 2026-11 or 2026-11-01T10:00Z; days are those of UTC',
  });
}

const columns = titles('TIME', 'MODEL', '>IN', '>OUT', '>PRICE', 'ID');

function rowOf(record: UsageRecord): string[] {
  return [
    record.createdAt ?? '',
    record.model ?? '',
    record.promptTokens?.toString() ?? '',
    record.completionTokens?.toString() ?? '',
    typeof record.priceRub === 'number' ? formatRub(record.priceRub) : '',
    record.id,
  ];
}

/** The first line of --csv. The columns are the same for every service; new ones come at the end. */
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

/** The values below `csvTitles`; what no column is for is JSON in the last one. */
function csvValues(record: UsageRecord): CsvValue[] {
  const { createdAt, model, promptTokens, completionTokens, priceRub, id, ...others } = record;
  const left = new Map(Object.entries(others));
  // Section 2.10: how these two are spelt in a record is not shown.
  const take = (word: string): CsvValue => {
    const isOne = ([name, value]: [string, unknown]) =>
      spelling(name) === word && typeof value === 'string';
    const [name, value] = [...left].find(isOne) ?? [''];
    left.delete(name);
    return textOf(value);
  };
  const route = take('route') ?? take('publicroute');
  const addressAs = take('addressas');
  const other = left.size === 0 ? undefined : JSON.stringify(Object.fromEntries(left));
  return [createdAt, model, route, addressAs, promptTokens, completionTokens, priceRub, id, other];
}
