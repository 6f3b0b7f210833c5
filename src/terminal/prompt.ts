/** Questions to a person, on stderr, so that stdout stays data. */
import type { Readable, Writable } from 'node:stream';
import { UsageError } from '../errors.js';
import { sanitise } from './screen.js';
import { PromptClosed } from './types.js';

interface PromptOptions {
  input: Readable & { isTTY?: boolean };
  output: Writable & { isTTY?: boolean };
  /** False under --no-input. */
  allowed: boolean;
  /** True under --yes: confirmations answer themselves. */
  yes: boolean;
  signal: AbortSignal;
}

interface Choosing<Value> {
  readonly message: string;
  readonly choices: readonly { readonly value: Value; readonly name: string }[];
}

export type Prompts = ReturnType<typeof createPrompts>;

/**
 * The prompts of one run; each rejects with UsageError when nobody can answer. The library is
 * loaded with the first question.
 */
export function createPrompts(options: PromptOptions) {
  const { input, output, allowed, signal } = options;
  const canAsk = allowed && input.isTTY === true && output.isTTY === true;
  const context = { input, output, signal };
  const ask = async <Answer>(
    message: string,
    question: (library: typeof import('./questions.js'), message: string) => Promise<Answer>,
    hint = 'give the answer as a flag; see --help',
  ): Promise<Answer> => {
    if (!canAsk) {
      const failed = `cannot ask "${message}" without a terminal`;
      throw new UsageError(failed, { hint, code: 'no_terminal' });
    }
    return orClosed(input, question(await import('./questions.js'), sanitise(message)));
  };
  const harmless = <Value>(choices: Choosing<Value>['choices']) =>
    choices.map(({ value, name }) => ({ value, name: sanitise(name) }));
  return {
    text: (asked: {
      message: string;
      default?: string;
      validate?: (value: string) => true | string | Promise<true | string>;
    }): Promise<string> =>
      ask(asked.message, (library, message) => library.input({ ...asked, message }, context)),
    secret: (asked: { message: string }): Promise<string> =>
      ask(asked.message, (library, message) => library.password({ message, mask: '*' }, context)),
    confirm: async (asked: { message: string; default?: boolean }): Promise<boolean> =>
      options.yes ||
      ask(
        asked.message,
        (library, message) => library.confirm({ ...asked, message }, context),
        'to answer it with yes: --yes',
      ),
    select: <Value extends string>({ message: words, choices }: Choosing<Value>): Promise<Value> =>
      ask(words, (library, message) =>
        library.select({ message, choices: harmless(choices) }, context),
      ),
    /** Any number of the choices, none of them too, but not more than `most`. */
    several: <Value extends string>({
      message: words,
      choices,
      most,
    }: Choosing<Value> & { readonly most: number }): Promise<readonly Value[]> =>
      ask(words, (library, message) => {
        const validate = (chosen: readonly unknown[]) =>
          chosen.length <= most || `at most ${String(most)}`;
        return library.checkbox({ message, choices: harmless(choices), validate }, context);
      }),
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
