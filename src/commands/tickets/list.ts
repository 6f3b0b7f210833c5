import { allTickets, ticketPage, type Ticket } from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { tickets as limits } from '../../contract/limits.js';
import { GrowingTable } from '../../terminal/growing-table.js';
import { sanitiseJson } from '../../terminal/sanitise.js';
import type { Column } from '../../terminal/types.js';
import { sayer } from '../jobs/sayer.js';
import { tellsWaits } from '../waiting.js';
import type { list } from './index.js';
import { momentWords } from './thread.js';

/** Lists tickets: one page, or every page as a stream. */
export const run: Handler<typeof list> = async (context, { options }) => {
  const { flags, out } = context;
  const { all, limit, status } = options;
  const client = tellsWaits(context, await context.client());
  const sink = flags.json && all ? jsonSink(out) : rowSink(out);
  if (all) {
    for await (const ticket of allTickets(client, { status, limit: limit ?? limits.list.max })) {
      await sink.write(ticket);
    }
    await sink.end();
    return;
  }
  const page = await ticketPage(client, { status, limit });
  if (flags.json) {
    await out.json(page);
    return;
  }
  for (const ticket of page.data) await sink.write(ticket);
  await sink.end();
  if (page.hasMore) sayer(context)('there are more: svc tickets list --all');
};

interface Sink {
  write(ticket: Ticket): void | Promise<void>;
  end(): void | Promise<void>;
}

/** The subject last: it may be long, and whatever its letters are as wide as, nothing follows it. */
const columns: readonly Column[] = [
  { title: 'ID' },
  { title: 'STATUS' },
  { title: 'CATEGORY' },
  { title: 'CHANGED' },
  { title: 'SUBJECT' },
];

function rowOf(ticket: Ticket, moment: (text: string | null | undefined) => string): string[] {
  const { id, status, category, updatedAt, createdAt, subject } = ticket;
  return [id, status ?? '', category ?? '', moment(updatedAt ?? createdAt), subject ?? ''];
}

function rowSink(out: Context['out']): Sink {
  const table = new GrowingTable(columns);
  let count = 0;
  return {
    write: (ticket) => {
      count += 1;
      return out.isTerminal
        ? out.text(table.draw([rowOf(ticket, momentWords)]))
        : out.table(columns, [rowOf(ticket, (text) => text ?? '')]);
    },
    end: () => {
      if (count === 0) out.note('no tickets');
    },
  };
}

/** One object of the shape that a single page has, so that the same reader takes both. */
function jsonSink(out: Context['out']): Sink {
  let count = 0;
  const write = (text: string) => out.text(out.isTerminal ? sanitiseJson(text) : text);
  return {
    write: (ticket) => {
      const before = count === 0 ? '{\n  "object": "list",\n  "data": [\n' : ',\n';
      count += 1;
      return write(`${before}    ${JSON.stringify(ticket)}`);
    },
    end: () => {
      const before = count === 0 ? '{\n  "object": "list",\n  "data": [' : '\n  ';
      return write(`${before}],\n  "hasMore": false,\n  "nextCursor": null\n}\n`);
    },
  };
}
