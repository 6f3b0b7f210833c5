/** The legacy technical report, a deprecated alias of tickets (sections 2.15 and 4.8). */
import type * as z from 'zod/mini';
import * as rows from '../contract/feedback.js';
import { call } from './call.js';
import type { Client } from './client.js';

export type FeedbackBody = z.input<typeof rows.FeedbackRequest>;

/** Sends a report; the reply is not shown. @throws what `call` throws. */
export async function createFeedback(client: Client, body: FeedbackBody): Promise<unknown> {
  return (await call(client, rows.createFeedback, { body })).data;
}

/** A report of this account; the reply is not shown. @throws what `call` throws. */
export async function getFeedback(client: Client, id: string): Promise<unknown> {
  return (await call(client, rows.getFeedback, { params: { id } })).data;
}
