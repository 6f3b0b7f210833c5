/** The legacy technical report: a ticket by other names (sections 2.15 and 4.8). */
import { createFeedback } from '../contract/tickets.js';
import { json, type Call } from './call.js';
import { ServiceFailure } from './failure.js';
import { openTicket } from './tickets/open.js';
import { isOrder } from './tickets/operational.js';
import { ticketJson } from './tickets/wire.js';

/** POST /v1/technical-feedback; its replies are not shown, so they are those of tickets. */
export async function create(call: Call): Promise<Response> {
  const { house, caller } = call;
  const { summary, details, requestIds = [], ...fields } = await call.body(createFeedback.body);
  for (const [field, text] of Object.entries({ summary, details })) {
    if (!isOrder(text)) continue;
    throw new ServiceFailure(
      422,
      'non_technical_instruction',
      `${field} asks for money, access or limits: a technical report can bring about none of them`,
    );
  }
  const { ticket, deduplicated } = openTicket(house, caller.accountId, {
    ...fields,
    source: 'technical-feedback',
    subject: summary,
    message: details,
    requestIds,
    attachments: [],
  });
  return json({ deduplicated, ticket: ticketJson(ticket) }, deduplicated ? 200 : 201);
}
