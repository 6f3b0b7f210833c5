/** Questions on stderr, so that stdout stays data. */
import type { Readable, Writable } from 'node:stream';
import { UsageError } from '../errors.js';
import { sanitise } from './screen.js';
import {
  type ChoiceQuestion,
  type EditorOptions,
  type LineEditor,
  PromptClosed,
  type Prompts,
  type TextQuestion,
} from './types.js';

/** Read when a question is asked: opening a stream takes 1 to 5 ms. */
interface Streams {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stderr: Writable & { isTTY?: boolean };
}

type Library = typeof import('./questions.js');
interface LibraryStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** The prompts of one run. */
export class TerminalPrompts implements Prompts {
  constructor(
    private readonly run: Streams,
    private readonly flags: { readonly input: boolean; readonly yes: boolean },
    private readonly signal: AbortSignal,
  ) {}

  text(question: TextQuestion): Promise<string> {
    return this.#ask(question.message, ({ input }, message, streams) =>
      input({ ...question, message }, streams),
    );
  }

  secret(question: { readonly message: string }): Promise<string> {
    return this.#ask(question.message, ({ password }, message, streams) =>
      // A fixed number of stars stays: each typed one would tell the length.
      password({ message, mask: '*', theme: { style: { answer: () => '********' } } }, streams),
    );
  }

  async confirm(question: { readonly message: string; readonly default?: boolean }) {
    if (this.flags.yes) return true;
    return this.#ask(
      question.message,
      ({ confirm }, message, streams) => confirm({ ...question, message }, streams),
      'to answer yes: --yes',
    );
  }

  select<Value extends string>(question: ChoiceQuestion<Value>): Promise<Value | undefined> {
    return this.#ask<Value | undefined>(question.message, ({ select }, message, streams) => {
      const tip = (keys: readonly (readonly string[])[]) =>
        [...keys, ['Esc', 'skip']].map((key) => key.join(' ')).join(' • ');
      const theme = { style: { keysHelpTip: tip } };
      const skip = new AbortController();
      const signal = AbortSignal.any([this.signal, skip.signal]);
      const context = { ...streams, signal, clearPromptOnDone: false };
      const answer = select({ message, choices: harmless(question), theme }, context);
      const onKey = (_: unknown, { name }: { readonly name?: string }) => {
        if (name !== 'escape') return;
        context.clearPromptOnDone = true;
        skip.abort();
      };
      streams.input.on('keypress', onKey);
      return answer
        .catch((error: unknown) => {
          if (!skip.signal.aborted) throw error;
          return undefined;
        })
        .finally(() => streams.input.off('keypress', onKey));
    });
  }

  several<Value extends string>(question: ChoiceQuestion<Value> & { readonly max: number }) {
    const { message: words, max } = question;
    return this.#ask<readonly Value[]>(words, ({ checkbox }, message, streams) => {
      const validate = (chosen: readonly unknown[]) =>
        chosen.length <= max || `at most ${String(max)}`;
      return checkbox({ message, choices: harmless(question), validate }, streams);
    });
  }

  async editor(options: EditorOptions): Promise<LineEditor> {
    const { TerminalEditor } = await import('./line-editor.js');
    return new TerminalEditor(this.run, this.signal, options);
  }

  async #ask<Answer>(
    words: string,
    question: (library: Library, message: string, streams: LibraryStreams) => Promise<Answer>,
    hint = 'give the answer as a flag; see --help',
  ): Promise<Answer> {
    const { stdin, stderr } = this.run;
    if (!this.flags.input || stdin.isTTY !== true || stderr.isTTY !== true) {
      const failed = `cannot ask "${words}" without a terminal`;
      throw new UsageError(failed, { hint, code: 'no_terminal' });
    }
    const streams = { input: stdin, output: stderr, signal: this.signal };
    return orClosed(stdin, question(await import('./questions.js'), sanitise(words), streams));
  }
}

const harmless = <Value>({ choices }: ChoiceQuestion<Value>) =>
  choices.map(({ value, name, short = name }) => {
    return { value, name: sanitise(name), short: sanitise(short) };
  });

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
