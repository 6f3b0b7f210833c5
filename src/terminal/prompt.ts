/** Questions to a person, on stderr, so that stdout stays data. */
import type { Readable, Writable } from 'node:stream';
import { UsageError } from '../errors.js';
import { PromptClosed, type Prompts } from './types.js';
import { sanitise } from './screen.js';

export interface PromptOptions {
  input: Readable & { isTTY?: boolean };
  output: Writable & { isTTY?: boolean };
  /** False under --no-input. */
  allowed: boolean;
  /** True under --yes: confirmations answer themselves. */
  yes: boolean;
  signal: AbortSignal;
}

/** The prompts of one run; the library is loaded with the first question. */
export function createPrompts(options: PromptOptions): Prompts {
  const canAsk = options.allowed && options.input.isTTY === true && options.output.isTTY === true;
  const ask = async <Answer>(
    message: string,
    question: (library: Library, context: Context) => Promise<Answer>,
    hint = 'give the answer as a flag; see --help',
  ): Promise<Answer> => {
    if (!canAsk) {
      throw new UsageError(`cannot ask "${message}" without a terminal`, {
        hint,
        code: 'no_terminal',
      });
    }
    const library = await import('./questions.js');
    const { input, output, signal } = options;
    return orClosed(input, question(library, { input, output, signal }));
  };
  return {
    text: ({ message, ...rest }) =>
      ask(message, (library, context) =>
        library.input({ message: sanitise(message), ...rest }, context),
      ),
    secret: ({ message }) =>
      ask(message, (library, context) =>
        library.password({ message: sanitise(message), mask: '*' }, context),
      ),
    confirm: ({ message, ...rest }) =>
      options.yes
        ? Promise.resolve(true)
        : ask(
            message,
            (library, context) => library.confirm({ message: sanitise(message), ...rest }, context),
            'to answer it with yes: --yes',
          ),
    select: ({ message, choices }) =>
      ask(message, (library, context) =>
        library.select(
          {
            message: sanitise(message),
            choices: choices.map(({ value, name }) => ({ value, name: sanitise(name) })),
          },
          context,
        ),
      ),
    several: ({ message, choices, most }) =>
      ask(message, (library, context) =>
        library.checkbox(
          {
            message: sanitise(message),
            choices: choices.map(({ value, name }) => ({ value, name: sanitise(name) })),
            validate: (chosen) => chosen.length <= most || `at most ${String(most)}`,
          },
          context,
        ),
      ),
  };
}

/**
 * The answer, or PromptClosed. Ctrl-C is a keystroke while a question stands, and after Ctrl-D the
 * library stops reading without a word: the answer would never come.
 */
async function orClosed<Answer>(input: Readable, answer: Promise<Answer>): Promise<Answer> {
  let onPause: () => void = () => undefined;
  const closed = new Promise<never>((_resolve, reject) => {
    // An answer also ends in a pause; it settles before the next turn.
    onPause = () => setImmediate(reject, new PromptClosed('the question was closed'));
    input.once('pause', onPause);
  });
  try {
    return await Promise.race([answer, closed]);
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') {
      throw new PromptClosed('the question was closed', { cause: error });
    }
    throw error;
  } finally {
    input.off('pause', onPause);
  }
}

type Library = typeof import('./questions.js');
interface Context {
  input: Readable;
  output: Writable;
  signal: AbortSignal;
}
