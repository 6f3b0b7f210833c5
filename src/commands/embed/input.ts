/** Where the texts come from. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Context } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import { codeOf, fileTrouble } from '../../files/file-trouble.js';
import { batchesOf, type BatchRules } from './lines.js';

/** Bytes of any number. */
export interface Source {
  /** Reads them; `until` ends it early. */
  readonly pieces: (until?: AbortSignal) => AsyncIterable<Buffer>;
  /** They can be read more than once, so they can be looked at before anything is sent. */
  readonly isRepeatable: boolean;
}

/** The file of -f, or what is piped in. @throws UsageError when there is neither. */
export async function sourceFrom(context: Context, file: string | undefined): Promise<Source> {
  const { stdin } = context;
  if (file === undefined || file === '-') {
    if (stdin.isTerminal && file === undefined) {
      throw new UsageError('there is no text to turn into a vector', {
        code: 'no_text',
        hint: 'svc embed "a text", or -f FILE, or pipe it in',
      });
    }
    return { pieces: stdin.pieces, isRepeatable: false };
  }
  return { pieces: (until) => filePieces(file, until), isRepeatable: await isRegular(file) };
}

/** More than any model takes as one text; it must not fill the memory. */
const mostTextBytes = 64 * 1024 * 1024;

/**
 * All of it as one text, without a byte order mark at its start and the line feed at its end.
 * @throws UsageError when it is too long, or no UTF-8.
 */
export async function wholeText({ pieces }: Source): Promise<string> {
  const all: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces()) {
    all.push(piece);
    bytes += piece.length;
    if (bytes > mostTextBytes) throw tooLong();
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true });
    return text.decode(Buffer.concat(all)).replace(/\r?\n$/, '');
  } catch {
    throw new UsageError('the input is no UTF-8 text', { code: 'not_text' });
  }
}

/**
 * Looks through what can be read twice, so that a bad line at the end is known before the first
 * is paid for. @throws UsageError
 */
export async function checkLines(source: Source, rules: BatchRules): Promise<void> {
  if (!source.isRepeatable) return;
  let isEmpty = true;
  for await (const batch of batchesOf(source.pieces(), rules)) {
    if (batch.length > 0) isEmpty = false;
  }
  if (isEmpty) throw noLines(rules.skip);
}

/** There is nothing to do. */
export function noLines(skip: number): UsageError {
  return new UsageError(
    skip === 0 ? 'there are no lines in it' : `there are no lines after the first ${String(skip)}`,
    { code: 'no_lines' },
  );
}

function tooLong(): UsageError {
  return new UsageError('the input is too long for one text', {
    code: 'text_too_long',
    hint: 'if each of its lines is a text: --lines',
  });
}

async function isRegular(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new UsageError(`${path} is a folder`, { code: 'is_a_folder' });
    return found.isFile();
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') {
      throw new UsageError(`no such file: ${path}`, { code: 'no_such_file', cause });
    }
    throw fileTrouble(cause, `cannot read ${path}`);
  }
}

async function* filePieces(path: string, until?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(path, { signal: until })) {
      if (Buffer.isBuffer(piece)) yield piece;
    }
  } catch (cause) {
    throw fileTrouble(cause, `cannot read ${path}`);
  }
}
