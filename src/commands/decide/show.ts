/** Shows answers: to people with bars, to programs a line each. */
import type { DecisionAnswer } from '../../api/decisions.js';
import { bar } from '../../lib/wrap.js';
import type { Output } from '../../terminal/types.js';
import { answerTo, readingOf, type Reading } from './answer.js';
import type { Questions } from './questions.js';

type Answers = Readonly<Record<string, DecisionAnswer>>;

const barColumns = 20;

export async function showAnswers(
  out: Output,
  questions: Questions,
  answers: Answers,
): Promise<void> {
  const readings = Object.entries(questions).map(
    ([name, question]) => [name, readingOf(question, answerTo(name, answers))] as const,
  );
  const rows = readings.flatMap(([name, reading]) =>
    out.isTerminal ? drawn(name, reading) : [plain(name, reading)],
  );
  await out.table(
    [{ title: 'QUESTION' }, { title: 'ANSWER' }, { title: 'PROBABILITY' }, { title: '' }],
    rows,
  );
}

/** Name, answer, confidence, and what a score means. */
function plain(name: string, { text, label, confidence }: Reading): string[] {
  return [name, text, confidence === undefined ? '' : String(confidence), label ?? ''];
}

/** A line for the answer, and one for each of its probabilities. */
function drawn(name: string, { text, label, confidence, probabilities }: Reading): string[][] {
  const answer = label === undefined ? text : `${text} (${label})`;
  const share = Number(text);
  // A noul answer is a probability itself.
  const isShare = probabilities.length === 0 && text !== '' && share >= 0 && share <= 1;
  const sure = confidence === undefined ? '' : `confidence ${confidence.toFixed(2)}`;
  return [
    [name, text === '' ? '(no answer)' : answer, isShare ? bar(share, barColumns) : sure, ''],
    ...probabilities.map((one) => [
      '',
      `  ${one.label}`,
      bar(one.value, barColumns).padEnd(barColumns),
      one.value.toFixed(2),
    ]),
  ];
}
