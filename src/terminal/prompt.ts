/** Questions on stderr, so that stdout stays data. */
import type { Readable, Writable } from 'node:stream';
import { UsageError } from '../errors.js';
import type { Editing } from './line-editor.js';
import { sanitise } from './screen.js';
import { PromptClosed } from './types.js';

/** Read when a question is asked: opening a stream takes 1 to 5 ms. */
interface Streams {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stderr: Writable & { isTTY?: boolean };
}

interface Choosing<Value> {
  readonly message: string;
  /** `short` is what the answered question shows. */
  readonly choices: readonly { value: Value; name: string; short?: string }[];
}

export type Prompts = ReturnType<typeof createPrompts>;

type Library = typeof import('./questions.js');
interface LibraryStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** The prompts of one run; each rejects with UsageError without a terminal. */
export function createPrompts(
  run: Streams,
  flags: { readonly input: boolean; readonly yes: boolean },
  signal: AbortSignal,
) {
  const ask = async <Answer>(
    words: string,
    question: (library: Library, message: string, streams: LibraryStreams) => Promise<Answer>,
    hint = 'give the answer as a flag; see --help',
  ): Promise<Answer> => {
    if (!flags.input || run.stdin.isTTY !== true || run.stderr.isTTY !== true) {
      const failed = `cannot ask "${words}" without a terminal`;
      throw new UsageError(failed, { hint, code: 'no_terminal' });
    }
    const streams = { input: run.stdin, output: run.stderr, signal };
    return orClosed(run.stdin, question(await import('./questions.js'), sanitise(words), streams));
  };
  const harmless = <Value>(choices: Choosing<Value>['choices']) =>
    choices.map(({ value, name, short = name }) => {
      return { value, name: sanitise(name), short: sanitise(short) };
    });
  return {
    /** Takes the terminal to read texts of any number of lines. */
    editor: async (editing: Editing) =>
      (await import('./line-editor.js')).openLineEditor(run, signal, editing),
    text: (asked: {
      message: string;
      default?: string;
      /** Whether the default can be edited, and not only be accepted. */
      prefill?: 'editable';
      validate?: (value: string) => true | string | Promise<true | string>;
    }): Promise<string> =>
      ask(asked.message, ({ input }, message, streams) => input({ ...asked, message }, streams)),
    secret: (asked: { message: string }): Promise<string> =>
      ask(asked.message, ({ password }, message, streams) =>
        // A fixed number of stars stays: each typed one would tell the length.
        password({ message, mask: '*', theme: { style: { answer: () => '********' } } }, streams),
      ),
    confirm: async (asked: { message: string; default?: boolean }): Promise<boolean> =>
      flags.yes ||
      ask(
        asked.message,
        ({ confirm }, message, streams) => confirm({ ...asked, message }, streams),
        'to answer yes: --yes',
      ),
    /** Undefined after Esc, which also clears the question. */
    select: <Value extends string>(asked: Choosing<Value>) =>
      ask<Value | undefined>(asked.message, ({ select }, message, streams) => {
        const tip = (keys: readonly (readonly string[])[]) =>
          [...keys, ['Esc', 'skip']].map((key) => key.join(' ')).join(' • ');
        const theme = { style: { keysHelpTip: tip } };
        const skip = new AbortController();
        const either = AbortSignal.any([signal, skip.signal]);
        const shown = { ...streams, signal: either, clearPromptOnDone: false };
        const answer = select({ message, choices: harmless(asked.choices), theme }, shown);
        const onKey = (_: unknown, { name }: { readonly name?: string }) => {
          if (name !== 'escape') return;
          shown.clearPromptOnDone = true;
          skip.abort();
        };
        run.stdin.on('keypress', onKey);
        return answer
          .catch((error: unknown) => {
            if (!skip.signal.aborted) throw error;
            return undefined;
          })
          .finally(() => run.stdin.off('keypress', onKey));
      }),
    several: <Value extends string>(asked: Choosing<Value> & { readonly most: number }) =>
      ask<readonly Value[]>(asked.message, ({ checkbox }, message, streams) => {
        const validate = (chosen: readonly unknown[]) =>
          chosen.length <= asked.most || `at most ${String(asked.most)}`;
        return checkbox({ message, choices: harmless(asked.choices), validate }, streams);
      }),
  };
}

/** The answer, or PromptClosed: after Ctrl-D the library stops reading silently. */
async function orClosed<Answer>(input: Readable, answer: Promise<Answer>): Promise<Answer> {
  let onPause: () => void = () => undefined;
  const closed = new Promise<never>((_resolve, reject) => {
    // An answer also ends in a pause, but it resolves before the next turn.
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
