import { join } from 'node:path';
import * as z from 'zod/mini';
import { usagePage } from '../../api/billing.js';
import type { Client } from '../../api/client.js';
import { createTicket, formOf, getTicket, type TicketThread } from '../../api/tickets.js';
import type { Context, Handler } from '../../context.js';
import { defaultTicketCategory, ticketCategories } from '../../contract/enums.js';
import { tickets as limits } from '../../contract/limits.js';
import { TicketCreateRequest } from '../../contract/tickets.js';
import { isRefusal, UsageError, SvcError } from '../../errors.js';
import type { FilePart } from '../../http/types.js';
import { progressWriter, openJobs, type JobEnv } from '../../jobs/job.js';
import { formatRub } from '../../lib/amounts.js';
import { shellWord, shortId } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { incidentFor } from '../../state/incidents.js';
import { homeFolders } from '../../state/paths.js';
import { failureReport } from './failure-report.js';
import { rangeWords, type create } from './index.js';
import { checkFields, readImages, sendFields, textFrom, withDraft } from './message.js';
import type { Draft, ReportFields, Report } from './message.js';
import { distanceCell } from '../cells.js';

export const run: Handler<typeof create> = async (context, { options }) => {
  const { followUp: closedId, fromLastError = false } = options;
  const { attach, subject, category, requestId, incidentId: clientIncidentId } = options;
  const images = await readImages(attach, context.stdin);
  const source = { ...options, text: options.message, isOptional: fromLastError };
  const message = await textFrom(context, '--message', source);
  const requestIds = requestId.length === 0 ? undefined : [...requestId];
  const body = { subject, message, category, requestIds, clientIncidentId };
  checkFields(z.partial(TicketCreateRequest), body);
  const fields = { ...body, images };
  if (!fromLastError && !context.prompts.canAsk) {
    const lacksSubject = !fields.subject && closedId === undefined;
    if (lacksSubject) throw missing('--subject is missing');
    if (fields.message === undefined) {
      throw missing('the message is missing: --message, -f, or pipe it in');
    }
  }
  const reporter = await openJobs(context);
  if (fromLastError) {
    const report = failureReport(context, reporter.account, fields);
    await approve(context, report);
    return openTicket(context, reporter, report).catch(async (error: unknown) => {
      // The id of a call that was refused before authentication may belong to no account.
      const isPadded = report.requestIds?.length !== requestIds?.length;
      if (!isPadded || !isRefusal(error, 400)) throw error;
      const say = progressWriter(context);
      say('the service does not accept the request ids; they are only in the text');
      await openTicket(context, reporter, { ...report, requestIds });
    });
  }
  await withDraft(context, async (draft) => {
    const closed = closedId === undefined ? undefined : await getTicket(reporter.client, closedId);
    const report = await completed(reporter, { ...fields, closed }, draft);
    await openTicket(context, reporter, report);
  });
};

function missing(message: string): UsageError {
  return new UsageError(message, { hint: 'svc tickets create --help' });
}

/** Asks for what the flags do not say. */
async function completed(
  { client, context }: JobEnv,
  { closed, ...fields }: ReportFields & { readonly closed: TicketThread | undefined },
  draft: Draft,
): Promise<Report> {
  const { flags, prompts } = context;
  const cited = closed && followUp(closed, '');
  const isGuided = fields.subject === undefined && fields.message === undefined && !cited;
  const known = fields.category ?? cited?.category;
  const choices = ticketCategories.map((value) => {
    return { value, name: categoryWords[value] };
  });
  const question = { message: 'What is this about?', choices };
  const category = known ?? (isGuided ? await prompts.select(question) : undefined);
  const validate = (text: string) =>
    TicketCreateRequest.shape.subject.safeParse(text).success ||
    rangeWords(limits.subjectCharacters);
  const subject =
    fields.subject ?? cited?.subject ?? (await prompts.text({ message: 'Subject', validate }));
  // Only a report with the same fields is recognised as the same.
  const commandWith = (requestIds: readonly string[] = []) =>
    createCommand([
      ['--follow-up', closed?.id],
      ['--subject', subject],
      ['--category', category],
      ...requestIds.map((id) => ['--request-id', id] as const),
      ['--incident-id', fields.clientIncidentId],
    ]);
  draft.command = commandWith(fields.requestIds);
  let message = fields.message ?? (await draft.write(messageHelp));
  checkFields(z.partial(TicketCreateRequest), { message });
  if (closed) ({ message } = followUp(closed, message));
  const report = { ...fields, subject, category, message };
  if (!isGuided) return report;
  report.requestIds ??= flags.dryRun ? undefined : await askRequestIds(context, client);
  draft.command = commandWith(report.requestIds);
  return fields.images.length > 0 ? report : { ...report, images: await askImages(context) };
}

export function followUp({ id, subject, category }: TicketThread, message: string) {
  const bare = plainText(subject ?? '', limits.subjectCharacters.max).replace(/^(?:re:\s*)+/i, '');
  return {
    subject: plainText(`Re: ${bare === '' ? id : bare}`, limits.subjectCharacters.max),
    message: `${message.trimEnd()}\n\n(This follows ${id}, which is closed.)`,
    category: ticketCategories.find((known) => known === category),
  };
}

/** The command for a report, without its message. */
export function createCommand(
  options: readonly (readonly [flag: string, value: string | undefined])[],
): string {
  const words = options.flatMap(([flag, value]) => (value ? [`${flag} ${shellWord(value)}`] : []));
  return ['svc tickets create', ...words].join(' ');
}

/** Asks whether the report may be sent. @throws UsageError when not, or without a terminal */
async function approve(context: Context, { images, ...body }: Report): Promise<void> {
  const { flags, out, prompts } = context;
  checkFields(TicketCreateRequest, body);
  if (flags.dryRun) return;
  if (!flags.yes && !context.prompts.canAsk) {
    throw new UsageError('cannot ask here whether to send the report; nothing was sent', {
      code: 'not_confirmed',
      hint: 'show it with --dry-run, send it with --yes',
    });
  }
  const { subject, category = defaultTicketCategory, requestIds = [], message } = body;
  const names = images.map(({ filename }) => filename);
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
  // With --json stderr is for programs, but a person who is asked must see the report.
  if (!flags.json || !flags.yes) out.error(shown.join('\n'));
  await prompts.assertAgreed('Send this to support?', 'nothing was sent');
}

/** Writes the incident id to disk, sends the report, and prints the id of the ticket to stdout. */
export async function openTicket(
  context: Context,
  { client, account }: JobEnv,
  { images, ...fields }: Report,
): Promise<void> {
  const { clock, flags, commandHint, out, paths } = context;
  checkFields(TicketCreateRequest, fields);
  const { category = defaultTicketCategory, requestIds = [] } = fields;
  const report = { ...fields, category, requestIds };
  const clientIncidentId =
    fields.clientIncidentId ?? incidentFor(paths, account, report, clock.now());
  const body = { ...fields, clientIncidentId };
  const interrupted =
    'the ticket may have been opened; the same command does not open a second one';
  const doing = ['opening the ticket', interrupted] as const;
  const created = await sendFields(context, formOf(body, images), doing, (payload) =>
    createTicket(client, body, payload),
  );
  if (flags.json) return out.json(created);
  const { occurrences } = created.ticket;
  const id = plainText(created.ticket.id, 100);
  await out.line(id);
  const say = progressWriter(context);
  if (created.deduplicated) {
    const often = occurrences ? `, reported ${String(occurrences)} times so far` : '';
    say(`no new ticket: ${id} is the same report${often}`);
    if (images.length > 0) {
      say(commandHint(`check whether it has the images: svc tickets show ${id}`));
    }
  }
  if (out.isErrorTerminal || out.isForAgent)
    out.dim(commandHint(`wait for the answer: svc tickets watch ${id}`));
}

const categoryWords: Readonly<Record<(typeof ticketCategories)[number], string>> = {
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

const messageHelp = `What happened? What did you expect? ${rangeWords(limits.messageCharacters)}.`;

const offered = 10;

async function askRequestIds(context: Context, client: Client): Promise<string[] | undefined> {
  const { out, prompts } = context;
  const page = await usagePage(client, {}, { limit: offered }).catch((error: unknown) => {
    if (error instanceof SvcError) return undefined;
    throw error;
  });
  const { characters, max } = limits.requestIds;
  const records = page?.data.filter(({ id }) => id !== '' && id.length <= characters.max) ?? [];
  if (records.length === 0) return undefined;
  const choices = records.slice(0, offered).map(({ id, createdAt, model, priceRub }) => {
    const price = typeof priceRub === 'number' ? [formatRub(priceRub, out.language)] : [];
    const cells = [distanceCell(context, createdAt ?? undefined), model ?? '', ...price];
    const name = [...cells, shortId(id)].map((cell) => plainText(cell, 32)).join('  ');
    return { value: id, name };
  });
  const ids = await prompts.several({ message: 'Which calls is this about?', choices, max });
  return ids.length === 0 ? undefined : [...ids];
}

/** Asks for one image after the other; each is checked before the next is asked for. */
async function askImages({ env, prompts, stdin }: Context): Promise<readonly FilePart[]> {
  const images: FilePart[] = [];
  let added: readonly FilePart[] = [];
  const validate = async (text: string) => {
    // Terminals put a dropped file in quotes, or escape its spaces; `~/` is the home folder.
    const trimmed = text.trim();
    const quoted = /^(["'])([^]*)\1$/.exec(trimmed);
    const named = quoted ? (quoted[2] ?? '') : trimmed.replace(/\\(?=[ ()'"&])/g, '');
    const [home] = homeFolders(env);
    const isInHome = home !== undefined && /^~[/\\]/.test(named);
    const path = isInHome ? join(home, named.slice(2)) : named;
    try {
      added = path === '' ? [] : await readImages([path], stdin);
      return true;
    } catch (error) {
      if (error instanceof SvcError) return error.message;
      throw error;
    }
  };
  do {
    const what = images.length === 0 ? 'An image to attach' : 'Another';
    await prompts.text({ message: `${what} (Enter: none)`, validate });
    images.push(...added);
  } while (added.length > 0 && images.length < limits.attachments.perRequest);
  return images;
}
