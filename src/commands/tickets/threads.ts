import { poll } from '../../api/poll.js';
import {
  allTickets,
  closeTicket,
  getTicket,
  ticketPage,
  type Attachment,
  type Ticket,
  type TicketMessage,
  type TicketThread,
} from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { tickets as limits } from '../../contract/limits.js';
import { ApiError } from '../../errors.js';
import { progressWriter, startLine } from '../../jobs/job.js';
import { defaultWaitMs } from '../../jobs/options.js';
import { formatBytes } from '../../lib/amounts.js';
import { formatAge, formatElapsed } from '../../lib/duration.js';
import { plainText } from '../../lib/plain-text.js';
import { textWidth, wrapLines } from '../../lib/wrap.js';
import { sanitise } from '../../terminal/screen.js';
import { titles, type Output } from '../../terminal/types.js';
import { writeJson, writeRows } from '../listing.js';
import type * as declared from './index.js';

export const list: Handler<typeof declared.list> = async (context, { options }) => {
  const { flags, commandHint } = context;
  const { after, all, status, limit } = options;
  const client = await context.client();
  const view = { columns, row: rowMaker(context), empty: 'no tickets' };
  if (all) {
    const every = allTickets(client, { status, limit: limit ?? limits.list.max, after });
    if (!flags.json) return writeRows(context, every, view);
    const end = { hasMore: false, nextCursor: null };
    return writeJson(context, every, 'data', { before: { object: 'list' }, after: () => end });
  }
  const page = await ticketPage(client, { status, limit, after });
  if (flags.json) return context.out.json(page);
  const rows = page.data.map((ticket) => [ticket]);
  await writeRows(context, rows, view);
  if (page.hasMore) progressWriter(context)(commandHint('there are more: svc tickets list --all'));
};

const columns = titles('ID', 'STATUS', 'CHANGED', 'CATEGORY', 'SUBJECT');
const betweenColumns = 2;
const leastSubject = 20;

/** Makes the cells of a ticket; on a terminal the subject is cut to the width that is left. */
function rowMaker({ out, clock }: Context): (ticket: Ticket) => string[] {
  const widths = columns.map(({ title }) => textWidth(title));
  return ({ id, status, category, updatedAt, createdAt, subject }) => {
    const changed = updatedAt ?? createdAt ?? '';
    const changedMs = out.isTerminal ? Date.parse(changed) : NaN;
    const age = Number.isNaN(changedMs) ? changed : formatAge(clock.now() - changedMs);
    const cells = [id, status ?? '', age, category ?? ''];
    if (!out.isTerminal) return [...cells, subject ?? ''];
    const head = cells.map((cell) => plainText(cell, 60));
    for (const [index, cell] of head.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, textWidth(cell));
    }
    const used = widths.slice(0, -1).reduce((sum, width) => sum + width + betweenColumns, 0);
    const room = Math.max(leastSubject, out.columns - used);
    const text = plainText(subject ?? '', 200);
    const shown = textWidth(text) <= room ? text : `${wrapLines(text, room - 1)[0] ?? ''}…`;
    return [...head, shown];
  };
}

export const show: Handler<typeof declared.show> = async (context, { args }) => {
  const { flags, out } = context;
  const ticket = await getTicket(await context.client(), args.id);
  if (flags.json) return out.json({ ticket });
  await out.spans([
    { text: word(ticket.id), look: 'bold' },
    { text: `  ${word(ticket.status)}  ${word(ticket.category)}` },
  ]);
  await showBody(out, ticket.subject ?? '', '');
  for (const line of factsOf(ticket)) await out.spans([{ text: line, look: 'dim' }]);
  await showMessages(out, ticket.messages ?? []);
};

function factsOf(ticket: Ticket): string[] {
  const { createdAt, updatedAt, occurrences, requestIds, clientIncidentId } = ticket;
  const times = [
    `opened ${momentWords(createdAt)}`,
    ...(updatedAt && updatedAt !== createdAt ? [`changed ${momentWords(updatedAt)}`] : []),
    ...(occurrences && occurrences > 1 ? [`reported ${occurrences} times`] : []),
  ];
  return [
    times.join(' · '),
    ...(requestIds?.length ? [`request ids: ${requestIds.map(word).join(', ')}`] : []),
    ...(clientIncidentId ? [`incident id: ${word(clientIncidentId)}`] : []),
  ];
}

async function showMessages(out: Output, messages: readonly TicketMessage[]): Promise<void> {
  for (const { author, createdAt, body, attachments } of messages) {
    await out.line('');
    await out.spans([
      { text: author === 'client' ? 'you' : word(author), look: 'bold' },
      { text: ` · ${momentWords(createdAt)}`, look: 'dim' },
    ]);
    await showBody(out, body ?? '', indent);
    for (const one of attachments ?? []) {
      await out.spans([{ text: `${indent}${attachmentWords(one)}`, look: 'dim' }]);
    }
  }
}

const indent = '  ';
const leastColumns = 10;

/** A terminal gets the text wrapped to its width; a pipe gets it unchanged. */
async function showBody(out: Output, text: string, margin: string): Promise<void> {
  if (!out.isTerminal) return out.text(text.endsWith('\n') ? text : `${text}\n`);
  const room = Math.max(leastColumns, out.columns - margin.length);
  // Sanitised first: the sign that replaces a control character takes a column.
  const lines = wrapLines(sanitise(text).replace(/\n+$/, ''), room);
  await out.text(lines.map((line) => `${line === '' ? '' : margin}${line}\n`).join(''));
}

function attachmentWords({ id, filename, mimeType, byteSize }: Attachment): string {
  const size = typeof byteSize === 'number' ? formatBytes(byteSize) : '';
  const words = ['image', word(id), word(filename), word(mimeType), size];
  return words.filter((part) => part !== '').join('  ');
}

/** `2026-11-21 18:43 UTC`; anything that is not a time is shown unchanged. */
export function momentWords(text: string | null | undefined): string {
  const ms = Date.parse(text ?? '');
  if (Number.isNaN(ms)) return plainText(text ?? 'at an unknown time', 40);
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function word(text: string | null | undefined): string {
  return plainText(text ?? '', 200);
}

export const watch: Handler<typeof declared.watch> = async (context, { args: { id } }) => {
  const { clock, commandHint, flags, out, signal } = context;
  const client = await context.client();
  const startedAtMs = clock.now();
  let trouble = '';
  const shownId = plainText(id, 100);
  const words = () =>
    `waiting for an answer · ${formatElapsed(clock.now() - startedAtMs)} · ${shownId}${trouble}`;
  const line = await startLine(context, words);
  const thread = await poll({
    clock,
    signal,
    ask: (deadlineMs) => getTicket({ ...client, deadlineMs }, id),
    isDone: (found) => {
      trouble = '';
      return ['closed', 'replied'].includes(found.status ?? '') || answerIn(found).length > 0;
    },
    onTrouble: (error) => {
      trouble = ` · no answer of the service, asking again: ${plainText(error.message, 80)}`;
    },
    deadlineMs: flags.timeoutMs ?? defaultWaitMs,
    pending: () => ({
      message: `${id} has no answer yet`,
      hint: `go on waiting: \`svc tickets watch ${id}\``,
    }),
  })
    .catch((error: unknown) => {
      const back = `the ticket stays as it is; come back: svc tickets watch ${shownId}`;
      if (signal.aborted) out.error(commandHint(back));
      throw error;
    })
    .finally(() => line?.stop());
  const answer = answerIn(thread);
  await (flags.json ? out.json({ ticket: thread }) : showMessages(out, answer));
  if (thread.status !== 'closed' || answer.length > 0) return;
  throw new ApiError(`${id} is closed, so no answer will come`, {
    status: 409,
    code: 'ticket_closed',
    hint: `open a new one that cites it: \`svc tickets create --follow-up ${id}\``,
  });
};

/** The staff messages after the client's last one; under `replied`, at least the newest. */
function answerIn({ status, messages }: TicketThread): TicketMessage[] {
  const all = messages ?? [];
  const isStaff = ({ author }: TicketMessage) => author === 'staff';
  const after = all.slice(all.findLastIndex((message) => !isStaff(message)) + 1);
  if (after.length > 0 || status !== 'replied') return after;
  return all.filter(isStaff).slice(-1);
}

export const close: Handler<typeof declared.close> = async (context, { args }) => {
  const { flags, out } = context;
  const reply = await closeTicket(await context.client(), args.id);
  if (flags.json) return out.json(reply);
  const { id, status } = reply.ticket;
  out.note(`${plainText(id, 100)} is ${plainText(status ?? 'closed', 40)}`);
};
