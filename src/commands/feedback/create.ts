import { createFeedback } from '../../api/tickets.js';
import type { Handler } from '../../cli/declaration.js';
import { FeedbackRequest } from '../../contract/tickets.js';
import { UsageError } from '../../errors.js';
import { recordOf, textOf } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { incidentFor } from '../../state/incidents.js';
import { openJobs } from '../jobs/world.js';
import { sayer } from '../jobs/sayer.js';
import { checkFields, textFrom } from '../tickets/message.js';
import type { create } from './index.js';

/** Sends a technical report; its id, where the reply tells one, is all that stdout gets. */
export const run: Handler<typeof create> = async (context, { options }) => {
  const { flags, out, paths, clock, onward } = context;
  const { category, summary, requestId, incidentId } = options;
  out.warn(onward('this command is deprecated: use `svc tickets create`'));
  if (category === undefined) throw missing('--category is missing');
  if (summary === undefined) throw missing('--summary is missing');
  const details = await textFrom(context, {
    text: options.details,
    file: options.file,
    name: '--details',
  });
  if (details === undefined)
    throw missing('the details are missing: --details, -f, or pipe them in');
  const fields = {
    category,
    summary,
    details,
    ...(requestId.length === 0 ? {} : { requestIds: [...requestId] }),
    ...(incidentId === undefined ? {} : { clientIncidentId: incidentId }),
  };
  checkFields(FeedbackRequest, fields);
  const { client, account } = await openJobs(context);
  const wish = { category, subject: summary, message: details, requestIds: requestId };
  const clientIncidentId = incidentId ?? incidentFor(paths, account, wish, clock.now());
  const reply = await createFeedback(client, { ...fields, clientIncidentId });
  if (flags.json) {
    await out.json(reply);
    return;
  }
  const id = idIn(reply);
  if (id !== undefined) await out.line(id);
  if (recordOf(reply)['deduplicated'] === true) sayer(context)('no new report: one says the same');
};

function missing(message: string): UsageError {
  return new UsageError(message, { code: 'usage', hint: 'svc feedback create --help' });
}

/** The reply is not shown: the id may stand in it, or in the ticket in it. */
function idIn(reply: unknown): string | undefined {
  const whole = recordOf(reply);
  const id = textOf(recordOf(whole['ticket'])['id']) ?? textOf(whole['id']);
  return id === undefined ? undefined : plainText(id, 100);
}
