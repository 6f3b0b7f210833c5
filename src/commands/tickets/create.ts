import * as z from 'zod/mini';
import { getTicket, type Image, type TicketBody } from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { TicketCreateRequest } from '../../contract/tickets.js';
import { ApiError, UsageError } from '../../errors.js';
import { shellWord } from '../../lib/names.js';
import { sayer } from '../jobs/sayer.js';
import { openJobs } from '../jobs/world.js';
import { approve } from './approve.js';
import { canAsk } from '../can-ask.js';
import { withDraft, type Draft } from './draft.js';
import { failureReport } from './failure-report.js';
import { citedFrom, citing, type Cited } from './follow-up.js';
import { askCategory, askImages, askRequestIds, askSubject, messageHelp } from './guide.js';
import { readImages } from './images.js';
import type { create } from './index.js';
import { checkFields, openTicket, type Report, type Reporter } from './open.js';
import { textFrom } from './text.js';

type Options = InputOf<typeof create>['options'];

/** What the command line gives of a report, checked as far as it goes. */
interface Given {
  readonly body: Partial<TicketBody>;
  readonly images: readonly Image[];
}

/** Opens a ticket: from flags, and on a terminal from answers to questions for what is missing. */
export const run: Handler<typeof create> = async (context, { options }) => {
  if (options.fromLastError && options.followUp !== undefined) {
    throw new UsageError('--from-last-error and --follow-up cannot go together', { code: 'usage' });
  }
  const given = await givenIn(context, options);
  if (options.fromLastError) {
    const reporter = await openJobs(context);
    const body = failureReport(context, reporter.account, given.body);
    checkFields(TicketCreateRequest, body);
    await approve(context, body, given.images);
    await openWithout(context, reporter, { body, images: given.images }, given.body.requestIds);
    return;
  }
  if (!canAsk(context)) demandGiven(given, options);
  const reporter = await openJobs(context);
  await withDraft(context, async (draft) => {
    const cited = await citedBy(reporter, options.followUp);
    await openTicket(context, reporter, await whole(context, reporter, { given, cited, draft }));
  });
};

/**
 * Opens a ticket. The request ids that svc put in may be none of the account's, as those of calls
 * that were refused before it was known whose they are: then it goes with the person's alone.
 */
async function openWithout(
  context: Context,
  reporter: Reporter,
  report: Report,
  own: TicketBody['requestIds'],
): Promise<void> {
  const { requestIds, ...body } = report.body;
  const isPadded = (requestIds?.length ?? 0) > (own?.length ?? 0);
  try {
    await openTicket(context, reporter, report);
  } catch (error) {
    if (!isPadded || !(error instanceof ApiError) || error.status !== 400) throw error;
    sayer(context)('the service does not take its request ids; they stand in the text alone');
    const fewer = { ...body, ...(own ? { requestIds: own } : {}) };
    await openTicket(context, reporter, { ...report, body: fewer });
  }
}

/** @throws UsageError before anything is sent. */
async function givenIn(context: Context, options: Options): Promise<Given> {
  const { subject, category, requestId, incidentId, attach } = options;
  const images = await readImages(attach, context.stdin);
  const message = await textFrom(context, {
    text: options.message,
    file: options.file,
    name: '--message',
    isStdinTaken: attach.includes('-'),
    isOptional: options.fromLastError === true,
  });
  const body = {
    ...(subject === undefined ? {} : { subject }),
    ...(message === undefined ? {} : { message }),
    ...(category === undefined ? {} : { category }),
    ...(requestId.length === 0 ? {} : { requestIds: [...requestId] }),
    ...(incidentId === undefined ? {} : { clientIncidentId: incidentId }),
  };
  checkFields(z.partial(TicketCreateRequest), body);
  return { body, images };
}

function demandGiven({ body }: Given, { followUp }: Options): void {
  const missing =
    body.subject === undefined && followUp === undefined
      ? '--subject is missing'
      : body.message === undefined
        ? 'the message is missing: --message, -f, or pipe it in'
        : undefined;
  if (missing === undefined) return;
  throw new UsageError(missing, { code: 'usage', hint: 'svc tickets create --help' });
}

interface CitedTicket extends Cited {
  readonly id: string;
}

async function citedBy(
  { client }: Reporter,
  id: string | undefined,
): Promise<CitedTicket | undefined> {
  if (id === undefined) return undefined;
  return { id, ...citedFrom(await getTicket(client, id)) };
}

interface Parts {
  readonly given: Given;
  readonly cited: CitedTicket | undefined;
  readonly draft: Draft;
}

/** Asks for what is missing; where nothing was given, for everything else too. */
async function whole(
  context: Context,
  { client }: Reporter,
  { given: { body, images }, cited, draft }: Parts,
): Promise<Report> {
  const isGuided = body.subject === undefined && body.message === undefined && !cited;
  const category =
    body.category ?? cited?.category ?? (isGuided ? await askCategory(context) : undefined);
  const subject = body.subject ?? cited?.subject ?? (await askSubject(context));
  const known = { ...body, subject, ...(category === undefined ? {} : { category }) };
  draft.sentBy(commandFor(known, cited));
  const message = body.message ?? (await draft.write({ message: 'Message', help: messageHelp }));
  // Before more is asked for.
  checkFields(z.partial(TicketCreateRequest), { message });
  const asksMore = isGuided && !context.flags.dryRun && !context.flags.curl;
  const requestIds =
    body.requestIds ?? (asksMore ? [...(await askRequestIds(context, client))] : []);
  if (requestIds.length > 0) draft.sentBy(commandFor({ ...known, requestIds }, cited));
  return {
    images: images.length === 0 && isGuided ? await askImages(context) : images,
    body: {
      ...known,
      message: cited ? citing(message, cited.id) : message,
      ...(requestIds.length === 0 ? {} : { requestIds }),
    },
  };
}

/** The command for the same report, up to its message: with the same fields it is the same report. */
function commandFor(body: Partial<TicketBody>, cited: CitedTicket | undefined): string {
  const flags = [
    ['--follow-up', cited?.id],
    ['--subject', body.subject],
    ['--category', body.category],
    ...(body.requestIds ?? []).map((id) => ['--request-id', id] as const),
    ['--incident-id', body.clientIncidentId],
  ] as const;
  const words = flags.flatMap(([flag, value]) => (value ? [`${flag} ${shellWord(value)}`] : []));
  return ['svc tickets create', ...words].join(' ');
}
