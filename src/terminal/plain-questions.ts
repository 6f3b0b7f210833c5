/** The same questions in lines that stay as they are, for screens that are read aloud: choices have numbers. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { hasWords } from '../lib/names.js';
import type { ChoiceQuestion, Question, QuestionStreams, TextQuestion } from './types.js';

export async function input(
  { message, default: usual = '', validate = () => true }: TextQuestion,
  streams: QuestionStreams,
): Promise<string> {
  const words = usual === '' ? message : streams.words.withUsual(message, usual);
  return untilValid(words, streams, async (typed) => {
    const value = typed === '' ? usual : typed;
    const fault = await validate(value);
    return fault === true ? { value } : fault;
  });
}

export function secret({ message }: Question, streams: QuestionStreams): Promise<string> {
  return untilValid(streams.words.notShown(message), streams, (value) => ({ value }), true);
}

export function confirm(
  { message, default: usual = true }: Question & { readonly default?: boolean },
  streams: QuestionStreams,
): Promise<boolean> {
  return untilValid(`${message} yes or no (Enter: ${usual ? 'yes' : 'no'})`, streams, (typed) => {
    if (typed === '') return { value: usual };
    return /^(y|yes|n|no)$/i.test(typed) ? { value: /^y/i.test(typed) } : 'answer yes or no';
  });
}

const maxShown = 20;

/** Undefined after an empty line. */
export function search<Value>(
  question: ChoiceQuestion<Value>,
  streams: QuestionStreams,
): Promise<Value | undefined> {
  let shown = question;
  const { words } = streams;
  const showSome = (choices: typeof question.choices, isFound = true) => {
    shown = { ...question, choices: choices.slice(0, maxShown) };
    show(shown, streams);
    return words.count(choices.length, shown.choices.length, isFound);
  };
  const all = showSome(question.choices, false);
  if (question.choices.length > maxShown) streams.output.write(`${all}\n`);
  return untilValid(words.numberOrWords, streams, (typed) => {
    if (typed === '') return { value: undefined };
    if (/^\d+$/.test(typed)) {
      return numbered(shown, typed) ?? words.numberUpTo(shown.choices.length);
    }
    const found = question.choices.filter(({ name }) => hasWords(name, typed));
    // The numbers that were shown last still hold.
    return found.length === 0 ? words.nothingFound : showSome(found);
  });
}

export { search as select };

export function several<Value>(
  { max, ...question }: ChoiceQuestion<Value> & { readonly max: number },
  streams: QuestionStreams,
): Promise<readonly Value[]> {
  show(question, streams);
  return untilValid(`Numbers, up to ${max} (Enter: none)`, streams, (typed) => {
    const chosen = (typed.match(/[^\s,]+/g) ?? []).map((one) => numbered(question, one));
    const values = chosen.flatMap((one) => (one ? [one.value] : []));
    if (values.length < chosen.length) return streams.words.numberUpTo(question.choices.length);
    return values.length > max ? `at most ${max}` : { value: values };
  });
}

function show<Value>({ message, choices }: ChoiceQuestion<Value>, { output }: QuestionStreams) {
  const rows = choices.map(({ name }, index) => `${index + 1}. ${name}`);
  output.write(`${[message, ...rows].join('\n')}\n`);
}

/** The choice with the number; undefined where there is none. */
function numbered<Value>({ choices }: ChoiceQuestion<Value>, typed: string) {
  const choice = choices[Number(typed) - 1];
  return choice && { value: choice.value };
}

/**
 * Asks again after a fault, which is a sentence. The terminal itself edits each line; a secret is
 * edited, but drawn nowhere.
 */
async function untilValid<Value>(
  words: string,
  { input, output, signal }: QuestionStreams,
  read: (typed: string) => { value: Value } | string | Promise<{ value: Value } | string>,
  isSecret = false,
): Promise<Value> {
  const nowhere = new Writable({ write: (_text, _encoding, done) => done() });
  const shown = isSecret ? nowhere : output;
  const reader = createInterface({ input, output: shown, terminal: isSecret });
  try {
    for (;;) {
      output.write(`${words.replace(/:$/, '')}: `);
      const answer = await read((await reader.question('', { signal })).trim());
      if (isSecret) output.write('\n');
      if (typeof answer !== 'string') return answer.value;
      output.write(`${answer}\n`);
    }
  } finally {
    reader.close();
  }
}
