/** The legacy technical report, a deprecated alias of tickets (sections 2.15, 4.8 and 9). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.js';
import { feedbackCategories } from './enums.js';
import * as limits from './limits.js';
import { characters } from './request.js';
import { ClientIncidentId, RequestIds, TicketError } from './tickets.js';

/** Section 2.15: no extra properties. */
export const FeedbackRequest = z.strictObject({
  category: z.enum(feedbackCategories),
  summary: characters(limits.feedback.summaryCharacters),
  details: characters(limits.feedback.detailsCharacters),
  requestIds: z.optional(RequestIds),
  clientIncidentId: z.optional(ClientIncidentId),
});

export const createFeedback = endpoint({
  id: 'feedback.create',
  section: '4.8',
  summary: 'Send a technical report',
  method: 'POST',
  path: '/v1/technical-feedback',
  auth: 'bearer',
  retry: 'never',
  body: FeedbackRequest,
  // Section 4.10: the replies are not shown.
  returns: z.unknown(),
  refusal: TicketError,
  statuses: [201, 200, 400, 401, 422],
  statusNotes: {
    200: 'merged with an active ticket that says the same',
    422: 'the text holds an instruction that is not technical',
  },
  deprecated: true,
});

export const getFeedback = endpoint({
  id: 'feedback.get',
  section: '4.8',
  summary: 'Show a technical report',
  method: 'GET',
  path: '/v1/technical-feedback/{id}',
  auth: 'bearer',
  retry: 'safe',
  returns: z.unknown(),
  refusal: TicketError,
  statuses: [200, 401, 404],
  deprecated: true,
});
