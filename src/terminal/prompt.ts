/** Questions to a person, on stderr, so that stdout stays data. */
import type { Readable, Writable } from 'node:stream';
import { UsageError } from '../errors.js';
import { sanitise } from './sanitise.js';
import type { Prompts } from './types.js';

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
  ): Promise<Answer> => {
    if (!canAsk) {
      throw new UsageError(`cannot ask "${message}" without a terminal`, {
        hint: 'give the answer as a flag; see --help',
        code: 'no_terminal',
      });
    }
    const library = await import('@inquirer/prompts');
    return question(library, {
      input: options.input,
      output: options.output,
      signal: options.signal,
    });
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
        : ask(message, (library, context) =>
            library.confirm({ message: sanitise(message), ...rest }, context),
          ),
    select: ({ message, choices }) =>
      ask(message, (library, context) =>
        library.select({ message: sanitise(message), choices }, context),
      ),
  };
}

type Library = typeof import('@inquirer/prompts');
interface Context {
  input: Readable;
  output: Writable;
  signal: AbortSignal;
}
