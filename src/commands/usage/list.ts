import { call } from '../../api/call.js';
import {
  usageBatches,
  usagePage,
  type UsageBatch,
  type UsageRange,
  type UsageRecord,
} from '../../api/billing.js';
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
import { GrowingTable } from '../../terminal/table.js';
import { titles } from '../../terminal/types.js';
import { showFields, showList, withMaskedKeys, JsonList } from '../fields.js';
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
  const sink = csv ? csvSink(out) : flags.json ? jsonSink(out) : rowSink(out);
  if (all) return drain(context, usageBatches(client, range, limit ?? historyPage.max), sink);
  const data = await usagePage(client, range, { page, limit });
  if (flags.json) return out.json(data);
  await sink.write(data.data, true);
  await sink.end(data.data.length);
};

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

interface Sink {
  /** Called at least once. @param isFirst nothing was written yet. */
  write(records: readonly UsageRecord[], isFirst: boolean): void | Promise<void>;
  /** @param given how many there were. */
  end(given: number): void | Promise<void>;
  /** No more will come, though there is more. */
  breakOff?(): void | Promise<void>;
}

/** Writes what comes, and says on stderr how far it is where that is not to be seen. */
async function drain(
  { out, signal }: Context,
  batches: AsyncIterable<UsageBatch>,
  sink: Sink,
): Promise<void> {
  const spinner = out.isTerminal ? undefined : await out.spinner('asking for usage records');
  let count = 0;
  try {
    let isFirst = true;
    for await (const { records, given, total } of batches) {
      await sink.write(records, isFirst);
      isFirst = false;
      count = given;
      const of = total === undefined ? '' : ` of ${String(total)}`;
      spinner?.update(`${String(given)}${of} usage records`);
    }
    if (isFirst) await sink.write([], true);
  } catch (error) {
    spinner?.stop();
    // Whoever waits for no more, or reads no more, is not made to.
    if (!signal.aborted) await sink.breakOff?.();
    throw error;
  }
  spinner?.stop();
  await sink.end(count);
}

function csvSink(out: Context['out']): Sink {
  return {
    write: (records, isFirst) => {
      const titles = isFirst ? csvRecord(csvTitles) : '';
      return out.text(titles + records.map((one) => csvRecord(csvValues(one))).join(''));
    },
    end: () => undefined,
  };
}

/** One object of the shape that a single page has, so that the same reader takes both. */
function jsonSink(out: Context['out']): Sink {
  const list = new JsonList(out, 'data');
  return {
    write: (records) => list.write(records),
    end: (given) => list.end({ total: given }),
    breakOff: () => list.breakOff(),
  };
}

function rowSink(out: Context['out']): Sink {
  const table = new GrowingTable(columns);
  return {
    write: (records) => {
      if (records.length === 0) return;
      const rows = records.map(rowOf);
      return out.isTerminal ? out.text(table.draw(rows)) : out.table(columns, rows);
    },
    end: (given) => {
      if (given === 0) out.note('no usage records');
    },
  };
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
const csvTitles = [
  'createdAt',
  'model',
  'route',
  'addressAs',
  'promptTokens',
  'completionTokens',
  'priceRub',
  'id',
  'other',
] as const;

const known: ReadonlySet<string> = new Set([
  'createdAt',
  'model',
  'promptTokens',
  'completionTokens',
  'priceRub',
  'id',
]);

/** The values below `csvTitles`; what no column is for is JSON in the last one. */
function csvValues(record: UsageRecord): CsvValue[] {
  const left = Object.entries(record).filter(([name]) => !known.has(name));
  // Section 2.10: how these two are spelt in a record is not shown.
  const take = (word: string): CsvValue => {
    const at = left.findIndex(([name, value]) => spelling(name) === word && isText(value));
    const [found] = at === -1 ? [] : left.splice(at, 1);
    return found && textOf(found[1]);
  };
  return [
    record.createdAt,
    record.model,
    take('route') ?? take('publicroute'),
    take('addressas'),
    record.promptTokens,
    record.completionTokens,
    record.priceRub,
    record.id,
    left.length === 0 ? undefined : JSON.stringify(Object.fromEntries(left)),
  ];
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
