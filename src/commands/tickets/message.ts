/** Shared by the ticket commands: the text, its draft, images, and sending them. */
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type * as z from 'zod/mini';
import type { Payload } from '../../api/prepare.js';
import type { TicketBody } from '../../api/tickets.js';
import type { Context, Stdin } from '../../context.js';
import { ticketImageTypes } from '../../contract/enums.js';
import { explain } from '../../contract/explain.js';
import { bytesPerMb, tickets as limits } from '../../contract/limits.js';
import { createTicket } from '../../contract/tickets.js';
import { UsageError } from '../../errors.js';
import { fileTrouble } from '../../files/file-trouble.js';
import { readText } from '../../files/named-file.js';
import { fileBody } from '../../http/request-body.js';
import { type FilePart } from '../../http/types.js';
import { howToConvert } from '../../lib/file-kind.js';
import { shellWord } from '../../lib/names.js';
import { makeFolder, readOwn } from '../../lib/own-file.js';
import { plainText } from '../../lib/plain-text.js';
import { editorFrom, runEditor } from '../../terminal/viewer.js';
import { nameOf, sourceAt } from '../../media/sources.js';
import { whileSending } from '../../media/sending.js';

/** The fields and images of a new ticket. */
export type Report = TicketBody & { readonly images: readonly FilePart[] };
/** The part of them that flags say. */
export type ReportFields = Partial<TicketBody> & Pick<Report, 'images'>;

interface TextSource {
  readonly text: string | undefined;
  readonly file?: string;
  /** Images, of which one may be stdin. */
  readonly attach?: readonly string[];
  /** Without a text, stdin is not read. */
  readonly isOptional?: boolean;
}

/** The text, byte for byte; from stdin where neither flag nor file is given. */
export async function textFrom(
  { stdin }: Context,
  name: string,
  { text, file, attach = [], isOptional = false }: TextSource,
): Promise<string | undefined> {
  const isStdinTaken = attach.includes('-');
  if (text !== undefined && file !== undefined) {
    throw new UsageError(`${name} and -f cannot be used together`);
  }
  const place = text ?? file;
  if (place === '-' && isStdinTaken) {
    throw new UsageError('stdin can be the text or an image, not both');
  }
  const isPiped = place === undefined && !stdin.isTerminal && !isStdinTaken && !isOptional;
  let content = text;
  if (place === '-' || isPiped) content = await stdin.text();
  else if (file !== undefined) content = await readText(file, '--file', { keepsMark: true });
  if (content?.trim() !== '') return content;
  // Without a terminal, stdin is often an empty pipe.
  if (isPiped) return undefined;
  throw new UsageError(`the text of ${name} is empty`, { code: 'empty_text' });
}

/** @throws UsageError in one sentence */
export function checkFields(schema: z.ZodMiniType, fields: unknown): void {
  const fault = schema.safeParse(fields).error;
  if (fault) throw new UsageError(explain(fault, fields), { code: 'invalid_input' });
}

/** What a person types is kept in a file until it is sent, so that no failure loses it. */
export interface Draft {
  /** The command that sends the same text, without the name of its file. */
  command: string;
  /** Lets the person write the message in their editor, or at a prompt where no editor is set. */
  write(help: string): Promise<string>;
}

const scissors = '# ------------------------ >8 ------------------------';

/** Runs `work` with a draft. When it fails, the text stays in a file, whose name is shown. */
export async function withDraft(context: Context, work: (draft: Draft) => Promise<void>) {
  const { env, commandHint, out, paths, prompts, signal } = context;
  const path = join(paths.data, 'drafts', `ticket-${randomUUID().slice(0, 8)}.txt`);
  let draftText = '';
  const save = (text: string, typed = '') => {
    try {
      makeFolder(dirname(path));
      writeFileSync(path, text, { mode: 0o600 });
      draftText = typed;
    } catch (thrown) {
      const error = fileTrouble(thrown, `cannot write ${path}`);
      const why = error instanceof Error ? plainText(error.message, 200) : '';
      if (typed !== '') out.error(`what you wrote could not be saved in ${path}: ${why}\n${typed}`);
      throw error;
    }
  };
  const write = async (help: string) => {
    const command = editorFrom(env);
    let failure: string | undefined;
    if (command === undefined) {
      const line = await prompts.text({ message: 'Message' });
      save(line, line);
    } else {
      const lines = ['This line and everything below it are removed.', ...help.split('\n')];
      save(['', '', scissors, ...lines.map((line) => `# ${line}`), ''].join('\n'));
      failure = await runEditor({ command, path, env, signal }).finally(() => {
        // From here on the file holds only the message, even if the editor failed.
        const left = existsSync(path) ? readOwn(path) : '';
        const [text = ''] = left.replaceAll('\r\n', '\n').split(scissors);
        const message = text.replace(/^\s*\n/, '').trimEnd();
        save(message, message);
      });
    }
    if (failure !== undefined) {
      throw new UsageError(`the editor ${failure}; nothing was sent`, {
        code: 'editor_failed',
        hint: `name one that works in VISUAL or EDITOR, or give the message with --message or -f`,
      });
    }
    if (draftText.trim() !== '') return draftText;
    throw new UsageError('the message is empty; nothing was sent', { code: 'empty_text' });
  };
  const draft = { command: '', write };
  try {
    await work(draft);
    draftText = '';
  } finally {
    if (draftText.trim() !== '') {
      const command = `${commandHint(draft.command)} -f ${shellWord(path)}`;
      out.error(`what you wrote is saved in ${path}; to send it: ${command}`);
    } else if (existsSync(path)) rmSync(path);
  }
}

const { bytes: maxBytes, perRequest } = limits.attachments;

/** Opens the files of --attach, one of which may be `-` for stdin, and checks their first bytes. */
export async function readImages(words: readonly string[], stdin: Stdin): Promise<FilePart[]> {
  if (words.length > perRequest) {
    throw badImage(`at most ${perRequest} images per message, not ${words.length}`);
  }
  if (words.filter((word) => word === '-').length > 1) {
    throw new UsageError('--attach - can be given once');
  }
  if (words.includes('-') && stdin.isTerminal) {
    throw new UsageError('--attach - reads an image from a pipe, not from a terminal');
  }
  const { field } = createTicket.files;
  const images: FilePart[] = [];
  for (const word of words) {
    const source = await sourceAt(word, stdin);
    const shown = plainText(nameOf(source), 100);
    if (source.at === 'url') throw badImage(`${shown} is a URL`, 'attach a file');
    const { length, mediaType: type } = source;
    if (!ticketImageTypes.some((one) => one === type)) {
      const what = type === 'application/octet-stream' ? '' : `, it is ${type}`;
      throw badImage(
        `${shown} is not a PNG, JPEG, GIF or WebP image${what}`,
        type.startsWith('image/') ? howToConvert(type) : undefined,
      );
    }
    if (length > maxBytes) {
      const max = `${maxBytes} (${maxBytes / bytesPerMb} MB)`;
      throw badImage(`${shown} has ${length} bytes; an image may have ${max}`);
    }
    const isFile = source.at === 'file';
    const filename = isFile ? basename(source.path) : `stdin.${type.slice('image/'.length)}`;
    const content = isFile ? fileBody(source.path, length) : source.bytes;
    images.push({ field, filename, type, content });
  }
  return images;
}

export function badImage(message: string, hint?: string): UsageError {
  return new UsageError(message, { code: 'ticket_attachment', hint });
}

/** @param interrupted shown to a person who interrupts it: what may have happened */
export async function sendFields<Result>(
  context: Context,
  payload: Payload | undefined,
  [after, interrupted]: readonly [after: string, interrupted: string],
  send: (payload?: Payload) => Promise<Result>,
): Promise<Result> {
  try {
    return await (payload ? whileSending(context, payload, after, send) : send());
  } catch (error) {
    if (context.signal.aborted) context.out.error(context.commandHint(interrupted));
    throw error;
  }
}
