/** What the commands about tickets share: a report or message with its images, and how it is sent. */
import type { Context, Stdin } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import { readText } from '../../files/named-file.js';
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join, basename } from 'node:path';
import { codeOf, fileTrouble } from '../../files/file-trouble.js';
import { makeFolder } from '../../lib/make-folder.js';
import { readOwn } from '../../lib/own-file.js';
import { plainText } from '../../lib/plain-text.js';
import { shellWord } from '../../lib/shell-word.js';
import { editorFrom, runEditor } from '../../terminal/viewer.js';
import {
  type Image,
  type TicketBody,
  type TicketThread,
  createTicket,
  formOf,
  type TicketCreated,
} from '../../api/tickets.js';
import { ticketImageTypes, ticketCategories, defaultTicketCategory } from '../../contract/enums.js';
import { bytesPerMb, tickets as limits } from '../../contract/limits.js';
import { fileBody } from '../../http/request-body.js';
import { sourceAt, type Source } from '../generate/sources.js';
import type * as z from 'zod/mini';
import type { Client } from '../../api/client.js';
import { explain } from '../../contract/explain.js';
import { TicketCreateRequest } from '../../contract/tickets.js';
import { incidentFor } from '../../state/incidents.js';
import type { Account } from '../../state/account.js';
import { sayer } from '../../jobs/job.js';
import { whileSending } from '../sending.js';

export interface Given {
  /** Undefined when no flag and no word gives one; `-` is stdin. */
  readonly text: string | undefined;
  /** What -f names; `-` is stdin. */
  readonly file: string | undefined;
  /** What the text is called on the command line: `--message`. */
  readonly name: string;
  /** Stdin holds something else: an image. */
  readonly isStdinTaken?: boolean;
  /** It can do without: what is piped in is not waited for, only read where a flag says so. */
  readonly isOptional?: boolean;
}

/**
 * The text as it stands, to the byte. What is piped in is read where neither flag nor file is
 * given.
 * @returns undefined when nobody gave one, and stdin is a terminal or holds something else.
 * @throws UsageError when it is given twice, blank, or no text; LocalFileError.
 */
export async function textFrom(
  { stdin }: Pick<Context, 'stdin'>,
  { text, file, name, isStdinTaken = false, isOptional = false }: Given,
): Promise<string | undefined> {
  if (text !== undefined && file !== undefined) {
    throw new UsageError(`${name} and -f cannot go together`, { code: 'usage' });
  }
  const asksForStdin = text === '-' || file === '-';
  if (asksForStdin && isStdinTaken) {
    throw new UsageError('stdin can be the text or an image, not both', { code: 'usage' });
  }
  const isGiven = text !== undefined || file !== undefined;
  const isPiped = !stdin.isTerminal && !isStdinTaken && !isOptional && !isGiven;
  if (!asksForStdin && !isPiped) {
    const found = file === undefined ? text : await readText(file, '--file', { keepsMark: true });
    return found === undefined ? undefined : notBlank(found, name);
  }
  const piped = await stdin.text();
  // An empty pipe is what every command has that runs without a terminal.
  return isPiped && piped.trim() === '' ? undefined : notBlank(piped, name);
}

function notBlank(text: string, name: string): string {
  if (text.trim() !== '') return text;
  throw new UsageError(`the text of ${name} is empty`, { code: 'empty_text' });
}

export interface Draft {
  /** Tells the command that sends a text like this one, up to the name of its file. */
  sentBy(command: string): void;
  /**
   * Has the message written in the person's editor; where none is named, on a line.
   * @throws UsageError when the editor fails or leaves nothing; PromptClosed.
   */
  write(question: { readonly message: string; readonly help: string }): Promise<string>;
}

/** Does the work with a draft. When it fails, what was typed stays in a file, which is named. */
export async function withDraft<Result>(
  context: Context,
  work: (draft: Draft) => Promise<Result>,
): Promise<Result> {
  const path = join(context.paths.data, 'drafts', `ticket-${randomUUID().slice(0, 8)}.txt`);
  const kept = { text: '', command: '' };
  try {
    const result = await work({
      sentBy: (command) => {
        kept.command = command;
      },
      write: async ({ message, help }) => {
        const command = editorFrom(context.env);
        kept.text =
          command === undefined
            ? await context.prompts.text({ message })
            : await edited(context, { command, path, help, keep: (text) => (kept.text = text) });
        if (kept.text.trim() !== '') {
          // From now on the file is the message and nothing else, also after a crash.
          writeDraft(path, kept.text);
          return kept.text;
        }
        throw new UsageError('the message is empty; nothing was sent', { code: 'empty_text' });
      },
    });
    rmSync(path, { force: true });
    return result;
  } catch (error) {
    keep(context, path, kept);
    throw error;
  }
}

/** Written again, for what the editor had before it may hold words of ours. */
function keep(
  { out, onward }: Context,
  path: string,
  { text, command }: { text: string; command: string },
): void {
  try {
    if (text.trim() === '') {
      rmSync(path, { force: true });
      return;
    }
    writeDraft(path, text);
    out.error(
      `what you wrote is kept in ${path}; send it: ${onward(command)} -f ${shellWord(path)}`,
    );
  } catch (trouble) {
    const why = trouble instanceof Error ? plainText(trouble.message, 200) : '';
    out.error(`what you wrote could not be kept in ${path}: ${why}\n${text}`);
  }
}

const scissors = '# ------------------------ >8 ------------------------';

interface Edit {
  readonly command: string;
  readonly path: string;
  readonly help: string;
  /** Told of what was written, also when the editor fails. */
  readonly keep: (text: string) => void;
}

async function edited(
  { env, signal }: Context,
  { command, path, help, keep }: Edit,
): Promise<string> {
  const lines = help.split('\n').map((line) => `# ${line}`);
  writeDraft(
    path,
    ['', '', scissors, '# This line and all below it are left out.', ...lines, ''].join('\n'),
  );
  let failure: string | undefined;
  try {
    failure = await runEditor({ command, path, env, signal });
  } finally {
    keep(written(path));
  }
  if (failure === undefined) return written(path);
  throw new UsageError(`the editor ${failure}; nothing was sent`, {
    code: 'editor_failed',
    hint: `name one that works in VISUAL or EDITOR, or give the message with --message or -f`,
  });
}

/** What stands above the line, without the empty lines around it. */
function written(path: string): string {
  const [text = ''] = read(path).replaceAll('\r\n', '\n').split(scissors);
  return text.replace(/^\s*\n/, '').trimEnd();
}

function read(path: string): string {
  try {
    return readOwn(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw fileTrouble(error, `cannot read ${path}`);
  }
}

function writeDraft(path: string, text: string): void {
  try {
    makeFolder(join(path, '..'));
    writeFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    throw fileTrouble(error, `cannot write ${path}`);
  }
}

const { bytes: mostBytes, perRequest, perTicket } = limits.attachments;

/**
 * Opens what --attach names, as far as its first bytes.
 * @param words files, or once `-` for stdin.
 * @throws UsageError for what no ticket takes; LocalFileError for what cannot be read.
 */
export async function readImages(words: readonly string[], stdin: Stdin): Promise<Image[]> {
  if (words.length > perRequest) {
    throw refused(`at most ${perRequest} images go at once; ${words.length} are given`);
  }
  if (words.filter((word) => word === '-').length > 1) {
    throw new UsageError('--attach - can be given once', { code: 'usage' });
  }
  if (words.includes('-') && stdin.isTerminal) {
    throw new UsageError('an image is piped in, not typed', { code: 'usage' });
  }
  const images: Image[] = [];
  for (const word of words) images.push(imageOf(await sourceAt(word, stdin)));
  return images;
}

/** @throws UsageError when a ticket would have more images than it may. */
export function demandRoom(there: number, more: number): void {
  if (more === 0 || there + more <= perTicket) return;
  throw refused(
    `a ticket may have ${perTicket} images, and this one has ${there}: ${more} more do not fit`,
  );
}

function imageOf(source: Source): Image {
  if (source.at === 'url') {
    throw refused(`${plainText(source.url, 100)} is an address`, 'attach a file');
  }
  const { length, mediaType } = source;
  const kind = mediaType.split('/')[1] ?? '';
  const name = source.at === 'file' ? basename(source.path) : `stdin.${kind}`;
  const shown = source.at === 'file' ? plainText(name, 100) : 'stdin';
  // By the content: names prove nothing.
  if (!ticketImageTypes.some((type) => type === mediaType)) {
    const what = mediaType === 'application/octet-stream' ? '' : `, it is ${mediaType}`;
    throw refused(`${shown} is no PNG, JPEG, GIF or WebP image${what}`);
  }
  if (length > mostBytes) {
    throw refused(
      `${shown} is ${length} bytes long; an image may have ${mostBytes} (${mostBytes / bytesPerMb} MB)`,
    );
  }
  const content = source.at === 'file' ? fileBody(source.path, length) : source.bytes;
  return { name, mediaType, content };
}

function refused(message: string, hint?: string): UsageError {
  return new UsageError(message, { code: 'ticket_attachment', hint });
}

/** What a closed ticket gives to the one that follows it. */
export interface Cited {
  readonly subject: string;
  readonly category: TicketBody['category'];
}

export function citedFrom({ id, subject, category }: TicketThread): Cited {
  const bare = plainText(subject ?? '', limits.subjectCharacters.max).replace(/^(?:re:\s*)+/i, '');
  return {
    subject: plainText(`Re: ${bare === '' ? id : bare}`, limits.subjectCharacters.max),
    category: ticketCategories.find((known) => known === category),
  };
}

/** The message with words that name the closed ticket. */
export function citing(message: string, id: string): string {
  return `${message.trimEnd()}\n\n(This follows ${id}, which is closed.)`;
}

export interface Report {
  /** Without an incident id of the person's own one is made. */
  readonly body: TicketBody;
  readonly images: readonly Image[];
}

/** Who opens it. */
export interface Reporter {
  readonly client: Client;
  readonly account: Account;
}

/** @throws UsageError in one sentence, before anything is sent or written. */
export function checkFields(schema: z.ZodMiniType, fields: unknown): void {
  const fault = schema.safeParse(fields).error;
  if (fault) throw new UsageError(explain(fault, fields), { code: 'invalid_input' });
}

/**
 * Sends a report and tells what came of it: the id of the ticket is all that stdout gets.
 * @throws UsageError for what the service would refuse; LocalFileError when the incident id cannot
 * be kept: then nothing was sent; what `createTicket` throws.
 */
export async function openTicket(
  context: Context,
  { client, account }: Reporter,
  { body: given, images }: Report,
): Promise<void> {
  checkFields(TicketCreateRequest, given);
  const { category = defaultTicketCategory, subject, message, requestIds = [] } = given;
  const wish = { category, subject, message, requestIds };
  const clientIncidentId =
    given.clientIncidentId ?? incidentFor(context.paths, account, wish, context.clock.now());
  const body = { ...given, clientIncidentId };
  const payload = formOf(body, images);
  const sent = payload
    ? whileSending(context, payload, 'opening the ticket', (counted) =>
        createTicket(client, body, counted),
      )
    : createTicket(client, body);
  const created = await sent.catch((error: unknown) => {
    if (context.signal.aborted) {
      context.out.error('the ticket may have been opened; the same command opens no second one');
    }
    throw error;
  });
  await tell(context, created, images.length > 0);
}

async function tell(context: Context, created: TicketCreated, hasImages: boolean): Promise<void> {
  const { flags, out, onward } = context;
  if (flags.json) {
    await out.json(created);
    return;
  }
  const { ticket, deduplicated } = created;
  const id = plainText(ticket.id, 100);
  await out.line(id);
  const say = sayer(context);
  if (deduplicated) {
    const { occurrences } = ticket;
    const often = occurrences ? `, reported ${String(occurrences)} times by now` : '';
    say(`no new ticket: ${id} says the same${often}`);
    if (hasImages) say(onward(`see whether the images are in it: svc tickets show ${id}`));
  }
  if (out.isErrorTerminal) out.dim(onward(`wait for the answer: svc tickets watch ${id}`));
}
