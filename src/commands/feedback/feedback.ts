import { call } from '../../api/call.js';
import { createFeedback } from '../../api/tickets.js';
import type { Handler } from '../../context.js';
import { FeedbackRequest, getFeedback } from '../../contract/tickets.js';
import { UsageError } from '../../errors.js';
import { isRecord, recordOf, textOf } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { incidentFor } from '../../state/incidents.js';
import { showFields } from '../fields.js';
import { openJobs, progressWriter } from '../../jobs/job.js';
import { checkFields, textFrom } from '../tickets/message.js';
import type * as declared from './index.js';

export const create: Handler<typeof declared.create> = async (context, { options }) => {
  const { flags, out, paths, clock, commandHint } = context;
  out.warn(commandHint('this command is deprecated: use `svc tickets create`'));
  const { requestId, incidentId } = options;
  const category = required(options.category, '--category is missing');
  const summary = required(options.summary, '--summary is missing');
  const text = await textFrom(context, '--details', { ...options, text: options.details });
  const details = required(text, 'the details are missing: --details, -f, or pipe them in');
  const requestIds = requestId.length === 0 ? undefined : [...requestId];
  const fields = { category, summary, details, requestIds, clientIncidentId: incidentId };
  checkFields(FeedbackRequest, fields);
  const { client, account } = await openJobs(context);
  const report = { category, subject: summary, message: details, requestIds: requestId };
  const clientIncidentId = incidentId ?? incidentFor(paths, account, report, clock.now());
  const reply = await createFeedback(client, { ...fields, clientIncidentId });
  if (flags.json) return out.json(reply);
  // The reply is not specified: the id may be in it, or in its ticket.
  const whole = recordOf(reply);
  const id = textOf(recordOf(whole['ticket'])['id']) ?? textOf(whole['id']);
  if (id !== undefined) await out.line(plainText(id, 100));
  if (whole['deduplicated'] === true) {
    progressWriter(context)('no new report: an open one has the same content');
  }
};

export const show: Handler<typeof declared.show> = async (context, { args: { id } }) => {
  context.out.warn(context.commandHint('this command is deprecated: use `svc tickets show`'));
  const { data } = await call(await context.client(), getFeedback, { params: { id } });
  const { ticket } = recordOf(data);
  await showFields(context, !context.flags.json && isRecord(ticket) ? ticket : data);
};

function required<Value>(value: Value | undefined, missing: string): Value {
  if (value !== undefined) return value;
  throw new UsageError(missing, { hint: 'svc feedback create --help' });
}
