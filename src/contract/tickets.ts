/** Support tickets, and the legacy technical report (sections 2.15, 3.3, 4.8 and 9). */
import * as z from 'zod/mini';
import { read, write } from './endpoint.js';
import { ticketAuthors, ticketCategories, ticketImageTypes, ticketSources } from './enums.js';
import { ticketStatuses, feedbackCategories } from './enums.js';
import * as limits from './limits.js';
import { knownWord, maybe, characters, queryInteger, text, number, flag } from './fields.js';

/** Section 2.15: unique request ids of the account. */
const RequestIds = z.array(characters(limits.tickets.requestIds.characters)).check(
  z.maxLength(limits.tickets.requestIds.max),
  z.refine((ids) => new Set(ids).size === ids.length, { error: 'must not name an id twice' }),
  z.meta({ uniqueItems: true }),
);

const badIncidentId =
  'must be at most 100 letters, digits, dots, underscores, colons or hyphens, and start with a letter or digit';
const references = {
  requestIds: z.optional(RequestIds),
  clientIncidentId: z.optional(
    z.string().check(z.regex(limits.tickets.clientIncidentId, { error: badIncidentId })),
  ),
};

/** Section 2.15: no extra properties. */
export const TicketCreateRequest = z.strictObject({
  subject: characters(limits.tickets.subjectCharacters),
  message: characters(limits.tickets.messageCharacters),
  category: z.optional(z.enum(ticketCategories)),
  ...references,
});

/** Section 4.8: no extra properties. */
export const TicketReplyRequest = z.strictObject({
  message: characters(limits.tickets.replyCharacters),
});

const Ticket = z.looseObject({
  id: z.string(),
  object: text,
  subject: text,
  category: knownWord(ticketCategories),
  source: knownWord(ticketSources),
  status: knownWord(ticketStatuses),
  requestIds: maybe(z.array(z.string())),
  clientIncidentId: text,
  occurrences: number,
  createdAt: text,
  updatedAt: text,
  repliedAt: text,
});

/** Section 2.15. A message's body is plain text. */
const TicketThread = z.extend(Ticket, {
  messages: maybe(
    z.array(
      z.looseObject({
        id: text,
        author: knownWord(ticketAuthors),
        body: text,
        createdAt: text,
        attachments: maybe(
          z.array(
            z.looseObject({ id: z.string(), filename: text, mimeType: text, byteSize: number }),
          ),
        ),
      }),
    ),
  ),
});

export const TicketCreated = z.looseObject({ deduplicated: flag, ticket: Ticket });
export const TicketList = z.looseObject({
  object: text,
  data: z.array(Ticket),
  hasMore: flag,
  nextCursor: text,
});
export const TicketThreadReply = z.looseObject({ ticket: TicketThread });
export const TicketError = z.looseObject({ error: text, code: text });

const row = { auth: 'key', refusal: TicketError } as const;
const report = { refusal: TicketError, deprecated: true } as const;

const attachments = {
  field: 'files',
  required: false,
  maxCount: limits.tickets.attachments.perRequest,
  maxBytes: limits.tickets.attachments.bytes,
  types: ticketImageTypes,
} as const;

export const createTicket = write('tickets.create', '/v1/tickets', '4.8', {
  ...row,
  summary: 'Open a support ticket',
  orSession: true,
  // A clientIncidentId finds the same ticket again.
  retry: 'idempotent',
  body: TicketCreateRequest,
  bodyKind: 'json-or-multipart',
  files: attachments,
  returns: TicketCreated,
  statuses: [201, 200, 400, 401, 413, 415, 429],
  statusNotes: {
    200: 'an open ticket has the same content: none was created',
    400: 'invalid fields, too many files, or a request id of another account',
  },
});

export const listTickets = read('tickets.list', '/v1/tickets', '4.8', {
  ...row,
  summary: 'List support tickets, newest first',
  query: z.looseObject({
    limit: z.optional(queryInteger(limits.tickets.list)),
    after: z.optional(z.string()),
    status: z.optional(z.enum(ticketStatuses)),
  }),
  returns: TicketList,
  statuses: [200, 400, 401],
  statusNotes: { 400: 'bad limit, status or cursor' },
});

export const getTicket = read('tickets.get', '/v1/tickets/{id}', '4.8', {
  ...row,
  summary: 'Show a support ticket with its messages',
  returns: TicketThreadReply,
  statuses: [200, 401, 404],
});

export const replyToTicket = write('tickets.reply', '/v1/tickets/{id}/messages', '4.8', {
  ...row,
  summary: 'Add a message to a support ticket',
  body: TicketReplyRequest,
  bodyKind: 'json-or-multipart',
  files: attachments,
  returns: TicketThreadReply,
  statuses: [201, 400, 401, 404, 409, 429],
  moreStatuses: [413, 415],
  statusNotes: { 409: 'the ticket is closed: open a new one' },
});

export const closeTicket = write('tickets.close', '/v1/tickets/{id}/close', '4.8', {
  ...row,
  summary: 'Close a support ticket',
  retry: 'safe',
  returns: z.looseObject({ ticket: Ticket }),
  statuses: [200, 401, 404],
});

const attachmentPath = '/v1/tickets/{id}/attachments/{attachmentId}';
export const getAttachment = read('tickets.attachment', attachmentPath, '4.8', {
  ...row,
  summary: 'Download an attachment of a support ticket',
  returns: 'bytes',
  bytesTypes: ticketImageTypes,
  statuses: [200, 401, 404],
  moreStatuses: [206, 416],
});

/** Section 2.15: no extra properties. */
export const FeedbackRequest = z.strictObject({
  category: z.enum(feedbackCategories),
  summary: characters(limits.feedback.summaryCharacters),
  details: characters(limits.feedback.detailsCharacters),
  ...references,
});

export const createFeedback = write('feedback.create', '/v1/technical-feedback', '4.8', {
  ...report,
  summary: 'Send a technical report',
  body: FeedbackRequest,
  statuses: [201, 200, 400, 401, 422],
  statusNotes: {
    200: 'merged with an active ticket of the same content',
    422: 'the text contains a non-technical instruction',
  },
});

export const getFeedback = read('feedback.get', '/v1/technical-feedback/{id}', '4.8', {
  ...report,
  summary: 'Show a technical report',
  statuses: [200, 401, 404],
});
