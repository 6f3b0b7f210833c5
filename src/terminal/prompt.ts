/** Questions on stderr, so that stdout stays data. */
import type { Readable } from 'node:stream';
import { UsageError } from '../errors.js';
import type { EditorOptions, LineEditor, PromptStreams } from './line-editor.js';
import { sanitise } from './screen.js';
import { PromptClosed } from './types.js';
import type { ChoiceQuestion, Question, QuestionStreams, TextQuestion } from './types.js';

/** How questions look: drawn again with each key, or in lines. */
type Questions = typeof import('./plain-questions.js');

/** How questions look, which is known when the first one is asked. */
export interface QuestionLook {
  /** Whether nothing may be drawn again. */
  isPlain(): boolean;
  words(): Promise<QuestionStreams['words']>;
}

/** Questions to the user. Each rejects with UsageError without a terminal, and with PromptClosed. */
export class Prompts {
  constructor(
    private readonly run: PromptStreams,
    private readonly flags: { readonly input: boolean; readonly yes: boolean },
    private readonly signal: AbortSignal,
    private readonly look: QuestionLook,
  ) {}

  /** Whether there is a person to ask: on a terminal that shows the question, without --no-input. */
  get canAsk(): boolean {
    const { stdin, stderr } = this.run;
    return this.flags.input && stdin.isTTY === true && stderr.isTTY === true;
  }

  /** A line. */
  text(question: TextQuestion): Promise<string> {
    return this.#ask(question, ({ input }, ...asked) => input(...asked));
  }

  /** A text that is not shown. */
  secret(question: Question): Promise<string> {
    return this.#ask(question, ({ secret }, ...asked) => secret(...asked));
  }

  /** Yes without asking under --yes. */
  async confirm(question: Question & { readonly default?: boolean }): Promise<boolean> {
    if (this.flags.yes) return true;
    const hint = 'to answer yes: --yes';
    return this.#ask(question, ({ confirm }, ...asked) => confirm(...asked), hint);
  }

  /** Asks before what is not to happen by mistake. @throws UsageError with the `refusal` after a no */
  async assertAgreed(message: string, refusal: string): Promise<void> {
    if (await this.confirm({ message, default: false })) return;
    throw new UsageError(refusal, { code: 'not_confirmed' });
  }

  /** Undefined after Esc, which also clears the question. */
  select<Value extends string>(question: ChoiceQuestion<Value>): Promise<Value | undefined> {
    return this.#ask(harmless(question), ({ select }, ...asked) => select(...asked));
  }

  /** The same of any number of choices, found by words of them. */
  async search<Value extends string>(question: ChoiceQuestion<Value>): Promise<Value | undefined> {
    if (question.choices.length === 0) return undefined;
    return this.#ask(harmless(question), ({ search }, ...asked) => search(...asked));
  }

  /** Any number of choices, up to `max`. */
  several<Value extends string>(question: ChoiceQuestion<Value> & { readonly max: number }) {
    return this.#ask(harmless(question), ({ several }, ...asked) => several(...asked));
  }

  /** Takes the terminal to read texts of any number of lines. */
  async editor(options: EditorOptions): Promise<LineEditor> {
    const { LineEditor } = await import('./line-editor.js');
    return new LineEditor(this.run, this.signal, { ...options, isPlain: this.look.isPlain() });
  }

  async #ask<Asked extends Question, Answer>(
    question: Asked,
    ask: (questions: Questions, question: Asked, streams: QuestionStreams) => Promise<Answer>,
    hint = 'give the answer as a flag; see --help',
  ): Promise<Answer> {
    const { stdin, stderr } = this.run;
    const { message: words } = question;
    if (!this.canAsk) {
      const failed = `cannot ask "${words}" without a terminal`;
      throw new UsageError(failed, { hint, code: 'no_terminal' });
    }
    const { look, signal } = this;
    const streams = { input: stdin, output: stderr, signal, words: await look.words() };
    const questions: Questions = await (look.isPlain()
      ? import('./plain-questions.js')
      : import('./questions.js'));
    const harmless = { ...question, message: sanitise(words) };
    return orClosed(stdin, ask(questions, harmless, streams));
  }
}

function harmless<Value, More>(question: ChoiceQuestion<Value> & More) {
  const choices = question.choices.map(({ value, name, short = name }) => {
    return { value, name: sanitise(name), short: sanitise(short) };
  });
  return { ...question, choices };
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
    if (error instanceof Error && /^(ExitPrompt|AbortPrompt|Abort)Error$/.test(error.name)) {
      throw new PromptClosed('the question was closed', { cause: error });
    }
    throw error;
  } finally {
    input.off('pause', onPause);
  }
}
