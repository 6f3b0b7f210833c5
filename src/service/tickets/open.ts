/** Opens a ticket, or finds the one that the same report opened (section 3.3). */
import { tickets as limits } from '../../contract/limits.js';
import type { House } from '../call.js';
import { digestOf } from '../idempotency.js';
import { badRequest } from '../failure.js';
import { isRequestOf } from '../request-id.js';
import { findJob } from '../store/media-jobs.js';
import { addMessage, type Attachment } from '../store/ticket-messages.js';
import {
  addTicket,
  countOccurrence,
  findTicket,
  openTicketSaying,
  setIncident,
  ticketOfIncident,
  type NewTicket,
  type Ticket,
} from '../store/tickets.js';
import { findUsage } from '../store/usage.js';
import { demandPace } from './pace.js';
import { answerDueWithin } from './staff.js';

/** What a client reports. */
export interface Report extends Pick<
  NewTicket,
  'source' | 'subject' | 'category' | 'requestIds' | 'clientIncidentId'
> {
  readonly message: string;
  readonly attachments: readonly Attachment[];
}

export interface Opened {
  readonly ticket: Ticket;
  /** No ticket was made: one that was there says the same. */
  readonly deduplicated: boolean;
}

/**
 * All of it in one transaction: five reports of the same at once open one ticket.
 * @throws ServiceFailure 400 for request ids that are not the account's, 429 beyond its pace;
 * nothing is changed then
 */
export function openTicket(house: House, accountId: string, report: Report): Opened {
  const { store, clock } = house;
  const { clientIncidentId } = report;
  const contentHash = hashOf(report);
  return store.transaction(() => {
    answerDueWithin(house, accountId);
    demandOwned(house, accountId, report.requestIds);
    const known = matching(house, accountId, contentHash, clientIncidentId);
    if (known) countOccurrence(store, known.id, clock.now());
    else demandPace(house, accountId, 'tickets', limits.newPerHour);
    const id = known?.id ?? add(house, accountId, contentHash, report);
    if (clientIncidentId !== undefined) setIncident(store, accountId, clientIncidentId, id);
    const ticket = findTicket(store, accountId, id);
    if (!ticket) throw new Error('the ticket that was just written is not there');
    return { ticket, deduplicated: known !== undefined };
  });
}

/** The order of the request ids does not count. */
function hashOf({ category, subject, message, requestIds }: Report): string {
  return digestOf({ category, subject, message, requestIds: [...requestIds].sort() });
}

/**
 * The ticket that a report only repeats. The same words match an open ticket; an incident id is
 * kept for being sent again, so it matches one that staff has answered in the meantime as well.
 */
function matching(
  { store }: House,
  accountId: string,
  contentHash: string,
  clientIncidentId: string | undefined,
): Ticket | undefined {
  const ofIncident =
    clientIncidentId === undefined
      ? undefined
      : ticketOfIncident(store, accountId, clientIncidentId);
  if (ofIncident && ofIncident.status !== 'closed') return ofIncident;
  return openTicketSaying(store, accountId, contentHash);
}

function add(
  { store, clock, newId, ticketReplyMs }: House,
  accountId: string,
  contentHash: string,
  { message, attachments, ...report }: Report,
): string {
  const id = `ticket_${newId()}`;
  const createdAtMs = clock.now();
  const replyDueAtMs = createdAtMs + ticketReplyMs;
  addTicket(store, { ...report, id, accountId, contentHash, createdAtMs, replyDueAtMs });
  addMessage(store, {
    id: `tmsg_${newId()}`,
    ticketId: id,
    author: 'client',
    body: message,
    attachments,
    createdAtMs,
  });
  return id;
}

/** A request id is what x-request-id said, a usage record or a media job. */
function demandOwned(house: House, accountId: string, requestIds: readonly string[]): void {
  const { store } = house;
  for (const [index, id] of requestIds.entries()) {
    const isOwned =
      isRequestOf(house, accountId, id) ||
      findUsage(store, accountId, id) !== undefined ||
      findJob(store, accountId, id) !== undefined;
    if (isOwned) continue;
    throw badRequest(
      `requestIds[${index}] names no request of this account`,
      `requestIds[${index}]`,
      'foreign_request_id',
    );
  }
}
