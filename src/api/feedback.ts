/** The legacy technical report, a deprecated alias of tickets (sections 2.15 and 4.8). */
import type * as z from 'zod/mini';
import * as rows from '../contract/feedback.js';
import { call } from './call.js';
import type { Client } from './client.js';
import { repeatable } from './failure.js';

export type FeedbackBody = z.input<typeof rows.FeedbackRequest>;

/** A report with the id under which the service knows it again. */
export type IdentifiedFeedback = FeedbackBody & { readonly clientIncidentId: string };

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
