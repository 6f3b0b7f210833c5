/**
 * Answers tickets in the place of staff. Nothing runs in the background: an answer has been given
 * when its time is over, and whoever looks first writes it down, dated to that time.
 */
import type { House } from '../call.js';
import { addMessage } from '../store/ticket-messages.js';
import { dueReplies, hasDueReply, markReplied } from '../store/tickets.js';

/** It says what it is. Whatever a ticket asks for, nothing is done: its text is not even read. */
const answer =
  'This answer comes by itself: nobody reads the tickets of the embedded service, and nothing ' +
  'follows from them. A message in this ticket opens it again and is answered like this one.';

/** Writes down the answers of an account's tickets whose time is over. */
export function answerDue(house: House, accountId: string): void {
  const { store, clock } = house;
  if (!hasDueReply(store, accountId, clock.now())) return;
  store.transaction(() => answerDueWithin(house, accountId));
}

/** As `answerDue`, inside a transaction of the caller's. */
export function answerDueWithin({ store, clock, newId }: House, accountId: string): void {
  for (const { id, replyDueAtMs: createdAtMs } of dueReplies(store, accountId, clock.now())) {
    if (createdAtMs === undefined) continue;
    const message = { id: `tmsg_${newId()}`, ticketId: id, author: 'staff', body: answer } as const;
    addMessage(store, { ...message, attachments: [], createdAtMs });
    markReplied(store, id, createdAtMs);
  }
}
