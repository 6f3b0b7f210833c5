import { allTickets, ticketPage, type Ticket } from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { tickets as limits } from '../../contract/limits.js';
import { formatAge } from '../../lib/duration.js';
import { plainText } from '../../lib/plain-text.js';
import { textWidth, wrapLines } from '../../lib/wrap.js';
import { GrowingTable } from '../../terminal/table.js';
import type { Column } from '../../terminal/types.js';
import { sayer } from '../jobs/sayer.js';
import { JsonList } from '../json-list.js';
import type { list } from './index.js';

/** Lists tickets: one page, or every page as a stream. */
export const run: Handler<typeof list> = async (context, { options }) => {
  const { flags, out } = context;
  const { after, all, limit, status } = options;
  const client = await context.client();
  const sink = flags.json && all ? jsonSink(out) : rowSink(context);
  if (all) {
    try {
      const query = { status, limit: limit ?? limits.list.max, after };
      for await (const ticket of allTickets(client, query)) {
        await sink.write(ticket);
      }
    } catch (error) {
      if (!context.signal.aborted) await sink.breakOff?.();
      throw error;
    }
    await sink.end();
    return;
  }
  const page = await ticketPage(client, { status, limit, after });
  if (flags.json) {
    await out.json(page);
    return;
  }
  for (const ticket of page.data) await sink.write(ticket);
  await sink.end();
  if (page.hasMore) sayer(context)(context.onward('there are more: svc tickets list --all'));
};

interface Sink {
  write(ticket: Ticket): void | Promise<void>;
  end(): void | Promise<void>;
  /** No more will come, though there is more. */
  breakOff?(): void | Promise<void>;
}

/** The subject last: it may be long, and as wide as it likes. */
const columns: readonly Column[] = [
  { title: 'ID' },
  { title: 'STATUS' },
  { title: 'CHANGED' },
  { title: 'CATEGORY' },
  { title: 'SUBJECT' },
];

/** What stands before the subject; a pipe gets the moment as it came. */
function headOf(ticket: Ticket, nowMs: number | undefined): string[] {
  const { id, status, category, updatedAt, createdAt } = ticket;
  const changed = updatedAt ?? createdAt ?? '';
  const changedMs = Date.parse(changed);
  const isAge = nowMs !== undefined && !Number.isNaN(changedMs);
  return [id, status ?? '', isAge ? formatAge(nowMs - changedMs) : changed, category ?? ''];
}

const betweenColumns = 2;
const leastSubject = 20;

function rowSink({ out, clock }: Context): Sink {
  const table = new GrowingTable(columns);
  const widths = columns.map(({ title }) => textWidth(title));
  let count = 0;
  const drawn = (ticket: Ticket) => {
    const head = headOf(ticket, clock.now()).map((cell) => plainText(cell, 60));
    for (const [index, cell] of head.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, textWidth(cell));
    }
    const used = head.reduce((sum, _cell, index) => sum + (widths[index] ?? 0) + betweenColumns, 0);
    const room = Math.max(leastSubject, out.columns - used);
    return table.draw([[...head, shortened(plainText(ticket.subject ?? '', 200), room)]]);
  };
  return {
    write: (ticket) => {
      count += 1;
      return out.isTerminal
        ? out.text(drawn(ticket))
        : out.table(columns, [[...headOf(ticket, undefined), ticket.subject ?? '']]);
    },
    end: () => {
      if (count === 0) out.note('no tickets');
    },
  };
}

/** `…` marks the cut. */
function shortened(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return `${wrapLines(text, columns - 1)[0] ?? ''}…`;
}

/** One object of the shape that a single page has, so that the same reader takes both. */
function jsonSink(out: Context['out']): Sink {
  const list = new JsonList(out, 'data', { object: 'list' });
  return {
    write: (ticket) => list.write([ticket]),
    end: () => list.end({ hasMore: false, nextCursor: null }),
    breakOff: () => list.breakOff(),
  };
}
