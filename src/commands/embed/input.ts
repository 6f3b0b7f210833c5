/** Where the texts come from. */
import { createReadStream } from 'node:fs';
import type { Context } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import { lookAt, readTrouble, wholeOf } from '../../files/named-file.js';
import { utf8Text } from '../../lib/utf8.js';
import { batchesOf, type BatchRules } from './lines.js';

/** Bytes of any number. */
export interface Source {
  /** Reads them; `until` ends it early. */
  readonly pieces: (until?: AbortSignal) => AsyncIterable<Buffer>;
  /** They can be read more than once, so they can be looked at before anything is sent. */
  readonly isRepeatable: boolean;
}

/**
 * The file of -f, or what is piped in.
 * @throws UsageError when there is neither; LocalFileError.
 */
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
  const isRepeatable = (await lookAt(file, '--file')).isFile();
  return { pieces: (until) => filePieces(file, until), isRepeatable };
}

/**
 * All of it as one text, without a byte order mark at its start and the line feed at its end.
 * @throws UsageError when it is too long, or no UTF-8.
 */
export async function wholeText({ pieces }: Source): Promise<string> {
  const text = utf8Text(await wholeOf(pieces(), tooLong));
  if (text === undefined) throw new UsageError('the input is no UTF-8 text', { code: 'not_text' });
  return text.replace(/\r?\n$/, '');
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

async function* filePieces(path: string, until?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(path, { signal: until })) {
      if (Buffer.isBuffer(piece)) yield piece;
    }
  } catch (cause) {
    throw readTrouble(cause, path, '--file');
  }
}
