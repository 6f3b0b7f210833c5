/** The text of a report or a message: from a flag, words, a file or stdin, as it stands. */
import type { Context } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import { readText } from '../../files/named-file.js';

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
