/** Questions that are drawn again with each key. Only the prompts in use: the others load a text editor's encodings. */
import * as library from '@inquirer/prompts';
import { hasWords } from '../lib/names.js';
import type { ChoiceQuestion, Question, QuestionStreams } from './types.js';

export const { confirm, input } = library;

export function secret(question: Question, streams: QuestionStreams): Promise<string> {
  // A fixed number of stars stays: each typed one would tell the length.
  const theme = { style: { answer: () => '********' } };
  return library.password({ ...question, mask: '*', theme }, streams);
}

const tip = (keys: readonly (readonly string[])[]) =>
  [...keys, ['Esc', 'skip']].map((key) => key.join(' ')).join(' • ');
const theme = { style: { keysHelpTip: tip } };

export function select<Value>(
  question: ChoiceQuestion<Value>,
  streams: QuestionStreams,
): Promise<Value | undefined> {
  return orSkipped(streams, (context) => library.select({ ...question, theme }, context));
}

export function search<Value>(
  { message, choices }: ChoiceQuestion<Value>,
  streams: QuestionStreams,
): Promise<Value | undefined> {
  const source = (typed = '') => choices.filter(({ name }) => hasWords(name, typed));
  const config = { message, source, theme, pageSize: 10 };
  return orSkipped(streams, (context) => library.search<Value>(config, context));
}

export function several<Value>(
  { max, ...question }: ChoiceQuestion<Value> & { readonly max: number },
  streams: QuestionStreams,
): Promise<readonly Value[]> {
  const validate = (chosen: readonly unknown[]) => chosen.length <= max || `at most ${max}`;
  return library.checkbox({ ...question, validate }, streams);
}

/** Undefined after Esc, which also clears the question. */
async function orSkipped<Value>(
  streams: QuestionStreams,
  ask: (context: QuestionStreams & { clearPromptOnDone: boolean }) => Promise<Value>,
): Promise<Value | undefined> {
  const skip = new AbortController();
  const signal = AbortSignal.any([streams.signal, skip.signal]);
  const context = { ...streams, signal, clearPromptOnDone: false };
  const answer = ask(context);
  const onKey = (_: unknown, { name }: { readonly name?: string }) => {
    if (name !== 'escape') return;
    context.clearPromptOnDone = true;
    skip.abort();
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
