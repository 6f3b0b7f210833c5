import { allTickets, ticketPage, type Ticket } from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { tickets as limits } from '../../contract/limits.js';
import { progressWriter } from '../../jobs/job.js';
import { formatAge } from '../../lib/duration.js';
import { plainText } from '../../lib/plain-text.js';
import { textWidth, wrapLines } from '../../lib/wrap.js';
import { titles } from '../../terminal/types.js';
import { writeJson, writeRows } from '../listing.js';
import type { list } from './index.js';

/** Lists tickets: one page, or every page as a stream. */
export const run: Handler<typeof list> = async (context, { options }) => {
  const { flags, commandHint } = context;
  const { after, all, status, limit } = options;
  const client = await context.client();
  const view = { columns, row: rowMaker(context), empty: 'no tickets' };
  if (!all) {
    const page = await ticketPage(client, { status, limit, after });
    if (flags.json) return context.out.json(page);
    // Each as if it came alone, as those of --all do.
    const pages = page.data.map((ticket) => [ticket]);
    await writeRows(context, pages, view);
    if (page.hasMore)
      progressWriter(context)(commandHint('there are more: svc tickets list --all'));
    return;
  }
  const pages = allTickets(client, { status, limit: limit ?? limits.list.max, after });
  if (!flags.json) return writeRows(context, pages, view);
  const [before, end] = [{ object: 'list' }, { hasMore: false, nextCursor: null }];
  await writeJson(context, pages, 'data', { before, after: () => end });
};

/** The subject last: it may be long, and as wide as it likes. */
const columns = titles('ID', 'STATUS', 'CHANGED', 'CATEGORY', 'SUBJECT');
const betweenColumns = 2;
const leastSubject = 20;

/** Cells below `columns`; a terminal gets as much of the subject as its width has room for. */
function rowMaker({ out, clock }: Context): (ticket: Ticket) => string[] {
  const widths = columns.map(({ title }) => textWidth(title));
  return ({ id, status, category, updatedAt, createdAt, subject }) => {
    const changed = updatedAt ?? createdAt ?? '';
    const cells = [id, status ?? '', changed, category ?? ''];
    if (!out.isTerminal) return [...cells, subject ?? ''];
    const changedMs = Date.parse(changed);
    if (!Number.isNaN(changedMs)) cells[2] = formatAge(clock.now() - changedMs);
    const head = cells.map((cell) => plainText(cell, 60));
    head.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, textWidth(cell));
    });
    const used = widths.slice(0, -1).reduce((sum, width) => sum + width + betweenColumns, 0);
    const room = Math.max(leastSubject, out.columns - used);
    return [...head, shortened(plainText(subject ?? '', 200), room)];
  };
}

/** `…` marks the cut. */
function shortened(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return `${wrapLines(text, columns - 1)[0] ?? ''}…`;
}
