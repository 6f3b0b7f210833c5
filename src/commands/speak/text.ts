/** The text that is to be spoken: from words, a file or stdin, byte for byte. */
import { readFile } from 'node:fs/promises';
import type { Context } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import { codeOf, fileTrouble } from '../../files/file-trouble.js';
import { joinText } from '../join-text.js';

/**
 * Piped text or the file first, then the words. Where -f names a file stdin is left alone: in a
 * loop over files it belongs to the loop.
 * @throws UsageError when there is nothing to say, or it is no text; LocalFileError.
 */
export async function textFrom(
  { stdin }: Context,
  words: readonly string[],
  file: string | undefined,
): Promise<string> {
  if (file === '') throw new UsageError('--file needs the name of a file', { code: 'usage' });
  const isPiped = file === '-' || (file === undefined && !stdin.isTerminal);
  const first = isPiped ? await stdin.text() : file === undefined ? '' : await textOf(file);
  const text = joinText(first, words.join(' '));
  if (text.trim() !== '') return text;
  throw new UsageError('the text is empty', {
    code: 'empty_text',
    hint: 'svc speak "what to say", -f FILE, or pipe text into it',
  });
}

async function textOf(path: string): Promise<string> {
  try {
    const bytes = await readFile(path);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') {
      throw new UsageError(`no such file to speak: ${path}`, { code: 'no_such_file', cause });
    }
    if (codeOf(cause) === 'EISDIR') {
      throw new UsageError(`cannot speak a folder: ${path}`, { code: 'is_a_folder', cause });
    }
    if (cause instanceof TypeError) {
      throw new UsageError(`${path} is no UTF-8 text`, { code: 'not_text', cause });
    }
    throw fileTrouble(cause, `cannot read ${path}`);
  }
}
