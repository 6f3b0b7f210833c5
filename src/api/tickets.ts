/** Support tickets, and the legacy technical report, their alias (sections 2.15, 3.3 and 4.8). */
import type * as z from 'zod/mini';
import * as rows from '../contract/tickets.js';
import { ApiError } from '../errors.js';
import { multipart, type FilePart } from '../http/request-body.js';
import type { StreamedBody } from '../http/types.js';
import { call } from './call.js';
import { withOneDeadline, type Client } from './client.js';
import { repeatable, failureError } from './failure.js';
import { brokenOff, cursorPages } from './pages.js';
import { type Payload, prepare, idsIn } from './prepare.js';
import { bytesPerMb, tickets as limits } from '../contract/limits.js';
import { download } from '../http/download/download.js';
import {
  DownloadRefused,
  TooLarge,
  type Downloaded,
  type Downloading,
} from '../http/download/request.js';
import { noMedia } from '../lib/file-kind.js';
import { plainText } from '../lib/plain-text.js';
import { refusalOf } from './refusal.js';

export type TicketCreated = z.output<typeof rows.TicketCreated>;
type TicketList = z.output<typeof rows.TicketList>;
export type Ticket = TicketList['data'][number];
export type TicketThread = z.output<typeof rows.TicketThreadReply>['ticket'];
export type TicketMessage = NonNullable<TicketThread['messages']>[number];
export type Attachment = NonNullable<TicketMessage['attachments']>[number];
export type TicketBody = z.input<typeof rows.TicketCreateRequest>;
type TicketStatus = 'open' | 'replied' | 'closed';

/** A report with the id under which the service knows it again. */
type IdentifiedBody = TicketBody & { readonly clientIncidentId: string };

/** An image to attach, checked already. */
export interface Image {
  /** What to call it; a hint for the service. */
  readonly name: string;
  /** By its content. */
  readonly mediaType: string;
  readonly content: StreamedBody | Uint8Array;
}

/** What travels with images; undefined when there are none, for then the body is JSON. */
export function formOf(
  fields: Readonly<Record<string, string | readonly string[] | undefined>>,
  images: readonly Image[],
): Payload | undefined {
  if (images.length === 0) return undefined;
  // A field for each value: how a form carries a list is not shown.
  const values = Object.entries(fields).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : (value ?? [])).map((one) => [name, one] as const),
  );
  const { field } = rows.createTicket.files;
  const files = images.map(({ name, mediaType, content }): FilePart => ({
    field,
    filename: name,
    type: mediaType,
    content,
  }));
  return multipart(values, files);
}

/**
 * Opens a ticket, or finds the open one that says the same.
 * @param payload the same as a form, when images go with it.
 * @throws what `call` throws; OutcomeUnknown when no answer came: the same body may be sent again.
 */
export async function createTicket(
  client: Client,
  body: IdentifiedBody,
  payload?: Payload,
): Promise<TicketCreated> {
  try {
    return (await call(client, rows.createTicket, { body }, { payload })).data;
  } catch (error) {
    throw repeatable(
      error,
      `run the same command again: by its incident id ${body.clientIncidentId} the service knows the report again, and opens no second ticket`,
    );
  }
}

interface TicketQuery {
  readonly status?: TicketStatus;
  readonly limit?: number;
  /** The cursor that the page before ended with. */
  readonly after?: string;
}

/** One page, newest first, as the service answers it. @throws what `call` throws. */
export async function ticketPage(
  client: Client,
  { status, limit, after }: TicketQuery,
): Promise<TicketList> {
  return (await call(client, rows.listTickets, { query: { status, limit, after } })).data;
}

/**
 * Every ticket, newest first, one at a time; those after a cursor where one is given.
 * @throws what `call` throws for the first page; Incomplete when a later one does not come.
 */
export async function* allTickets(
  client: Client,
  query: TicketQuery,
): AsyncGenerator<readonly [Ticket], void, undefined> {
  const hurried = withOneDeadline(client);
  let given = 0;
  try {
    const tickets = cursorPages(async (after = query.after) => {
      const { data, nextCursor, hasMore } = await ticketPage(hurried, { ...query, after });
      return { items: data, next: nextCursor, hasMore: hasMore ?? undefined };
    });
    for await (const ticket of tickets) {
      given += 1;
      yield [ticket];
    }
  } catch (error) {
    throw given === 0 ? error : brokenOff(error, `${given} tickets`);
  }
}

/** A ticket with its messages. @throws what `call` throws; ApiError 404 with a way to find it. */
export async function getTicket(client: Client, id: string): Promise<TicketThread> {
  const { data } = await call(client, rows.getTicket, { params: { id } }).catch(unknownTicket(id));
  return data.ticket;
}

/** Closes a ticket; one that is closed stays so. @throws as `getTicket` does. */
export async function closeTicket(
  client: Client,
  id: string,
): Promise<{ readonly ticket: Ticket }> {
  return (await call(client, rows.closeTicket, { params: { id } }).catch(unknownTicket(id))).data;
}

/**
 * Adds a message, once: it is not sent again when no answer came.
 * @throws what `call` throws; ApiError 409 when the ticket is closed.
 */
export async function sendReply(
  client: Client,
  id: string,
  message: string,
  payload?: Payload,
): Promise<TicketThread> {
  const sent = call(client, rows.replyToTicket, { params: { id }, body: { message } }, { payload });
  return (await sent.catch(unknownTicket(id))).data.ticket;
}

/** Whether an error says that the ticket is closed. */
export function isClosedTicket(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409;
}

function unknownTicket(id: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new ApiError(`this account has no ticket ${id}`, {
      status: 404,
      code: error.code ?? 'ticket_not_found',
      requestIds: error.requestIds,
      hint: 'see which tickets there are: `svc tickets list`',
      cause: error,
    });
  };
}

interface AttachmentRequest extends Pick<Downloading, 'to' | 'onProgress'> {
  readonly ticketId: string;
  readonly attachmentId: string;
}

const { bytes: maxBytes } = limits.attachments;

/**
 * Fetches an image, whole or not at all (section 4.8).
 * @throws ApiError for a refusal, and for more than an image may have; NetworkError or TimeoutError
 * when it was not reached; Incomplete when it broke off, or is no image; LocalFileError.
 */
export async function fetchAttachment(
  client: Client,
  { ticketId, attachmentId, to, onProgress }: AttachmentRequest,
): Promise<Downloaded> {
  const { brand, clock, observe, retryWaitMs, signal, transport, deadlineMs } = client;
  const row = rows.getAttachment;
  const params = { id: ticketId, attachmentId };
  const prepared = prepare(client, row, { params }, { accept: 'image/*' });
  const { authorization = '', ...headers } = prepared.headers;
  const { url, timeouts } = prepared;
  try {
    return await download({
      transport,
      url,
      to,
      headers,
      credentials: { origin: url.origin, headers: { authorization } },
      timeouts,
      clock,
      signal,
      deadlineMs,
      retryWaitMs,
      observe,
      onProgress,
      unwanted: noMedia,
      maxBytes,
    });
  } catch (error) {
    if (error instanceof TooLarge) {
      const mb = maxBytes / bytesPerMb;
      throw new ApiError(`the service sent more than the ${mb} MB that an image may have`, {
        status: 200,
        code: 'invalid_reply',
        hint: `ask for it anew: \`svc tickets reply ${plainText(ticketId, 100)}\``,
      });
    }
    if (!(error instanceof DownloadRefused)) throw failureError(error, row);
    const { response, message } = error;
    const { headers: told, status } = response;
    const refused = { row, ids: idsIn(told, brand), brand, nowMs: clock.now() };
    const refusal = await refusalOf(response, refused);
    if (status >= 400) throw refusal;
    // A redirect that is not followed says why.
    const { code = 'invalid_reply', requestIds } = refusal;
    throw new ApiError(message, { status, code, requestIds });
  }
}

/** A technical report with the id under which the service knows it again. */
type IdentifiedFeedback = z.input<typeof rows.FeedbackRequest> & {
  readonly clientIncidentId: string;
};

/**
 * Sends a report; the reply is not shown.
 * @throws what `call` throws; OutcomeUnknown when no answer came: the same body may be sent again.
 */
export async function createFeedback(client: Client, body: IdentifiedFeedback): Promise<unknown> {
  try {
    return (await call(client, rows.createFeedback, { body })).data;
  } catch (error) {
    throw repeatable(
      error,
      `run the same command again: by its incident id ${body.clientIncidentId} the service knows the report again, and takes it once`,
    );
  }
}

/** A report of this account; the reply is not shown. @throws what `call` throws. */
export async function getFeedback(client: Client, id: string): Promise<unknown> {
  return (await call(client, rows.getFeedback, { params: { id } })).data;
}
