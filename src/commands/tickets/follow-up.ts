/** A new ticket in the place of one that is closed and takes no message. */
import type { TicketBody, TicketThread } from '../../api/tickets.js';
import { ticketCategories } from '../../contract/enums.js';
import { tickets as limits } from '../../contract/limits.js';
import { plainText } from '../../lib/plain-text.js';

/** What a closed ticket gives to the one that follows it. */
export interface Cited {
  readonly subject: string;
  readonly category: TicketBody['category'];
}

export function citedFrom({ id, subject, category }: TicketThread): Cited {
  const bare = plainText(subject ?? '', limits.subjectCharacters.max).replace(/^(?:re:\s*)+/i, '');
  return {
    subject: plainText(`Re: ${bare === '' ? id : bare}`, limits.subjectCharacters.max),
    category: ticketCategories.find((known) => known === category),
  };
}

/** The message with words that name the closed ticket. */
export function citing(message: string, id: string): string {
  return `${message.trimEnd()}\n\n(This follows ${id}, which is closed.)`;
}
