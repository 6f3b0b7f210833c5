/** Questions on stderr, so that stdout stays data. */
import type { Readable, Writable } from 'node:stream';
import { UsageError } from '../errors.js';
import type { EditorOptions, LineEditor, PromptStreams } from './line-editor.js';
import { sanitise } from './screen.js';
import { PromptClosed } from './types.js';

interface Question {
  readonly message: string;
}

interface TextQuestion extends Question {
  readonly default?: string;
  /** Whether the default can be edited, and not only be accepted. */
  readonly prefill?: 'editable';
  readonly validate?: (value: string) => true | string | Promise<true | string>;
}

interface ChoiceQuestion<Value> extends Question {
  /** `short` is what the answered question shows. */
  readonly choices: readonly { value: Value; name: string; short?: string }[];
}

type Library = typeof import('./questions.js');
interface LibraryStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** Questions to the user. Each rejects with UsageError without a terminal, and with PromptClosed. */
export class Prompts {
  constructor(
    private readonly run: PromptStreams,
    private readonly flags: { readonly input: boolean; readonly yes: boolean },
    private readonly signal: AbortSignal,
  ) {}

  /** A line. */
  text(question: TextQuestion): Promise<string> {
    return this.#ask(question.message, ({ input }, message, streams) =>
      input({ ...question, message }, streams),
    );
  }

  /** A text that is not shown. */
  secret(question: Question): Promise<string> {
    return this.#ask(question.message, ({ password }, message, streams) =>
      // A fixed number of stars stays: each typed one would tell the length.
      password({ message, mask: '*', theme: { style: { answer: () => '********' } } }, streams),
    );
  }

  /** Yes without asking under --yes. */
  async confirm(question: Question & { readonly default?: boolean }): Promise<boolean> {
    if (this.flags.yes) return true;
    return this.#ask(
      question.message,
      ({ confirm }, message, streams) => confirm({ ...question, message }, streams),
      'to answer yes: --yes',
    );
  }

  /** Asks before what is not to happen by mistake. @throws UsageError with the `refusal` after a no */
  async assertAgreed(message: string, refusal: string): Promise<void> {
    if (await this.confirm({ message, default: false })) return;
    throw new UsageError(refusal, { code: 'not_confirmed' });
  }

  /** Undefined after Esc, which also clears the question. */
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

  /** Any number of choices, up to `max`. */
  several<Value extends string>(question: ChoiceQuestion<Value> & { readonly max: number }) {
    const { message: words, max } = question;
    return this.#ask<readonly Value[]>(words, ({ checkbox }, message, streams) => {
      const validate = (chosen: readonly unknown[]) =>
        chosen.length <= max || `at most ${String(max)}`;
      return checkbox({ message, choices: harmless(question), validate }, streams);
    });
  }

  /** Takes the terminal to read texts of any number of lines. */
  async editor(options: EditorOptions): Promise<LineEditor> {
    const { LineEditor } = await import('./line-editor.js');
    return new LineEditor(this.run, this.signal, options);
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
