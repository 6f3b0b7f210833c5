/** Questions that are drawn again with each key. */
// Only the prompts in use: the others load a text editor's encodings.
import { checkbox, password, search as choose, select as chooseOne } from '@inquirer/prompts';
import { hasWords } from '../lib/names.js';
import { cutText } from '../lib/wrap.js';
import type { ChoiceQuestion, Question, QuestionStreams, QuestionWords } from './types.js';

export { confirm, input } from '@inquirer/prompts';

export function secret(question: Question, streams: QuestionStreams): Promise<string> {
  // A fixed number of stars stays: each typed one would tell the length.
  const style = { answer: () => '********', keysHelpTip: tipIn(streams.words) };
  return password({ ...question, mask: '*', theme: { style } }, streams);
}

type Choices<Value> = ChoiceQuestion<Value>['choices'];

type Keys = readonly (readonly [key: string, action: string])[];

const tipIn =
  ({ action }: QuestionWords, more: Keys = []) =>
  (keys: Keys) =>
    [...keys, ...more].map(([key, name]) => `${key} ${action(name)}`).join(' • ');

const skippable = ({ words }: QuestionStreams) => ({
  style: { keysHelpTip: tipIn(words, [['Esc', 'skip']]) },
});

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
    chooseOne({ message, choices: fitted(choices, streams), theme: skippable(streams) }, context),
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
  const config = { message, source, theme: skippable(streams), pageSize: 10 };
  const answer = orSkipped(streams, (context) => choose<Value>(config, context));
  return answer.finally(oneKeyATurn(streams.input));
}

interface Key {
  readonly name?: string;
}

/**
 * Presses one key a turn: of those that arrive together, as pasted, the library would take Enter
 * before it has searched. @returns ends it
 */
function oneKeyATurn(input: QuestionStreams['input']): () => void {
  let turns = Promise.resolve();
  let pressed: Key | undefined;
  let isOver = false;
  const onKey = (text: string | undefined, key: Key) => {
    if (key === pressed) return;
    const later = { ...key };
    // To all that hear it now, it is a key without a meaning.
    Object.assign(key, { name: '', ctrl: true, shift: true });
    turns = turns.then(nextTurn).then(() => {
      pressed = later;
      if (!isOver) input.emit('keypress', text, later);
    });
  };
  // What was typed before the question stands there is not for it, and the library drops it.
  setImmediate(() => isOver || input.prependListener('keypress', onKey));
  return () => {
    isOver = true;
    input.off('keypress', onKey);
  };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

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
  const onKey = (_: unknown, { name }: Key) => {
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
