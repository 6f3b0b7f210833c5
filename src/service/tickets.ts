/** Support tickets (sections 2.15, 3.3 and 4.8). Their texts are data, kept as they came. */
import { tickets as limits } from '../contract/limits.js';
import { createTicket, listTickets as listRow, replyToTicket } from '../contract/tickets.js';
import { json, type Call } from './call.js';
import { badRequest, ServiceFailure } from './failure.js';
import { fileReply } from './file-reply.js';
import {
  addMessage,
  attachmentCount,
  findAttachment,
  messagesOf,
  type Attachment,
} from './store/ticket-messages.js';
import { findTicket, listTickets, markClosed, markOpen, type Ticket } from './store/tickets.js';
import { shelf } from './tickets/attachments.js';
import { received } from './tickets/form.js';
import { openTicket } from './tickets/open.js';
import { demandPace } from './tickets/pace.js';
import { answerDue, answerDueWithin } from './tickets/staff.js';
import { threadJson, ticketJson } from './tickets/wire.js';

/** POST /v1/tickets */
export async function create(call: Call): Promise<Response> {
  const { house, caller } = call;
  const { ticket, deduplicated } = await received(
    call,
    createTicket.body,
    ({ fields, attachments }) => {
      const opened = openTicket(house, caller.accountId, {
        // A session has no key.
        source: caller.keyHash === '' ? 'dashboard' : 'api',
        category: 'general',
        requestIds: [],
        ...fields,
        attachments,
      });
      return { ...opened, isKept: !opened.deduplicated };
    },
  );
  return json({ deduplicated, ticket: ticketJson(ticket) }, deduplicated ? 200 : 201);
}

/** GET /v1/tickets: newest first. A cursor is the last ticket of its page, so none is missed. */
export function list(call: Call): Response {
  const { house, caller } = call;
  const { limit = limits.list.default, after, status } = call.query(listRow.query);
  const { accountId } = caller;
  answerDue(house, accountId);
  const beforeSeq =
    after === undefined ? Number.MAX_SAFE_INTEGER : findTicket(house.store, accountId, after)?.seq;
  if (beforeSeq === undefined) {
    throw badRequest('after must be the nextCursor of a page', 'after', 'invalid_cursor');
  }
  const found = listTickets(house.store, { accountId, status, beforeSeq }, limit + 1);
  const data = found.slice(0, limit);
  const hasMore = found.length > limit;
  return json({
    object: 'list',
    data: data.map(ticketJson),
    hasMore,
    nextCursor: hasMore ? data.at(-1)?.id : null,
  });
}

/** GET /v1/tickets/{id} */
export function get(call: Call): Response {
  answerDue(call.house, call.caller.accountId);
  return threadReply(call, owned(call), 200);
}

/** POST /v1/tickets/{id}/messages: opens a ticket again that was answered. */
export async function reply(call: Call): Promise<Response> {
  const { house } = call;
  // Before the body is read, which may be large.
  demandNotClosed(owned(call));
  await received(call, replyToTicket.body, ({ fields, attachments }) => {
    house.store.transaction(() => addReply(call, fields.message, attachments));
    return { isKept: true };
  });
  return threadReply(call, owned(call), 201);
}

function addReply(call: Call, body: string, attachments: readonly Attachment[]): void {
  const { house, caller } = call;
  const { store, clock, newId, ticketReplyMs } = house;
  answerDueWithin(house, caller.accountId);
  const { id: ticketId, ...ticket } = owned(call);
  demandNotClosed(ticket);
  demandRoom(attachmentCount(store, ticketId), attachments.length);
  demandPace(house, caller.accountId, 'ticket-messages', limits.repliesPerHour);
  const createdAtMs = clock.now();
  const message = { id: `tmsg_${newId()}`, ticketId, author: 'client', body } as const;
  addMessage(store, { ...message, attachments, createdAtMs });
  markOpen(store, ticketId, createdAtMs, createdAtMs + ticketReplyMs);
}

/** POST /v1/tickets/{id}/close: once closed, it stays as it is. */
export function close(call: Call): Response {
  const { house, caller } = call;
  const ticket = house.store.transaction(() => {
    answerDueWithin(house, caller.accountId);
    markClosed(house.store, owned(call).id, house.clock.now());
    return owned(call);
  });
  return json({ ticket: ticketJson(ticket) });
}

/** GET /v1/tickets/{id}/attachments/{attachmentId} */
export async function attachment(call: Call): Promise<Response> {
  const { store, media } = call.house;
  const found = findAttachment(store, owned(call).id, call.param('attachmentId'));
  const handle = found && (await media.folder.open(shelf, found.id));
  if (!found || !handle) {
    throw new ServiceFailure(404, 'attachment_not_found', 'the ticket has no such attachment');
  }
  return fileReply({ ...found, handle }, call.request.headers, {
    'content-type': found.mediaType,
    'content-disposition': disposition(found.filename),
  });
}

/** The name in ASCII, and as it is (RFC 6266). */
function disposition(filename: string): string {
  const plain = filename.replaceAll(/[^\w.() -]/g, '_');
  const exact = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

function threadReply({ house }: Call, ticket: Ticket, status: number): Response {
  return json({ ticket: threadJson(ticket, messagesOf(house.store, ticket.id)) }, status);
}

/** The ticket that the path names; other accounts' tickets are as if they were not there. */
function owned(call: Call): Ticket {
  const ticket = findTicket(call.house.store, call.caller.accountId, call.param('id'));
  if (ticket) return ticket;
  throw new ServiceFailure(404, 'ticket_not_found', 'there is no such ticket');
}

function demandNotClosed({ status }: Pick<Ticket, 'status'>): void {
  if (status !== 'closed') return;
  throw new ServiceFailure(409, 'ticket_closed', 'the ticket is closed: open a new one');
}

function demandRoom(there: number, more: number): void {
  const { perTicket } = limits.attachments;
  if (there + more <= perTicket) return;
  const message = `a ticket may have ${perTicket} attachments at most, and this one has ${there}`;
  throw badRequest(message, undefined, 'too_many_attachments');
}
