import { getFeedback } from '../../api/tickets.js';
import type { Handler } from '../../cli/declaration.js';
import { isRecord } from '../../lib/json.js';
import { showFields } from '../fields.js';
import type { show } from './index.js';

/** Shows a technical report; its reply is not shown, so each field as it comes. */
export const run: Handler<typeof show> = async (context, { args }) => {
  context.out.warn(context.onward('this command is deprecated: use `svc tickets show`'));
  const reply = await getFeedback(await context.client(), args.id);
  const inner = isRecord(reply) && isRecord(reply['ticket']) ? reply['ticket'] : reply;
  await showFields(context, context.flags.json ? reply : inner);
};
