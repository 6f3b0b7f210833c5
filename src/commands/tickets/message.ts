/** What the commands about tickets share: a report or message with its images, and how it is sent. */
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type * as z from 'zod/mini';
import type { Client } from '../../api/client.js';
import {
  createTicket,
  formOf,
  type Image,
  type TicketBody,
  type TicketThread,
} from '../../api/tickets.js';
import type { Context, Stdin } from '../../cli/context.js';
import { defaultTicketCategory, ticketCategories, ticketImageTypes } from '../../contract/enums.js';
import { explain } from '../../contract/explain.js';
import { bytesPerMb, tickets as limits } from '../../contract/limits.js';
import { TicketCreateRequest } from '../../contract/tickets.js';
import { UsageError } from '../../errors.js';
import { codeOf, fileTrouble } from '../../files/file-trouble.js';
import { readText } from '../../files/named-file.js';
import { fileBody } from '../../http/request-body.js';
import { makeFolder, readOwn } from '../../lib/own-file.js';
import { plainText } from '../../lib/plain-text.js';
import { shellWord } from '../../lib/names.js';
import type { Account } from '../../state/account.js';
import { incidentFor } from '../../state/incidents.js';
import { editorFrom, runEditor } from '../../terminal/viewer.js';
import { sourceAt } from '../generate/sources.js';
import { progressWriter } from '../../jobs/job.js';
import { whileSending } from '../sending.js';

/** `-` is stdin for both. */
export interface Given {
  readonly text: string | undefined;
  readonly file: string | undefined;
  /** What the text is called on the command line: `--message`. */
  readonly name: string;
  /** Stdin holds something else: an image. */
  readonly isStdinTaken?: boolean;
  /** It can do without: what is piped in is not waited for, only read where a flag says so. */
  readonly isOptional?: boolean;
}

/**
 * The text to the byte; what is piped in where neither flag nor file is given.
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
  if (!isGiven && !isPiped) return undefined;
  const fromFile = () =>
    file === undefined ? text : readText(file, '--file', { keepsMark: true });
  const found = (await (asksForStdin || isPiped ? stdin.text() : fromFile())) ?? '';
  if (found.trim() !== '') return found;
  // An empty pipe is what every command has that runs without a terminal.
  if (isPiped) return undefined;
  throw new UsageError(`the text of ${name} is empty`, { code: 'empty_text' });
}

/** What a person types: in a file until it is sent, so that no failure loses it. */
export interface SavedText {
  /** The command that sends a text like this one, up to the name of its file. */
  command: string;
  /**
   * Has the message written in the person's editor; where none is named, on a line.
   * @throws UsageError when the editor fails or leaves nothing; PromptClosed.
   */
  write(message: string, help: string): Promise<string>;
}

/** Does the work with a draft. When it fails, what was typed stays in a file, which is named. */
export async function withSavedText<Result>(
  context: Context,
  work: (draft: SavedText) => Promise<Result>,
): Promise<Result> {
  const { env, commandHint, out, prompts } = context;
  const path = join(context.paths.data, 'drafts', `ticket-${randomUUID().slice(0, 8)}.txt`);
  let kept = '';
  const draft: SavedText = {
    command: '',
    write: async (message, help) => {
      const editor = editorFrom(env);
      if (editor === undefined) kept = await prompts.text({ message });
      else await edit(context, { editor, path, help }, (text) => (kept = text));
      if (kept.trim() === '') {
        throw new UsageError('the message is empty; nothing was sent', { code: 'empty_text' });
      }
      // From now on the file is the message and nothing else, also after a crash.
      writeDraft(path, kept);
      return kept;
    },
  };
  try {
    const result = await work(draft);
    rmSync(path, { force: true });
    return result;
  } catch (error) {
    try {
      if (kept.trim() === '') rmSync(path, { force: true });
      else {
        // Written again, for what the editor had before it may hold words of ours.
        writeDraft(path, kept);
        const command = `${commandHint(draft.command)} -f ${shellWord(path)}`;
        out.error(`what you wrote is kept in ${path}; send it: ${command}`);
      }
    } catch (trouble) {
      const why = trouble instanceof Error ? plainText(trouble.message, 200) : '';
      out.error(`what you wrote could not be kept in ${path}: ${why}\n${kept}`);
    }
    throw error;
  }
}

const scissors = '# ------------------------ >8 ------------------------';

/** @param keep is given what was written, also when the editor fails. */
async function edit(
  { env, signal }: Context,
  { editor, path, help }: { editor: string; path: string; help: string },
  keep: (text: string) => void,
): Promise<void> {
  const lines = help.split('\n').map((line) => `# ${line}`);
  const below = [scissors, '# This line and all below it are left out.', ...lines, ''];
  writeDraft(path, ['', '', ...below].join('\n'));
  let failure: string | undefined;
  try {
    failure = await runEditor({ command: editor, path, env, signal });
  } finally {
    // What stands above the line, without the empty lines around it.
    const [text = ''] = readDraft(path).replaceAll('\r\n', '\n').split(scissors);
    keep(text.replace(/^\s*\n/, '').trimEnd());
  }
  if (failure === undefined) return;
  throw new UsageError(`the editor ${failure}; nothing was sent`, {
    code: 'editor_failed',
    hint: `name one that works in VISUAL or EDITOR, or give the message with --message or -f`,
  });
}

function readDraft(path: string): string {
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
 * Opens what --attach names, as far as its first bytes: files, or once `-` for stdin.
 * @throws UsageError for what no ticket takes; LocalFileError for what cannot be read.
 */
export async function readImages(words: readonly string[], stdin: Stdin): Promise<Image[]> {
  if (words.length > perRequest) {
    throw badImage(`at most ${perRequest} images go at once; ${words.length} are given`);
  }
  if (words.filter((word) => word === '-').length > 1) {
    throw new UsageError('--attach - can be given once', { code: 'usage' });
  }
  if (words.includes('-') && stdin.isTerminal) {
    throw new UsageError('an image is piped in, not typed', { code: 'usage' });
  }
  const images: Image[] = [];
  for (const word of words) images.push(await imageAt(word, stdin));
  return images;
}

/** @throws UsageError when a ticket would have more images than it may. */
export function assertRoom({ messages }: TicketThread, more: number): void {
  const there = messages?.flatMap(({ attachments }) => attachments ?? []).length ?? 0;
  if (more === 0 || there + more <= perTicket) return;
  throw badImage(
    `a ticket may have ${perTicket} images, and this one has ${there}: ${more} more do not fit`,
  );
}

async function imageAt(word: string, stdin: Stdin): Promise<Image> {
  const source = await sourceAt(word, stdin);
  if (source.at === 'url') {
    throw badImage(`${plainText(source.url, 100)} is an address`, 'attach a file');
  }
  const { length, mediaType } = source;
  const kind = mediaType.split('/')[1] ?? '';
  const name = source.at === 'file' ? basename(source.path) : `stdin.${kind}`;
  const shown = source.at === 'file' ? plainText(name, 100) : 'stdin';
  // By the content: names prove nothing.
  if (!ticketImageTypes.some((type) => type === mediaType)) {
    const what = mediaType === 'application/octet-stream' ? '' : `, it is ${mediaType}`;
    throw badImage(`${shown} is no PNG, JPEG, GIF or WebP image${what}`);
  }
  if (length > mostBytes) {
    throw badImage(
      `${shown} is ${length} bytes long; an image may have ${mostBytes} (${mostBytes / bytesPerMb} MB)`,
    );
  }
  const content = source.at === 'file' ? fileBody(source.path, length) : source.bytes;
  return { name, mediaType, content };
}

function badImage(message: string, hint?: string): UsageError {
  return new UsageError(message, { code: 'ticket_attachment', hint });
}

/** What a closed ticket gives to the one that follows it. */
export function citedFrom({ id, subject, category }: TicketThread) {
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
 * Sends a report, whose incident id is on disk before; the id of the ticket is all that stdout gets.
 * @throws UsageError for what the service would refuse; LocalFileError when the incident id cannot
 * be kept: then nothing was sent; what `createTicket` throws.
 */
export async function openTicket(
  context: Context,
  { client, account }: Reporter,
  { body: given, images }: Report,
): Promise<void> {
  const { clock, flags, commandHint, out, paths, signal } = context;
  checkFields(TicketCreateRequest, given);
  const { category = defaultTicketCategory, subject, message, requestIds = [] } = given;
  const report = { category, subject, message, requestIds };
  const clientIncidentId =
    given.clientIncidentId ?? incidentFor(paths, account, report, clock.now());
  const body = { ...given, clientIncidentId };
  const payload = formOf(body, images);
  const sent = payload
    ? whileSending(context, payload, 'opening the ticket', (counted) =>
        createTicket(client, body, counted),
      )
    : createTicket(client, body);
  const created = await sent.catch((error: unknown) => {
    if (signal.aborted) {
      out.error('the ticket may have been opened; the same command opens no second one');
    }
    throw error;
  });
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
