/**
 * `--exit-on name=value`: what an answer has to be for svc to end with 0.
 *
 * Another answer ends with 13. grep and test say no with 1 and keep 2 and above for trouble; here
 * 1 is a bug in svc, and a script must never take a bug, or a lost connection, for a no. As with
 * grep, `if` takes both for false; a script that must tell them apart compares with 13.
 */
import type { DecisionAnswer, DecisionQuestion } from '../../api/decisions.js';
import { ApiError, UsageError } from '../../errors.js';
import { isRecord, numberOf } from '../../lib/json.js';
import { nearest } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { criteriaOf, readingOf } from './answer.js';
import type { Questions } from './questions.js';

type Relation = '=' | '!=' | '>=' | '<=';

export interface Condition {
  readonly name: string;
  readonly relation: Relation;
  readonly value: string;
  readonly question: DecisionQuestion;
}

/** @throws UsageError when no answer could meet it. */
export function conditionFrom(text: string, questions: Questions): Condition {
  const parts = /^(.+?)(!=|>=|<=|=)(.*)$/s.exec(text);
  const [, name = '', relation = '', value = ''] = parts ?? [];
  if (!isRelation(relation) || value === '') {
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
export function isMet(
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
  switch (relation) {
    case '=':
      return isEqual;
    case '!=':
      return !isEqual;
    case '>=':
      return order >= orderOf(question, answer, value);
    case '<=':
      return order <= orderOf(question, answer, value);
  }
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
function orderOf(question: DecisionQuestion, answer: DecisionAnswer, value: string): number {
  const names = criteriaOf(question);
  if (question.type === 'choice') return NaN;
  if (question.type === 'noul' && /^(true|yes)$/i.test(value)) return 1;
  if (question.type === 'noul' && /^(false|no)$/i.test(value)) return 0;
  if (!names.includes(value)) return Number(value);
  const legend = isRecord(answer.legend) ? Object.entries(answer.legend) : [];
  const key = legend.find(([, meaning]) => meaning === value)?.[0];
  return key === undefined ? names.indexOf(value) + 1 : Number(key);
}

function isRelation(text: string): text is Relation {
  return ['=', '!=', '>=', '<='].includes(text);
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && numberOf(Number(text)) !== undefined;
}

function guess(word: string, candidates: readonly string[]): string {
  const similar = nearest(word, candidates);
  return similar === undefined ? '' : `; did you mean ${plainText(similar, 60)}?`;
}

function quoted(text: string): string {
  return JSON.stringify(plainText(text, 60));
}

function invalid(message: string): UsageError {
  return new UsageError(message, { code: 'invalid_condition', hint: 'svc decide --help' });
}
