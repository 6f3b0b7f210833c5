import { join } from 'node:path';
import * as z from 'zod/mini';
import { usagePage } from '../../api/billing.js';
import type { Client } from '../../api/client.js';
import {
  createTicket,
  getTicket,
  type Image,
  type TicketBody,
  type TicketThread,
} from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { defaultTicketCategory, ticketCategories } from '../../contract/enums.js';
import { tickets as limits } from '../../contract/limits.js';
import { TicketCreateRequest } from '../../contract/tickets.js';
import { ApiError, UsageError, SvcError } from '../../errors.js';
import { progressWriter, openJobs, canAsk, type JobEnv } from '../../jobs/job.js';
import { formatRub } from '../../lib/amounts.js';
import { shellWord } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { incidentFor } from '../../state/incidents.js';
import { homeFolders } from '../../state/paths.js';
import { failureReport } from './failure-report.js';
import { between, type create } from './index.js';
import { checkFields, readImages, sendFields, textFrom, withDraft, type Draft } from './message.js';
import { momentWords } from './threads.js';

type Options = InputOf<typeof create>['options'];

interface Report {
  readonly body: TicketBody;
  readonly images: readonly Image[];
}

type Given = Partial<TicketBody>;

export const run: Handler<typeof create> = async (context, { options }) => {
  const { attach, followUp, fromLastError } = options;
  const images = await readImages(attach, context.stdin);
  const given = await givenIn(context, options);
  if (!fromLastError && !canAsk(context)) assertWhole(given, followUp);
  const reporter = await openJobs(context);
  if (fromLastError) return reportFailure(context, reporter, given, images);
  await withDraft(context, async (draft) => {
    const { client } = reporter;
    const cited = followUp === undefined ? undefined : await getTicket(client, followUp);
    const report = await askedFor(context, client, { body: given, images }, cited, draft);
    await openTicket(context, reporter, report);
  });
};

/** Tells of the last command that failed, once the person has seen what is sent. */
async function reportFailure(
  context: Context,
  reporter: JobEnv,
  given: Given,
  images: readonly Image[],
): Promise<void> {
  const body = failureReport(context, reporter.account, given);
  checkFields(TicketCreateRequest, body);
  await approve(context, { body, images });
  const own = given.requestIds;
  await openTicket(context, reporter, { body, images }).catch(async (error: unknown) => {
    // Ids of calls that were refused before it was known whose they are may be nobody's.
    const isPadded = body.requestIds?.length !== own?.length;
    if (!isPadded || !(error instanceof ApiError) || error.status !== 400) throw error;
    const say = progressWriter(context);
    say('the service does not take its request ids; they stand in the text alone');
    await openTicket(context, reporter, { body: { ...body, requestIds: own }, images });
  });
}

async function givenIn(context: Context, options: Options): Promise<Given> {
  const { subject, category, requestId, incidentId: clientIncidentId } = options;
  const message = await textFrom(context, {
    text: options.message,
    file: options.file,
    name: '--message',
    isStdinTaken: options.attach.includes('-'),
    isOptional: options.fromLastError === true,
  });
  const requestIds = requestId.length === 0 ? undefined : [...requestId];
  const body = { subject, message, category, requestIds, clientIncidentId };
  checkFields(z.partial(TicketCreateRequest), body);
  return body;
}

function assertWhole({ subject = '', message }: Given, followUp: string | undefined): void {
  const lacksSubject = subject === '' && followUp === undefined;
  if (!lacksSubject && message !== undefined) return;
  const missing = lacksSubject
    ? '--subject is missing'
    : 'the message is missing: --message, -f, or pipe it in';
  throw new UsageError(missing, { code: 'usage', hint: 'svc tickets create --help' });
}

async function askedFor(
  context: Context,
  client: Client,
  { body, images }: { readonly body: Given; readonly images: readonly Image[] },
  closed: TicketThread | undefined,
  draft: Draft,
): Promise<Report> {
  const { flags, prompts } = context;
  const cited = closed && citedFrom(closed);
  const isGuided = body.subject === undefined && body.message === undefined && !cited;
  const given = body.category ?? cited?.category;
  const category = given ?? (isGuided ? await askCategory(context) : undefined);
  const validate = (text: string) =>
    TicketCreateRequest.shape.subject.safeParse(text).success || between(limits.subjectCharacters);
  const subject =
    body.subject ?? cited?.subject ?? (await prompts.text({ message: 'Subject', validate }));
  const known = { ...body, subject, category };
  draft.command = commandFor(known, closed?.id);
  const message = body.message ?? (await draft.write(messageHelp));
  checkFields(z.partial(TicketCreateRequest), { message });
  const asksMore = isGuided && !flags.dryRun;
  const requestIds =
    body.requestIds ?? (asksMore ? await askRequestIds(context, client) : undefined);
  draft.command = commandFor({ ...known, requestIds }, closed?.id);
  return {
    images: images.length === 0 && isGuided ? await askImages(context) : images,
    body: { ...known, message: closed ? citing(message, closed.id) : message, requestIds },
  };
}

export function citedFrom({ id, subject, category }: TicketThread) {
  const bare = plainText(subject ?? '', limits.subjectCharacters.max).replace(/^(?:re:\s*)+/i, '');
  return {
    subject: plainText(`Re: ${bare === '' ? id : bare}`, limits.subjectCharacters.max),
    category: ticketCategories.find((known) => known === category),
  };
}

export function citing(message: string, id: string): string {
  return `${message.trimEnd()}\n\n(This follows ${id}, which is closed.)`;
}

/** The command for the same report, up to its message: with the same fields it is the same report. */
function commandFor(body: Given, followUp: string | undefined): string {
  const flags = [
    ['--follow-up', followUp],
    ['--subject', body.subject],
    ['--category', body.category],
    ...(body.requestIds ?? []).map((id) => ['--request-id', id] as const),
    ['--incident-id', body.clientIncidentId],
  ] as const;
  const words = flags.flatMap(([flag, value]) => (value ? [`${flag} ${shellWord(value)}`] : []));
  return ['svc tickets create', ...words].join(' ');
}

/** @throws UsageError when the answer is no, or nobody can be asked and --yes is not given. */
async function approve(context: Context, { body, images }: Report): Promise<void> {
  const { flags, out, prompts } = context;
  if (flags.dryRun) return;
  if (!flags.yes && !canAsk(context)) {
    throw new UsageError('nobody can be asked here whether the report may go; nothing was sent', {
      code: 'not_confirmed',
      hint: 'see it with --dry-run, and send it with --yes',
    });
  }
  const { subject, category = defaultTicketCategory, requestIds = [], message } = body;
  const names = images.map(({ name }) => name);
  const shown = [
    `subject: ${subject}`,
    `category: ${category}`,
    ...(requestIds.length === 0 ? [] : [`request ids: ${requestIds.join(', ')}`]),
    ...(names.length === 0 ? [] : [`images: ${names.join(', ')}`]),
    '',
    ...message
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`.trimEnd()),
    '',
  ];
  // Under --json stderr is for programs; but who is asked has to see what about.
  if (!flags.json || !flags.yes) out.error(shown.join('\n'));
  if (await prompts.confirm({ message: 'Send this to support?', default: false })) return;
  throw new UsageError('nothing was sent', { code: 'not_confirmed' });
}

/** Sends a report, whose incident id is on disk before; the ticket's id is all that stdout gets. */
export async function openTicket(
  context: Context,
  { client, account }: JobEnv,
  { body: given, images }: Report,
): Promise<void> {
  const { clock, flags, commandHint, out, paths } = context;
  checkFields(TicketCreateRequest, given);
  const { category = defaultTicketCategory, requestIds = [] } = given;
  const report = { ...given, category, requestIds };
  const clientIncidentId =
    given.clientIncidentId ?? incidentFor(paths, account, report, clock.now());
  const body = { ...given, clientIncidentId };
  const interrupted = 'the ticket may have been opened; the same command opens no second one';
  const doing = { after: 'opening the ticket', interrupted };
  const created = await sendFields(context, body, images, doing, (payload) =>
    createTicket(client, body, payload),
  );
  if (flags.json) return out.json(created);
  const { occurrences } = created.ticket;
  const id = plainText(created.ticket.id, 100);
  await out.line(id);
  const say = progressWriter(context);
  if (created.deduplicated) {
    const often = occurrences ? `, reported ${String(occurrences)} times by now` : '';
    say(`no new ticket: ${id} says the same${often}`);
    if (images.length > 0) {
      say(commandHint(`see whether the images are in it: svc tickets show ${id}`));
    }
  }
  if (out.isErrorTerminal) out.dim(commandHint(`wait for the answer: svc tickets watch ${id}`));
}

type Category = NonNullable<TicketBody['category']>;

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

const messageHelp = `What happened, what did you expect? ${between(limits.messageCharacters)}.`;

const offered = 10;

async function askRequestIds({ prompts }: Context, client: Client): Promise<string[] | undefined> {
  const page = await usagePage(client, {}, { limit: offered }).catch((error: unknown) => {
    if (error instanceof SvcError) return undefined;
    throw error;
  });
  const { characters, max } = limits.requestIds;
  const records = (page?.data ?? []).filter(({ id }) => id !== '' && id.length <= characters.max);
  if (records.length === 0) return undefined;
  const ids = await prompts.several({
    message: 'Which calls is it about?',
    choices: records.slice(0, offered).map(({ id, createdAt, model, priceRub }) => {
      const price = typeof priceRub === 'number' ? [formatRub(priceRub)] : [];
      const words = [momentWords(createdAt), plainText(model ?? '', 60), ...price];
      return { value: id, name: [...words, plainText(id, 60)].join('  ') };
    }),
    most: max,
  });
  return ids.length === 0 ? undefined : [...ids];
}

/** One after the other, each looked at before the next is asked for. */
async function askImages({ env, prompts, stdin }: Context): Promise<readonly Image[]> {
  const images: Image[] = [];
  const [home] = homeFolders(env);
  let found: readonly Image[] = [];
  const validate = async (text: string) => {
    const path = pathIn(text, home);
    try {
      found = path === '' ? [] : await readImages([path], stdin);
      return true;
    } catch (error) {
      if (error instanceof SvcError) return error.message;
      throw error;
    }
  };
  do {
    const what = images.length === 0 ? 'An image to attach' : 'Another';
    await prompts.text({ message: `${what} (Enter: none)`, validate });
    images.push(...found);
  } while (found.length > 0 && images.length < limits.attachments.perRequest);
  return images;
}

/** What is dropped on a terminal comes in quotes, or with its spaces escaped; no shell knows `~/`. */
function pathIn(text: string, home: string | undefined): string {
  const trimmed = text.trim();
  const quoted = /^(["'])([^]*)\1$/.exec(trimmed);
  const path = quoted ? (quoted[2] ?? '') : trimmed.replace(/\\(?=[ ()'"&])/g, '');
  return home !== undefined && /^~[/\\]/.test(path) ? join(home, path.slice(2)) : path;
}
