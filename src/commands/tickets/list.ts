import { allTickets, ticketPage, type Ticket } from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { tickets as limits } from '../../contract/limits.js';
import { formatAge } from '../../lib/duration.js';
import { plainText } from '../../lib/plain-text.js';
import { textWidth, wrapLines } from '../../lib/wrap.js';
import { GrowingTable } from '../../terminal/table.js';
import { titles } from '../../terminal/types.js';
import { progressWriter } from '../../jobs/job.js';
import { JsonList } from '../fields.js';
import type { list } from './index.js';

/** Lists tickets: one page, or every page as a stream. */
export const run: Handler<typeof list> = async (context, { options }) => {
  const { flags, commandHint, out, signal } = context;
  const { after, all, limit, status } = options;
  const client = await context.client();
  const row = rowWriter(context);
  let count = 0;
  if (!all) {
    const page = await ticketPage(client, { status, limit, after });
    if (flags.json) return out.json(page);
    for (const ticket of page.data) await row(ticket);
    if (page.data.length === 0) out.note('no tickets');
    if (page.hasMore)
      progressWriter(context)(commandHint('there are more: svc tickets list --all'));
    return;
  }
  // One object of the shape that a single page has, so that the same reader takes both.
  const json = flags.json ? new JsonList(out, 'data', { object: 'list' }) : undefined;
  try {
    for await (const ticket of allTickets(client, {
      status,
      limit: limit ?? limits.list.max,
      after,
    })) {
      count += 1;
      await (json ? json.write([ticket]) : row(ticket));
    }
  } catch (error) {
    if (!signal.aborted) await json?.breakOff();
    throw error;
  }
  if (json) await json.end({ hasMore: false, nextCursor: null });
  else if (count === 0) out.note('no tickets');
};

/** The subject last: it may be long, and as wide as it likes. */
const columns = titles('ID', 'STATUS', 'CHANGED', 'CATEGORY', 'SUBJECT');
const betweenColumns = 2;
const leastSubject = 20;

/** Draws tickets as they come; a pipe gets the moment as it came. */
function rowWriter({ out, clock }: Context): (ticket: Ticket) => void | Promise<void> {
  const table = new GrowingTable(columns);
  const widths = columns.map(({ title }) => textWidth(title));
  return ({ id, status, category, updatedAt, createdAt, subject }) => {
    const changed = updatedAt ?? createdAt ?? '';
    const changedMs = out.isTerminal ? Date.parse(changed) : NaN;
    const age = Number.isNaN(changedMs) ? changed : formatAge(clock.now() - changedMs);
    const cells = [id, status ?? '', age, category ?? ''];
    if (!out.isTerminal) return out.table(columns, [[...cells, subject ?? '']]);
    const head = cells.map((cell) => plainText(cell, 60));
    let used = 0;
    for (const [index, cell] of head.entries()) {
      const width = Math.max(widths[index] ?? 0, textWidth(cell));
      widths[index] = width;
      used += width + betweenColumns;
    }
    const room = Math.max(leastSubject, out.columns - used);
    return out.text(table.draw([[...head, shortened(plainText(subject ?? '', 200), room)]]));
  };
}

/** `…` marks the cut. */
function shortened(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return `${wrapLines(text, columns - 1)[0] ?? ''}…`;
}
