/** Support tickets, and technical reports, their legacy alias (sections 2.15, 3.3 and 4.8). */
import type * as z from 'zod/mini';
import type { EndpointInput } from '../contract/endpoint.js';
import { bytesPerMb, tickets as limits } from '../contract/limits.js';
import * as rows from '../contract/tickets.js';
import { ApiError, isRefusal, OutcomeUnknown } from '../errors.js';
import { TooLarge, type Downloaded, type Downloading } from '../http/download/request.js';
import { multipart } from '../http/request-body.js';
import { type FilePart } from '../http/types.js';
import { plainText } from '../lib/plain-text.js';
import { call } from './call.js';
import type { Client } from './client.js';
import { fetchFile } from './download.js';
import { outcomeIsUnknown } from './failure.js';
import { brokenOff, cursorPages } from './pages.js';
import { type Payload, prepare } from './prepare.js';

export type Ticket = z.output<typeof rows.TicketList>['data'][number];
export type TicketThread = z.output<typeof rows.TicketThreadReply>['ticket'];
export type TicketMessage = NonNullable<TicketThread['messages']>[number];
export type Attachment = NonNullable<TicketMessage['attachments']>[number];
export type TicketBody = z.input<typeof rows.TicketCreateRequest>;

type Identified<Body> = Body & { readonly clientIncidentId: string };

/** A form with images; without images the body is JSON. */
export function formOf(
  fields: Readonly<Record<string, string | readonly string[] | undefined>>,
  images: readonly FilePart[],
): Payload | undefined {
  if (images.length === 0) return undefined;
  // One field for each value: the specification does not show how a form carries a list.
  const values = Object.entries(fields).flatMap(([name, value = []]) =>
    [value].flat().map((one) => [name, one] as const),
  );
  return multipart(values, images);
}

export async function createTicket(
  client: Client,
  body: Identified<TicketBody>,
  payload?: Payload,
) {
  const sent = call(client, rows.createTicket, { body }, { payload });
  return (await sent.catch(unanswered(body, 'opening a second ticket'))).data;
}

export async function createFeedback(
  client: Client,
  body: Identified<z.input<typeof rows.FeedbackRequest>>,
): Promise<unknown> {
  const sent = call(client, rows.createFeedback, { body });
  return (await sent.catch(unanswered(body, 'recording it twice'))).data;
}

function unanswered({ clientIncidentId }: Identified<object>, doing: string) {
  return (error: unknown): never => {
    if (!outcomeIsUnknown(error)) throw error;
    const hint = `run the same command again: the incident id ${clientIncidentId} keeps the service from ${doing}`;
    throw new OutcomeUnknown(error.message, { hint, cause: error });
  };
}

type TicketQuery = NonNullable<EndpointInput<typeof rows.listTickets>['query']>;

export async function ticketPage(client: Client, query: TicketQuery) {
  return (await call(client, rows.listTickets, { query })).data;
}

export async function* allTickets(client: Client, query: TicketQuery) {
  let count = 0;
  try {
    const pages = cursorPages(async (after = query.after) => {
      const { data, nextCursor, hasMore } = await ticketPage(client, { ...query, after });
      return { items: data, next: nextCursor, hasMore };
    });
    for await (const tickets of pages) {
      count += tickets.length;
      yield tickets;
    }
  } catch (error) {
    throw count === 0 ? error : brokenOff(error, `${count} tickets`);
  }
}

export async function getTicket(client: Client, id: string): Promise<TicketThread> {
  return (await askTicket(client, id)).ticket;
}

/** The whole reply. */
export async function askTicket(client: Client, id: string) {
  return (await call(client, rows.getTicket, { params: { id } }).catch(unknownTicket(id))).data;
}

export async function closeTicket(client: Client, id: string) {
  return (await call(client, rows.closeTicket, { params: { id } }).catch(unknownTicket(id))).data;
}

/** Adds a message; it is not sent again without an answer. */
export async function sendReply(
  client: Client,
  id: string,
  message: string,
  payload?: Payload,
): Promise<{ ticket: TicketThread }> {
  const sent = call(client, rows.replyToTicket, { params: { id }, body: { message } }, { payload });
  return (await sent.catch(unknownTicket(id))).data;
}

function unknownTicket(id: string): (error: unknown) => never {
  return (error) => {
    if (!isRefusal(error, 404)) throw error;
    throw new ApiError(`this account has no ticket ${id}`, {
      status: 404,
      code: 'ticket_not_found',
      serviceCode: error.serviceCode,
      requestIds: error.requestIds,
      hint: 'list the tickets: `svc tickets list`',
      cause: error,
    });
  };
}

export async function fetchAttachment(
  client: Client,
  params: { readonly id: string; readonly attachmentId: string },
  { to, onProgress }: Pick<Downloading, 'to' | 'onProgress'>,
): Promise<Downloaded> {
  const row = rows.getAttachment;
  const { bytes: maxBytes } = limits.attachments;
  const { url, timeouts, ...prepared } = prepare(client, row, { params }, { accept: 'image/*' });
  const { authorization = '', ...headers } = prepared.headers;
  const credentials = { origin: url.origin, headers: { authorization } };
  const where = { url, to, headers, credentials, timeouts, onProgress, maxBytes };
  return fetchFile(client, row, where).catch((error: unknown) => {
    if (!(error instanceof TooLarge)) throw error;
    const mb = maxBytes / bytesPerMb;
    throw new ApiError(`the image is larger than the limit of ${mb} MB`, {
      status: 200,
      code: 'invalid_reply',
      hint: `ask for it again: \`svc tickets reply ${plainText(params.id, 100)}\``,
    });
  });
}
