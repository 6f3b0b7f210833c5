/** Opens a ticket: its incident id is on disk before it is sent, so that no report opens two. */
import type * as z from 'zod/mini';
import type { Client } from '../../api/client.js';
import {
  createTicket,
  formOf,
  type Image,
  type TicketBody,
  type TicketCreated,
} from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import { defaultTicketCategory } from '../../contract/enums.js';
import { explain } from '../../contract/explain.js';
import { TicketCreateRequest } from '../../contract/tickets.js';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { incidentFor } from '../../state/incidents.js';
import type { Account } from '../../state/account.js';
import { sayer } from '../../jobs/job.js';
import { whileSending } from '../sending.js';

export interface Report {
  /** Without an incident id of the person's own one is made. */
  readonly body: TicketBody;
  readonly images: readonly Image[];
}

/** Who opens it. */
export interface Reporter {
  readonly client: Client;
  readonly account: Account;
}

/** @throws UsageError in one sentence, before anything is sent or written. */
export function checkFields(schema: z.ZodMiniType, fields: unknown): void {
  const fault = schema.safeParse(fields).error;
  if (fault) throw new UsageError(explain(fault, fields), { code: 'invalid_input' });
}

/**
 * Sends a report and tells what came of it: the id of the ticket is all that stdout gets.
 * @throws UsageError for what the service would refuse; LocalFileError when the incident id cannot
 * be kept: then nothing was sent; what `createTicket` throws.
 */
export async function openTicket(
  context: Context,
  { client, account }: Reporter,
  { body: given, images }: Report,
): Promise<void> {
  checkFields(TicketCreateRequest, given);
  const { category = defaultTicketCategory, subject, message, requestIds = [] } = given;
  const wish = { category, subject, message, requestIds };
  const clientIncidentId =
    given.clientIncidentId ?? incidentFor(context.paths, account, wish, context.clock.now());
  const body = { ...given, clientIncidentId };
  const payload = formOf(body, images);
  const sent = payload
    ? whileSending(context, payload, 'opening the ticket', (counted) =>
        createTicket(client, body, counted),
      )
    : createTicket(client, body);
  const created = await sent.catch((error: unknown) => {
    if (context.signal.aborted) {
      context.out.error('the ticket may have been opened; the same command opens no second one');
    }
    throw error;
  });
  await tell(context, created, images.length > 0);
}

async function tell(context: Context, created: TicketCreated, hasImages: boolean): Promise<void> {
  const { flags, out, onward } = context;
  if (flags.json) {
    await out.json(created);
    return;
  }
  const { ticket, deduplicated } = created;
  const id = plainText(ticket.id, 100);
  await out.line(id);
  const say = sayer(context);
  if (deduplicated) {
    const { occurrences } = ticket;
    const often = occurrences ? `, reported ${String(occurrences)} times by now` : '';
    say(`no new ticket: ${id} says the same${often}`);
    if (hasImages) say(onward(`see whether the images are in it: svc tickets show ${id}`));
  }
  if (out.isErrorTerminal) out.dim(onward(`wait for the answer: svc tickets watch ${id}`));
}
