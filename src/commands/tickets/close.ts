import { closeTicket } from '../../api/tickets.js';
import type { Handler } from '../../cli/declaration.js';
import { plainText } from '../../lib/plain-text.js';
import type { close } from './index.js';

/** Closes a ticket. */
export const run: Handler<typeof close> = async (context, { args }) => {
  const { flags, out } = context;
  const reply = await closeTicket(await context.client(), args.id);
  if (flags.json) await out.json(reply);
  else
    out.note(
      `${plainText(reply.ticket.id, 100)} is ${plainText(reply.ticket.status ?? 'closed', 40)}`,
    );
};
