/** Asks the questions and shows the answers. */
import { decide as ask, type DecisionAnswer, type DecisionInput } from '../../api/decisions.js';
import type { Handler } from '../../cli/declaration.js';
import { NotSo, ApiError, UsageError } from '../../errors.js';
import { bar } from '../../lib/wrap.js';
import { isRecord, listOf, numberOf, textOf } from '../../lib/json.js';
import { titles, type Output } from '../../terminal/types.js';
import { costFor, writeCost, mayCost } from '../../jobs/cost.js';
import { assertModel } from '../known-model.js';
import type { decide } from './index.js';
import {
  questionsIn,
  stateFrom,
  guess,
  questionsFrom,
  quoted,
  type Questions,
} from './questions.js';

/** Decides questions about a state. */
export const run: Handler<typeof decide> = async (context, { options }) => {
  const { out, flags } = context;
  const { questions: path } = options;
  const inFile = path === undefined ? undefined : await questionsIn(context, path);
  const questions = questionsFrom(options, inFile);
  const conditions = options.exitOn.map((text) => conditionFrom(text, questions));
  const state = await stateFrom(context, options.state, path === '-');
  const model = options.model?.trim();
  const client = await context.client();
  if (model !== undefined) await assertModel(context, client, model, 'decision');
  const body = { model, state, questions: { ...questions } };
  const { answers, tokens, reply, ids } = await mayCost(context, client, (paying) =>
    ask(paying, body),
  );
  if (!flags.json) await showAnswers(out, questions, answers);
  const cost = await costFor(context, client, { ids });
  if (flags.json) await out.json({ ...reply, cost, ids });
  writeCost(context, cost, tokens === undefined ? [] : [`${String(tokens)} tokens`]);
  if (!conditions.every((condition) => isMet(condition, answerTo(condition.name, answers)))) {
    throw new NotSo();
  }
};

interface Reading {
  /** `billing`, `2`, `0.93`. */
  readonly text: string;
  /** What a score means, when it is told. */
  readonly label: string | undefined;
  readonly confidence: number | undefined;
  /** From 0 to 1, in the order of the question's options or levels. */
  readonly probabilities: readonly { readonly label: string; readonly value: number }[];
}

/** The answer to a question; whatever the name, none is made up for it. */
function answerTo(
  name: string,
  answers: Readonly<Record<string, DecisionAnswer>>,
): DecisionAnswer | undefined {
  return Object.hasOwn(answers, name) ? answers[name] : undefined;
}

function readingOf(question: DecisionInput, answer: DecisionAnswer | undefined): Reading {
  if (!answer) return { text: '', label: undefined, confidence: undefined, probabilities: [] };
  const value = answer.choice ?? answer.score ?? answer.noul;
  return {
    text: valueText(value === undefined ? answer : value),
    label: answer.score === undefined ? undefined : meaningOf(answer.legend, valueText(value)),
    confidence: numberOf(answer.confidence),
    probabilities: probabilitiesOf(question, answer),
  };
}

function valueText(value: unknown): string {
  return textOf(value) ?? JSON.stringify(value);
}

/** A legend has the meaning of each score under it: `{"1": "calm"}`. */
function meaningOf(legend: unknown, key: string): string | undefined {
  return isRecord(legend) ? textOf(legend[key]) : undefined;
}

function probabilitiesOf(question: DecisionInput, answer: DecisionAnswer) {
  const { probabilities, legend } = answer;
  const names = criteriaOf(question);
  if (Array.isArray(probabilities)) {
    return listOf(probabilities).flatMap((value, index) => {
      const number = numberOf(value);
      return number === undefined ? [] : [{ label: names[index] ?? String(index), value: number }];
    });
  }
  if (!isRecord(probabilities)) return [];
  const keys = Object.keys(probabilities);
  const known = names.filter((name) => keys.includes(name));
  const ordered = [...known, ...keys.filter((key) => !known.includes(key))];
  return ordered.flatMap((key) => {
    const value = numberOf(probabilities[key]);
    return value === undefined ? [] : [{ label: meaningOf(legend, key) ?? key, value }];
  });
}

/** The options or levels of a question, in their order. */
function criteriaOf({ criteria }: DecisionInput): readonly string[] {
  if (criteria === undefined) return [];
  return Array.isArray(criteria) ? criteria.map(String) : Object.keys(criteria);
}

const barColumns = 20;

async function showAnswers(
  out: Output,
  questions: Questions,
  answers: Readonly<Record<string, DecisionAnswer>>,
): Promise<void> {
  const rows = Object.entries(questions).flatMap(([name, question]) => {
    const reading = readingOf(question, answerTo(name, answers));
    const { text, label = '', confidence = '' } = reading;
    // Name, answer, confidence, and what a score means.
    return out.isTerminal ? drawn(name, reading) : [[name, text, String(confidence), label]];
  });
  await out.table(titles('QUESTION', 'ANSWER', 'PROBABILITY', ''), rows);
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

interface Condition {
  readonly name: string;
  /** `=`, `!=`, `>=` or `<=`. */
  readonly relation: string;
  readonly value: string;
  readonly question: DecisionInput;
}

/** @throws UsageError when no answer could meet it. */
function conditionFrom(text: string, questions: Questions): Condition {
  const parts = /^(.+?)(!=|>=|<=|=)(.*)$/s.exec(text);
  const [, name = '', relation = '', value = ''] = parts ?? [];
  if (value === '') {
    throw invalid(`--exit-on takes NAME=VALUE, not ${quoted(text)}`);
  }
  const question = questions[name];
  if (!question || !Object.hasOwn(questions, name)) {
    throw invalid(
      `--exit-on: there is no question ${quoted(name)}${guess(name, Object.keys(questions))}`,
    );
  }
  const condition = { name, relation, value, question };
  checkValue(condition);
  return condition;
}

function checkValue({ name, relation, value, question }: Condition): void {
  const isOrder = relation === '>=' || relation === '<=';
  const names = criteriaOf(question);
  if (question.type === 'choice') {
    if (isOrder)
      throw invalid(`--exit-on: the options of ${quoted(name)} have no order: use = or !=`);
    if (names.includes(value)) return;
    throw invalid(
      `--exit-on: ${quoted(name)} has no option ${quoted(value)}${guess(value, names)}`,
    );
  }
  if (isNumber(value)) return;
  if (question.type === 'score') {
    if (names.includes(value)) return;
    throw invalid(`--exit-on: ${quoted(name)} has no level ${quoted(value)}${guess(value, names)}`);
  }
  if (!isOrder && /^(yes|no)$/i.test(value)) return;
  throw invalid(
    `--exit-on: ${quoted(name)} is answered by a number from 0 to 1: compare with one, or with yes or no`,
  );
}

/** Whether the answer is as wanted. @throws ApiError when there is none, or none of its kind. */
function isMet(
  { name, relation, value, question }: Condition,
  answer: DecisionAnswer | undefined,
): boolean {
  const { text, label } = readingOf(question, answer);
  if (!answer || text === '') throw noAnswer(`the service gave no answer to ${quoted(name)}`);
  const order = orderOf(question, answer, text);
  const isKnown =
    question.type === 'choice' ? criteriaOf(question).includes(text) : !Number.isNaN(order);
  // Neither a yes nor a no: a script must not be told one of them.
  if (!isKnown) {
    throw noAnswer(
      `the service answered ${quoted(name)} with what is no answer to it: ${quoted(text)}`,
    );
  }
  const isEqual =
    text === value || label === value || isSameNumber(text, value) || isSameYes(text, value);
  if (relation === '=') return isEqual;
  if (relation === '!=') return !isEqual;
  const wanted = orderOf(question, answer, value);
  return relation === '>=' ? order >= wanted : order <= wanted;
}

function noAnswer(message: string): ApiError {
  return new ApiError(message, {
    status: 200,
    code: 'invalid_reply',
    hint: 'see what it answered with --json; it was charged all the same: `svc usage list`',
    outcomeUnknown: true,
  });
}

/** How likely a yes is has to be more than even for a yes. */
function isSameYes(text: string, value: string): boolean {
  if (!/^(yes|no)$/i.test(value)) return false;
  const isYes = /^(true|yes)$/i.test(text) || Number(text) >= 0.5;
  return isYes === (value.toLowerCase() === 'yes');
}

function isSameNumber(text: string, value: string): boolean {
  return isNumber(text) && isNumber(value) && Number(text) === Number(value);
}

/**
 * Of a level, the score that the legend has it under; without a legend they count from 1. NaN for
 * what is neither a level nor a number.
 */
function orderOf(question: DecisionInput, answer: DecisionAnswer, value: string): number {
  const names = criteriaOf(question);
  if (question.type === 'choice') return NaN;
  if (question.type === 'noul' && /^(true|yes)$/i.test(value)) return 1;
  if (question.type === 'noul' && /^(false|no)$/i.test(value)) return 0;
  if (!names.includes(value)) return Number(value);
  const legend = isRecord(answer.legend) ? Object.entries(answer.legend) : [];
  const key = legend.find(([, meaning]) => meaning === value)?.[0];
  return key === undefined ? names.indexOf(value) + 1 : Number(key);
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && numberOf(Number(text)) !== undefined;
}

function invalid(message: string): UsageError {
  return new UsageError(message, { code: 'invalid_condition', hint: 'svc decide --help' });
}
