import * as z from 'zod/mini';
import { getTicket, type Image, type TicketBody } from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { TicketCreateRequest } from '../../contract/tickets.js';
import { ApiError, UsageError, SvcError } from '../../errors.js';
import { shellWord } from '../../lib/names.js';
import { progressWriter, openJobs, canAsk } from '../../jobs/job.js';
import {
  withSavedText,
  type SavedText,
  citedFrom,
  citing,
  readImages,
  checkFields,
  openTicket,
  type Report,
  type Reporter,
  textFrom,
} from './message.js';
import { failureReport } from './failure-report.js';
import type { create } from './index.js';
import { defaultTicketCategory, ticketCategories } from '../../contract/enums.js';
import { join } from 'node:path';
import { usagePage } from '../../api/billing.js';
import type { Client } from '../../api/client.js';
import { tickets as limits } from '../../contract/limits.js';
import { formatRub } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import { countCharacters } from '../../lib/text-pieces.js';
import { homeFolders } from '../../state/paths.js';
import { momentWords } from './show.js';

type Options = InputOf<typeof create>['options'];

/** What the command line gives of a report, checked as far as it goes. */
interface Partly {
  readonly body: Partial<TicketBody>;
  readonly images: readonly Image[];
}

/** Opens a ticket: from flags, and on a terminal from answers to questions for what is missing. */
export const run: Handler<typeof create> = async (context, { options }) => {
  const { body: given, images } = await givenIn(context, options);
  if (options.fromLastError) {
    const reporter = await openJobs(context);
    const body = failureReport(context, reporter.account, given);
    checkFields(TicketCreateRequest, body);
    await approve(context, body, images);
    await openWithout(context, reporter, { body, images }, given.requestIds);
    return;
  }
  if (!canAsk(context)) assertGiven(given, options);
  const reporter = await openJobs(context);
  await withSavedText(context, async (draft) => {
    const { followUp: id } = options;
    const cited =
      id === undefined ? undefined : { id, ...citedFrom(await getTicket(reporter.client, id)) };
    const report = await whole(context, reporter.client, { body: given, images }, cited, draft);
    await openTicket(context, reporter, report);
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
  own: TicketBody['requestIds'] = [],
): Promise<void> {
  const { requestIds = [], ...body } = report.body;
  try {
    await openTicket(context, reporter, report);
  } catch (error) {
    const isPadded = requestIds.length > own.length;
    if (!isPadded || !(error instanceof ApiError) || error.status !== 400) throw error;
    progressWriter(context)(
      'the service does not take its request ids; they stand in the text alone',
    );
    const fewer = { ...body, ...(own.length > 0 ? { requestIds: own } : {}) };
    await openTicket(context, reporter, { ...report, body: fewer });
  }
}

/** @throws UsageError before anything is sent. */
async function givenIn(context: Context, options: Options): Promise<Partly> {
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

function assertGiven({ subject, message }: Partial<TicketBody>, { followUp }: Options): void {
  const lacksSubject = subject === undefined && followUp === undefined;
  if (!lacksSubject && message !== undefined) return;
  const missing = lacksSubject
    ? '--subject is missing'
    : 'the message is missing: --message, -f, or pipe it in';
  throw new UsageError(missing, { code: 'usage', hint: 'svc tickets create --help' });
}

type Cited = ReturnType<typeof citedFrom> & { readonly id: string };

/** Asks for what is missing; where nothing was given, for everything else too. */
async function whole(
  context: Context,
  client: Client,
  { body, images }: Partly,
  cited: Cited | undefined,
  draft: SavedText,
): Promise<Report> {
  const { flags, prompts } = context;
  const isGuided = body.subject === undefined && body.message === undefined && !cited;
  const category =
    body.category ?? cited?.category ?? (isGuided ? await askCategory(context) : undefined);
  const { min, max } = limits.subjectCharacters;
  const validate = (text: string) => {
    const count = countCharacters(text);
    return (count >= min && count <= max) || `${min} to ${max} characters`;
  };
  const subject =
    body.subject ?? cited?.subject ?? (await prompts.text({ message: 'Subject', validate }));
  const known = { ...body, subject, ...(category === undefined ? {} : { category }) };
  draft.command = commandFor(known, cited);
  const message = body.message ?? (await draft.write('Message', messageHelp));
  // Before more is asked for.
  checkFields(z.partial(TicketCreateRequest), { message });
  const asksMore = isGuided && !flags.dryRun;
  const requestIds =
    body.requestIds ?? (asksMore ? [...(await askRequestIds(context, client))] : []);
  if (requestIds.length > 0) draft.command = commandFor({ ...known, requestIds }, cited);
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
function commandFor(body: Partial<TicketBody>, cited: Cited | undefined): string {
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

/** @throws UsageError when the answer is no, or nobody can be asked and --yes is not given. */
async function approve(
  context: Context,
  body: TicketBody,
  images: readonly Image[],
): Promise<void> {
  const { flags, out, prompts } = context;
  // That is shown as a request.
  if (flags.dryRun) return;
  if (!flags.yes && !canAsk(context)) {
    throw new UsageError('nobody can be asked here whether the report may go; nothing was sent', {
      code: 'not_confirmed',
      hint: 'see it with --dry-run, and send it with --yes',
    });
  }
  // Under --json stderr is for programs; but who is asked has to see what about.
  if (!flags.json || !flags.yes) out.error(shown(body, images));
  if (await prompts.confirm({ message: 'Send this to support?', default: false })) return;
  throw new UsageError('nothing was sent', { code: 'not_confirmed' });
}

function shown(
  { subject, category = defaultTicketCategory, requestIds = [], message }: TicketBody,
  images: readonly Image[],
): string {
  const names = images.map(({ name }) => name).join(', ');
  const lines = message.trimEnd().split('\n');
  return [
    `subject: ${subject}`,
    `category: ${category}`,
    ...(requestIds.length === 0 ? [] : [`request ids: ${requestIds.join(', ')}`]),
    ...(names === '' ? [] : [`images: ${names}`]),
    '',
    ...lines.map((line) => `  ${line}`.trimEnd()),
    '',
  ].join('\n');
}

type Category = NonNullable<TicketBody['category']>;

/** What is not to be told by its name alone. */
const words: Readonly<Record<Category, string>> = {
  api_error: 'a call fails',
  performance: 'it is slow',
  incorrect_response: 'an answer is wrong',
  integration: 'how to use it',
  feature_request: 'something is missing',
  other: 'something else',
  billing: 'money',
  account: 'keys and access',
  general: 'anything',
};

function askCategory({ prompts }: Context): Promise<Category> {
  return prompts.select({
    message: 'What is it about?',
    choices: ticketCategories.map((value) => ({ value, name: `${value}: ${words[value]}` })),
  });
}

const messageHelp = `What happened, what did you expect? ${limits.messageCharacters.min} to ${limits.messageCharacters.max} characters.`;

/** How many recent calls are offered. */
const offered = 10;

/** Of recent calls; that they cannot be asked for is no reason to give up. */
async function askRequestIds({ prompts }: Context, client: Client): Promise<readonly string[]> {
  const page = await usagePage(client, {}, { limit: offered }).catch((error: unknown) => {
    if (!(error instanceof SvcError)) throw error;
    return { data: [] };
  });
  const { characters, max } = limits.requestIds;
  const records = page.data.filter(({ id }) => id.length > 0 && id.length <= characters.max);
  if (records.length === 0) return [];
  return prompts.several({
    message: 'Which calls is it about?',
    choices: records.slice(0, offered).map(({ id, createdAt, model, priceRub }) => {
      const price = priceRub === undefined || priceRub === null ? [] : [formatRub(priceRub)];
      const words = [momentWords(createdAt), plainText(model ?? '', 60), ...price];
      return { value: id, name: [...words, plainText(id, 60)].join('  ') };
    }),
    most: max,
  });
}

/** One after the other, each looked at before the next is asked for. */
async function askImages({ env, prompts, stdin }: Context): Promise<readonly Image[]> {
  const images: Image[] = [];
  const [home] = homeFolders(env);
  const validate = async (text: string) => {
    try {
      const path = pathIn(text, home);
      if (path !== '') await readImages([path], stdin);
      return true;
    } catch (error) {
      if (error instanceof SvcError) return error.message;
      throw error;
    }
  };
  while (images.length < limits.attachments.perRequest) {
    const message =
      images.length === 0 ? 'An image to attach (Enter: none)' : 'Another (Enter: none)';
    const path = pathIn(await prompts.text({ message, validate }), home);
    if (path === '') break;
    images.push(...(await readImages([path], stdin)));
  }
  return images;
}

/** What is dropped on a terminal comes in quotes, or with its spaces escaped; no shell knows `~/`. */
function pathIn(text: string, home: string | undefined): string {
  const trimmed = text.trim();
  const quoted = /^(["'])([^]*)\1$/.exec(trimmed);
  const path = quoted ? (quoted[2] ?? '') : trimmed.replace(/\\(?=[ ()'"&])/g, '');
  return home !== undefined && /^~[/\\]/.test(path) ? join(home, path.slice(2)) : path;
}
