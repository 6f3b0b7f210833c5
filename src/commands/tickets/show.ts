import { getTicket } from '../../api/tickets.js';
import type { Handler } from '../../cli/declaration.js';
import type { show } from './index.js';
import { showThread } from './thread.js';

/** Shows a ticket with its messages. */
export const run: Handler<typeof show> = async (context, { args }) => {
  const { flags, out } = context;
  const ticket = await getTicket(await context.client(), args.id);
  if (flags.json) await out.json({ ticket });
  else await showThread(out, ticket);
};
