import * as z from 'zod/mini';
import { getTicket, type Image, type TicketBody } from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { TicketCreateRequest } from '../../contract/tickets.js';
import { ApiError, UsageError, SvcError } from '../../errors.js';
import { shellWord } from '../../lib/shell-word.js';
import { sayer, openJobs } from '../../jobs/job.js';
import { canAsk } from '../can-ask.js';
import {
  withDraft,
  type Draft,
  citedFrom,
  citing,
  type Cited,
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
import { usagePage, type UsageRecord } from '../../api/billing.js';
import type { Client } from '../../api/client.js';
import { tickets as limits } from '../../contract/limits.js';
import { formatRub } from '../../lib/money.js';
import { plainText } from '../../lib/plain-text.js';
import { countCharacters } from '../../lib/text-pieces.js';
import { homeFolders } from '../../state/paths.js';
import { momentWords } from './show.js';

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

/** @throws UsageError when the answer is no, or nobody can be asked and --yes is not given. */
async function approve(
  context: Context,
  body: TicketBody,
  images: readonly Image[],
): Promise<void> {
  const { flags, out, prompts } = context;
  // That is shown as a request.
  if (flags.dryRun || flags.curl) return;
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
  { subject, category, requestIds = [], message }: TicketBody,
  images: readonly Image[],
): string {
  const names = images.map(({ name }) => name).join(', ');
  return [
    `subject: ${subject}`,
    `category: ${category ?? defaultTicketCategory}`,
    ...(requestIds.length === 0 ? [] : [`request ids: ${requestIds.join(', ')}`]),
    ...(names === '' ? [] : [`images: ${names}`]),
    '',
    ...message
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`.trimEnd()),
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

function askSubject({ prompts }: Context): Promise<string> {
  const { min, max } = limits.subjectCharacters;
  return prompts.text({
    message: 'Subject',
    validate: (text) => {
      const count = countCharacters(text);
      return (count >= min && count <= max) || `${min} to ${max} characters`;
    },
  });
}

const messageHelp = `What happened, what did you expect? ${limits.messageCharacters.min} to ${limits.messageCharacters.max} characters.`;

/** How many recent calls are offered. */
const offered = 10;

/** Of recent calls; that they cannot be asked for is no reason to give up. */
async function askRequestIds({ prompts }: Context, client: Client): Promise<readonly string[]> {
  const records = await recentCalls(client);
  if (records.length === 0) return [];
  return prompts.several({
    message: 'Which calls is it about?',
    choices: records.map((record) => ({ value: record.id, name: callWords(record) })),
    most: limits.requestIds.max,
  });
}

async function recentCalls(client: Client): Promise<readonly UsageRecord[]> {
  try {
    const { data } = await usagePage(client, {}, { limit: offered });
    const { max } = limits.requestIds.characters;
    return data.filter(({ id }) => id.length > 0 && id.length <= max).slice(0, offered);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return [];
  }
}

function callWords({ id, createdAt, model, priceRub }: UsageRecord): string {
  const price = priceRub === undefined || priceRub === null ? [] : [formatRub(priceRub)];
  return [momentWords(createdAt), plainText(model ?? '', 60), ...price, plainText(id, 60)].join(
    '  ',
  );
}

/** One after the other, each looked at before the next is asked for. */
async function askImages({ env, prompts, stdin }: Context): Promise<readonly Image[]> {
  const images: Image[] = [];
  const pathIn = (text: string) => underHome(unquoted(text), homeFolders(env)[0]);
  while (images.length < limits.attachments.perRequest) {
    const path = pathIn(
      await prompts.text({
        message: images.length === 0 ? 'An image to attach (Enter: none)' : 'Another (Enter: none)',
        validate: async (text) => (pathIn(text) === '' ? true : faultOf(pathIn(text), stdin)),
      }),
    );
    if (path === '') break;
    images.push(...(await readImages([path], stdin)));
  }
  return images;
}

async function faultOf(path: string, stdin: Context['stdin']): Promise<true | string> {
  try {
    await readImages([path], stdin);
    return true;
  } catch (error) {
    if (error instanceof SvcError) return error.message;
    throw error;
  }
}

/** What is dropped on a terminal comes in quotes, or with its spaces escaped. */
function unquoted(text: string): string {
  const trimmed = text.trim();
  const quoted = /^(["'])([^]*)\1$/.exec(trimmed);
  return quoted ? (quoted[2] ?? '') : trimmed.replace(/\\(?=[ ()'"&])/g, '');
}

/** At a question there is no shell that knows what `~/` means. */
function underHome(path: string, home: string | undefined): string {
  return home !== undefined && /^~[/\\]/.test(path) ? join(home, path.slice(2)) : path;
}
