/** Questions that are drawn again with each key. */
// Only the prompts in use: the others load a text editor's encodings.
import { checkbox, password, search as choose, select as chooseOne } from '@inquirer/prompts';
import { hasWords } from '../lib/names.js';
import { cutText } from '../lib/wrap.js';
import type { ChoiceQuestion, Question, QuestionStreams } from './types.js';

export { confirm, input } from '@inquirer/prompts';

export function secret(question: Question, streams: QuestionStreams): Promise<string> {
  // A fixed number of stars stays: each typed one would tell the length.
  const theme = { style: { answer: () => '********' } };
  return password({ ...question, mask: '*', theme }, streams);
}

type Choices<Value> = ChoiceQuestion<Value>['choices'];

const tip = (keys: readonly (readonly string[])[]) =>
  [...keys, ['Esc', 'skip']].map((key) => key.join(' ')).join(' • ');
const theme = { style: { keysHelpTip: tip } };

/** A row that the terminal would break is cut. */
function fitted<Value>(choices: Choices<Value>, { output }: QuestionStreams): Choices<Value> {
  const cut = (text: string) => cutText(text, (output.columns ?? 80) - 5);
  return choices.map(({ value, name, short = name }) => {
    return { value, name: cut(name), short: cut(short) };
  });
}

export function select<Value>(
  { message, choices }: ChoiceQuestion<Value>,
  streams: QuestionStreams,
): Promise<Value | undefined> {
  return orSkipped(streams, (context) =>
    chooseOne({ message, choices: fitted(choices, streams), theme }, context),
  );
}

export function search<Value>(
  { message, choices }: ChoiceQuestion<Value>,
  streams: QuestionStreams,
): Promise<Value | undefined> {
  const source = (typed = '') =>
    fitted(
      choices.filter(({ name }) => hasWords(name, typed)),
      streams,
    );
  const config = { message, source, theme, pageSize: 10 };
  return orSkipped(streams, (context) => choose<Value>(config, context));
}

export function several<Value>(
  { max, message, choices }: ChoiceQuestion<Value> & { readonly max: number },
  streams: QuestionStreams,
): Promise<readonly Value[]> {
  const validate = (chosen: readonly unknown[]) => chosen.length <= max || `at most ${max}`;
  return checkbox({ message, choices: fitted(choices, streams), validate }, streams);
}

/** Undefined after Esc, which also clears the question, as Ctrl-D does. */
async function orSkipped<Value>(
  streams: QuestionStreams,
  ask: (context: QuestionStreams & { clearPromptOnDone: boolean }) => Promise<Value>,
): Promise<Value | undefined> {
  const [skip, closed] = [new AbortController(), new AbortController()];
  const signal = AbortSignal.any([streams.signal, skip.signal, closed.signal]);
  const context = { ...streams, signal, clearPromptOnDone: false };
  const answer = ask(context);
  const onKey = (_: unknown, { name }: { readonly name?: string }) => {
    // Ctrl-D has closed the reader, and would leave the cursor among the choices.
    const isClosed = name === 'd' && streams.input.isPaused();
    if (name !== 'escape' && !isClosed) return;
    context.clearPromptOnDone = true;
    (isClosed ? closed : skip).abort();
  };
  streams.input.on('keypress', onKey);
  try {
    return await answer;
  } catch (error) {
    if (!skip.signal.aborted) throw error;
    return undefined;
  } finally {
    streams.input.off('keypress', onKey);
  }
}
