/** Where usage records go as they come: one piece of text for each page, none of it kept. */
import type { UsageBatch, UsageRecord } from '../../api/billing.js';
import type { Context } from '../../cli/context.js';
import { csvRecord } from '../../lib/csv.js';
import { GrowingTable } from '../../terminal/growing-table.js';
import { sanitiseJson } from '../../terminal/sanitise.js';
import { columns, csvTitles, csvValues, rowOf } from './columns.js';

export interface Sink {
  /** Called at least once. @param isFirst nothing was written yet. */
  write(records: readonly UsageRecord[], isFirst: boolean): void | Promise<void>;
  /** @param given how many there were. */
  end(given: number): void | Promise<void>;
}

export function sinkFor({ out, flags }: Context, { csv }: { csv?: boolean }): Sink {
  if (csv) return csvSink(out);
  return flags.json ? jsonSink(out) : rowSink(out);
}

/** Writes what comes, and says on stderr how far it is where that is not to be seen. */
export async function drain(
  { out }: Context,
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
  } finally {
    spinner?.stop();
  }
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
  return {
    write: (records, isFirst) => {
      const lines = records.map((record) => `    ${JSON.stringify(record)}`).join(',\n');
      const text = `${isFirst ? '{\n  "data": [\n' : ',\n'}${lines}`;
      // Escaped, so that it is the same value on a terminal.
      return out.text(out.isTerminal ? sanitiseJson(text) : text);
    },
    end: (given) => out.text(`${given > 0 ? '\n' : ''}  ],\n  "total": ${String(given)}\n}\n`),
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
