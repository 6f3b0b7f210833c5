/** The text that is to be spoken: from words, a file or stdin, byte for byte. */
import type { Context } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import { readText } from '../../files/named-file.js';
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
  const isPiped = file === '-' || (file === undefined && !stdin.isTerminal);
  const inFile = () => (file === undefined ? '' : readText(file, '--file', { keepsMark: true }));
  const first = await (isPiped ? stdin.text() : inFile());
  const text = joinText(first, words.join(' '));
  if (text.trim() !== '') return text;
  throw new UsageError('the text is empty', {
    code: 'empty_text',
    hint: 'svc speak "what to say", -f FILE, or pipe text into it',
  });
}
