import { withLimit, type Client } from '../../api/client.js';
import { poll } from '../../api/poll.js';
import { allTickets, closeTicket, askTicket, getTicket, ticketPage } from '../../api/tickets.js';
import type { Attachment, Ticket, TicketMessage, TicketThread } from '../../api/tickets.js';
import type { Context, Handler } from '../../context.js';
import { tickets as limits } from '../../contract/limits.js';
import { ApiError } from '../../errors.js';
import { ambiguousId, startLine } from '../../jobs/job.js';
import { defaultWaitMs } from '../../jobs/options.js';
import { formatBytes } from '../../lib/amounts.js';
import { formatElapsed } from '../../lib/duration.js';
import { meantBy } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { wrapLines, wrapText } from '../../lib/wrap.js';
import { meaningOf } from '../../terminal/meaning.js';
import { accountFor } from '../../state/account.js';
import { listedCaches } from '../../state/small-files.js';
import { sanitise, withReadableAddresses } from '../../terminal/screen.js';
import type { Output } from '../../terminal/types.js';
import { distanceCell, fullMomentCell } from '../cells.js';
import { listView, remember, writeList } from '../listing.js';
import type * as declared from './index.js';

export const list: Handler<typeof declared.list> = async (context, { options }) => {
  const { flags, commandHint } = context;
  const { after, all, status, limit } = options;
  const client = await context.client();
  const view = listView<Ticket>(
    [
      [{ title: 'ID', isId: true }, ({ id }) => id],
      [{ title: 'STATUS', min: 7, drop: 1 }, (ticket) => ticket.status],
      [{ title: 'CHANGED', drop: 3 }, (ticket) => distanceCell(context, changedAt(ticket))],
      [{ title: 'CATEGORY', min: 12, drop: 4 }, ({ category }) => category],
      [{ title: 'SUBJECT', min: 20 }, ({ subject }) => subject],
    ],
    'no tickets',
  );
  if (all) {
    const pages = allTickets(client, { status, limit: limit ?? limits.list.max, after });
    const [before, end] = [{ object: 'list' }, { hasMore: false, nextCursor: null }];
    return writeList(context, view, { pages, name: 'data', before, after: () => end });
  }
  const page = await ticketPage(client, { status, limit, after });
  await remember(context, client, { kind: 'ticket', rows: page.data.map(factsOf) });
  await writeList(context, view, { items: page.data, json: page });
  const more = page.hasMore && !flags.json;
  if (more) context.out.note(commandHint('there are more: svc tickets list --all'));
};

const changedAt = ({ updatedAt, createdAt }: Ticket) => updatedAt ?? createdAt ?? undefined;

/** What completion offers for a ticket. */
export const factsOf = ({ id, status, subject }: Ticket) => [id, status, subject] as const;

/** The id of the newest ticket for `@last`, and of one that svc has shown for its first characters. */
export async function ticketId(context: Context, client: Client, text: string): Promise<string> {
  const newest = text === '@last' ? (await ticketPage(client, { limit: 1 })).data : [];
  const cache = listedCaches.ticket(context.paths, accountFor(context, client));
  const shown = cache.read()?.map(([id]) => id) ?? [];
  const [id = text, ...others] = meantBy(text, {
    newest: () => newest.slice(0, 1).map(({ id }) => id),
    startingWith: (start) => shown.filter((one) => one.startsWith(start)),
  });
  if (others.length === 0) return id;
  if (shown.includes(text)) return text;
  throw ambiguousId(text, [id, ...others], 'list the tickets: `svc tickets list`');
}

export const show: Handler<typeof declared.show> = async (context, { args }) => {
  const { flags, out } = context;
  const client = await context.client();
  const reply = await askTicket(client, await ticketId(context, client, args.id));
  const { ticket } = reply;
  await remember(context, client, { kind: 'ticket', rows: [factsOf(ticket)] });
  if (flags.json) return out.json(reply);
  await out.spans([
    { text: word(ticket.id), look: 'bold' },
    { text: '  ' },
    { text: word(ticket.status), look: meaningOf('status', ticket.status ?? '') },
    { text: `  ${word(ticket.category)}` },
  ]);
  await showBody(out, ticket.subject ?? '', '');
  const { createdAt, updatedAt, occurrences, requestIds, clientIncidentId } = ticket;
  const times = [
    `opened ${momentWords(context, createdAt)}`,
    ...(updatedAt && updatedAt !== createdAt ? [`changed ${momentWords(context, updatedAt)}`] : []),
    ...(occurrences && occurrences > 1 ? [`reported ${occurrences} times`] : []),
  ];
  const facts = [
    times.join(' · '),
    ...(requestIds?.length ? [`request ids: ${requestIds.map(word).join(', ')}`] : []),
    ...(clientIncidentId ? [`incident id: ${word(clientIncidentId)}`] : []),
  ];
  for (const fact of facts) {
    const lines = out.isTerminal ? wrapText(fact, out.columns) : [fact];
    for (const text of lines) await out.spans([{ text, look: 'dim' }]);
  }
  await showMessages(context, ticket.messages ?? []);
};

async function showMessages(context: Context, messages: readonly TicketMessage[]): Promise<void> {
  const { out } = context;
  for (const { author, createdAt, body, attachments } of messages) {
    await out.line('');
    await out.spans([
      { text: author === 'client' ? 'you' : word(author), look: 'bold' },
      { text: ` · ${momentWords(context, createdAt)}`, look: 'dim' },
    ]);
    await showBody(out, body ?? '', indent);
    for (const one of attachments ?? []) {
      await out.spans([{ text: `${indent}${attachmentWords(one)}`, look: 'dim' }]);
    }
  }
}

const indent = '  ';

/** A terminal gets the text wrapped to its width; a pipe gets it unchanged. */
async function showBody(out: Output, text: string, margin: string): Promise<void> {
  if (!out.isTerminal) return out.text(text.endsWith('\n') ? text : `${text}\n`);
  const room = Math.max(10, out.columns - margin.length);
  // Sanitised first: the sign that replaces a control character takes a column.
  const lines = wrapLines(withReadableAddresses(sanitise(text)).replace(/\n+$/, ''), room);
  await out.text(lines.map((line) => `${line === '' ? '' : margin}${line}\n`).join(''));
}

function attachmentWords({ id, filename, mimeType, byteSize }: Attachment): string {
  const size = typeof byteSize === 'number' ? formatBytes(byteSize) : '';
  const words = ['image', word(id), word(filename), word(mimeType), size];
  return words.filter((part) => part !== '').join('  ');
}

/** For people in their time zone, `2026-11-21 18:43 UTC` for a pipe; what is not a time, unchanged. */
export function momentWords(context: Context, text: string | null | undefined): string {
  const ms = Date.parse(text ?? '');
  if (Number.isNaN(ms)) return plainText(text ?? 'at an unknown time', 40);
  if (context.out.isTerminal) return fullMomentCell(context, ms);
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function word(text: string | null | undefined): string {
  return plainText(text ?? '', 200);
}

export const watch: Handler<typeof declared.watch> = async (context, { args }) => {
  const { clock, commandHint, flags, out, signal } = context;
  const client = await context.client();
  const id = await ticketId(context, client, args.id);
  const startedAtMs = clock.now();
  let trouble = '';
  const shownId = plainText(id, 100);
  const words = () =>
    `waiting for an answer · ${formatElapsed(clock.now() - startedAtMs)} · ${shownId}${trouble}`;
  const line = await startLine(context, words);
  const thread = await poll({
    clock,
    signal,
    ask: (limitMs) => getTicket(withLimit(client, limitMs), id),
    isDone: (thread) => {
      trouble = '';
      return ['closed', 'replied'].includes(thread.status ?? '') || answerIn(thread).length > 0;
    },
    onTrouble: (error) => {
      trouble = ` · the service did not answer, trying again: ${plainText(error.message, 80)}`;
    },
    deadlineMs: flags.timeoutMs ?? defaultWaitMs,
    pending: () => ({
      message: `${id} has no answer yet`,
      hint: `continue waiting: \`svc tickets watch ${id}\``,
    }),
  })
    .catch((error: unknown) => {
      const back = `the ticket is unchanged; to continue: svc tickets watch ${shownId}`;
      if (signal.aborted) out.error(commandHint(back));
      throw error;
    })
    .finally(() => line?.stop());
  const answer = answerIn(thread);
  await (flags.json ? out.json({ ticket: thread }) : showMessages(context, answer));
  if (thread.status !== 'closed' || answer.length > 0) return;
  throw new ApiError(`${id} is closed and will get no answer`, {
    status: 409,
    code: 'ticket_closed',
    hint: `open a new ticket that refers to it: \`svc tickets create --follow-up ${id}\``,
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
  const client = await context.client();
  const reply = await closeTicket(client, await ticketId(context, client, args.id));
  if (flags.json) return out.json(reply);
  const { id, status } = reply.ticket;
  out.note(`${plainText(id, 100)} is ${plainText(status ?? 'closed', 40)}`);
};
