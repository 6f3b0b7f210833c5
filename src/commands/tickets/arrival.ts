/** Finds out whether a message is in a thread, when its answer got lost. */
import type { Client } from '../../api/client.js';
import { getTicket, type TicketThread } from '../../api/tickets.js';
import { OutcomeUnknown } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';

/** How long to wait before each look, in milliseconds: the service may still be at work. */
const looksAfterMs = [0, 2000, 5000] as const;

export interface Lost {
  /** The thread as it was before the message was sent. */
  readonly before: TicketThread;
  readonly message: string;
  /** Why there is no answer. */
  readonly cause: Error;
}

/**
 * The thread with the message in it: more messages of ours with this text than before.
 * @throws OutcomeUnknown when it has not appeared, or nobody could be asked. It is never sent
 * again: what has not appeared may still be on its way.
 */
export async function arrivedIn(client: Client, lost: Lost): Promise<TicketThread> {
  const { before, message } = lost;
  const there = countOf(before, message);
  for (const waitMs of looksAfterMs) {
    if (waitMs > 0) await client.clock.sleep(waitMs, client.signal);
    const thread = await look(client, lost);
    if (countOf(thread, message) > there) return thread;
  }
  throw unknown('the message is not in the thread so far', lost);
}

async function look(client: Client, lost: Lost): Promise<TicketThread> {
  try {
    return await getTicket(client, lost.before.id);
  } catch (error) {
    if (client.signal.aborted) throw error;
    throw unknown('the thread could not be read', lost);
  }
}

function countOf({ messages }: TicketThread, text: string): number {
  const wanted = bare(text);
  return (messages ?? []).filter(
    ({ author, body }) => author === 'client' && bare(body ?? '') === wanted,
  ).length;
}

/** A service may trim what it was given, and a form may change the ends of its lines. */
function bare(text: string): string {
  return text.replaceAll('\r\n', '\n').trim();
}

function unknown(what: string, { before, cause }: Lost): OutcomeUnknown {
  return new OutcomeUnknown(`${cause.message}; ${what}`, {
    code: 'reply_unknown',
    hint: `look again before you send it again: \`svc tickets show ${plainText(before.id, 100)}\``,
    cause,
  });
}
