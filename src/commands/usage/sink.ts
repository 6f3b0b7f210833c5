/** Where usage records go as they come: one piece of text for each page, none of it kept. */
import type { UsageBatch, UsageRecord } from '../../api/billing.js';
import type { Context } from '../../cli/context.js';
import { csvRecord } from '../../lib/table-files.js';
import { GrowingTable } from '../../terminal/table.js';
import { JsonList } from '../json-list.js';
import { columns, csvTitles, csvValues, rowOf } from './columns.js';

export interface Sink {
  /** Called at least once. @param isFirst nothing was written yet. */
  write(records: readonly UsageRecord[], isFirst: boolean): void | Promise<void>;
  /** @param given how many there were. */
  end(given: number): void | Promise<void>;
  /** No more will come, though there is more. */
  breakOff?(): void | Promise<void>;
}

export function sinkFor({ out, flags }: Context, { csv }: { csv?: boolean }): Sink {
  if (csv) return csvSink(out);
  return flags.json ? jsonSink(out) : rowSink(out);
}

/** Writes what comes, and says on stderr how far it is where that is not to be seen. */
export async function drain(
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

type Out = Context['out'];

function csvSink(out: Out): Sink {
  return {
    write: (records, isFirst) => {
      const titles = isFirst ? csvRecord(csvTitles) : '';
      return out.text(titles + records.map((one) => csvRecord(csvValues(one))).join(''));
    },
    end: () => undefined,
  };
}

/** One object of the shape that a single page has, so that the same reader takes both. */
function jsonSink(out: Out): Sink {
  const list = new JsonList(out, 'data');
  return {
    write: (records) => list.write(records),
    end: (given) => list.end({ total: given }),
    breakOff: () => list.breakOff(),
  };
}

function rowSink(out: Out): Sink {
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
