import type * as z from 'zod/mini';
import { assertDecided } from '../../api/answered.js';
import { call } from '../../api/call.js';
import { costJson } from '../../api/cost.js';
import type { Handler } from '../../context.js';
import { createDecisions, type DecisionReply } from '../../contract/decisions.js';
import { ApiError, NegativeResult } from '../../errors.js';
import { costFor, writeCost, mayCost } from '../../jobs/cost.js';
import { listOf, numberOf, recordOf, textOf, valueText } from '../../lib/json.js';
import { guess } from '../../lib/names.js';
import { bar } from '../../lib/wrap.js';
import { titles, type Output } from '../../terminal/types.js';
import { assertModel } from '../../jobs/known-model.js';
import type { decide } from './index.js';
import { invalid, questionsFrom, quoted, stateFrom, type Questions } from './questions.js';

type Question = Questions[string];

export const run: Handler<typeof decide> = async (context, { options }) => {
  const { out, flags } = context;
  const questions = await questionsFrom(context, options);
  const conditions = options.exitOn.map((text) => conditionFrom(text, questions));
  const state = await stateFrom(context, options);
  // A service with one model for decisions needs no name.
  const preset = flags.local ? undefined : context.settings()['model.decision'];
  const model = options.model?.trim() ?? preset;
  const client = await context.client();
  if (model !== undefined) await assertModel(context, client, model, 'decision');
  const body = { model, state, questions };
  const { data, ids } = await mayCost(context, client, (paying) =>
    call(paying, createDecisions, { body }),
  );
  const answers = new Map(Object.entries(data.answers));
  if (!flags.json) await showAnswers(out, questions, answers);
  const cost = await costFor(context, client, { ids });
  if (flags.json) await out.json({ ...data, ...costJson(cost), ids });
  const tokens = data.usage?.input_tokens;
  await writeCost(context, cost, ({ inputTokens }) =>
    typeof tokens === 'number' ? [inputTokens(tokens)] : [],
  );
  const isSo = conditions.every((one) => isMet(one, answers.get(one.name)));
  assertDecided(questions, data);
  if (!isSo) throw new NegativeResult();
};

/** The fields of an answer depend on the type of its question; none is certain. */
type Answer = z.output<typeof DecisionReply>['answers'][string];

/** `billing`, `2`, `0.93`; empty without an answer. */
function textIn(answer: Answer | undefined): string {
  if (!answer) return '';
  const value = answer.choice ?? answer.score ?? answer.noul;
  return valueText(value === undefined ? answer : value);
}

function probabilitiesOf(question: Question, answer: Answer) {
  const { probabilities } = answer;
  const names = criteriaOf(question);
  const shares = Array.isArray(probabilities)
    ? listOf(probabilities).map((value, index) => [names[index] ?? String(index), value] as const)
    : Object.entries(recordOf(probabilities));
  const place = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length);
  return shares
    .toSorted(([one], [other]) => place(one) - place(other))
    .flatMap(([name, share]) => {
      const value = numberOf(share);
      // A legend has the meaning of each score under it: `{"1": "calm"}`.
      const label = textOf(recordOf(answer.legend)[name]) ?? name;
      return value === undefined ? [] : [{ label, value }];
    });
}

function criteriaOf({ criteria = [] }: Question): readonly string[] {
  return Array.isArray(criteria) ? criteria.map(String) : Object.keys(criteria);
}

const barColumns = 20;
const percent = (share: number) => `${Math.round(share * 100)} %`;

async function showAnswers(
  out: Output,
  questions: Questions,
  answers: ReadonlyMap<string, Answer>,
): Promise<void> {
  const rows = Object.entries(questions).flatMap(([name, question]) => {
    const answer = answers.get(name);
    const text = textIn(answer);
    const label = answer?.score === undefined ? undefined : textOf(recordOf(answer.legend)[text]);
    const confidence = numberOf(answer?.confidence);
    const meaning = label ?? '';
    if (!out.isTerminal) return [[name, text, confidence?.toString() ?? '', '', meaning]];
    const probabilities = answer ? probabilitiesOf(question, answer) : [];
    const share = Number(text);
    // The answer to a yes or no is a probability itself.
    const isShare = answer?.noul !== undefined && text !== '' && share >= 0 && share <= 1;
    const yesOrNo = share >= 0.5 ? 'yes' : 'no';
    const answered = isShare
      ? [yesOrNo, percent(share), bar(share, barColumns)]
      : [text || '(no answer)', confidence === undefined ? '' : percent(confidence), ''];
    return [
      [name, ...answered, meaning],
      ...probabilities.map(({ label, value }) => {
        return ['', `  ${label}`, percent(value), bar(value, barColumns), ''];
      }),
    ];
  });
  const drawn = { title: '', isDrawn: true };
  const meanings = { title: 'MEANING', drop: 1 };
  await out.table(titles('QUESTION', 'ANSWER', '>PROBABILITY', drawn, meanings), rows);
}

const noCondition = (message: string) => invalid(message, 'invalid_condition');

const yesOrNo = /^(yes|no)$/i;

function conditionFrom(text: string, questions: Questions) {
  const [, name = '', relation = '', value = ''] = /^(.+?)(!=|>=|<=|=)(.*)$/s.exec(text) ?? [];
  if (value === '') throw noCondition(`--exit-on needs NAME=VALUE, not ${quoted(text)}`);
  const question = Object.hasOwn(questions, name) ? questions[name] : undefined;
  if (!question) {
    const similar = guess(name, Object.keys(questions));
    throw noCondition(`--exit-on: there is no question ${quoted(name)}${similar}`);
  }
  const isOrder = relation === '>=' || relation === '<=';
  if (question.type === 'choice' && isOrder) {
    throw noCondition(`--exit-on: the options of ${quoted(name)} have no order: use = or !=`);
  }
  const isNumber = !Number.isNaN(numberIn(value));
  if (question.type === 'noul' && !isNumber && (isOrder || !yesOrNo.test(value))) {
    const answered = `${quoted(name)} is answered by a number from 0 to 1`;
    throw noCondition(`--exit-on: ${answered}: compare it with a number, yes or no`);
  }
  if (Number.isNaN(orderOf(question, {}, value))) {
    const noun = question.type === 'choice' ? 'option' : 'level';
    const similar = guess(value, criteriaOf(question));
    throw noCondition(`--exit-on: ${quoted(name)} has no ${noun} ${quoted(value)}${similar}`);
  }
  return { name, relation, value, question };
}

type Condition = ReturnType<typeof conditionFrom>;

function isMet({ name, relation, value, question }: Condition, decision?: Answer): boolean {
  const [text, answer] = [textIn(decision), decision ?? {}];
  const order = orderOf(question, answer, text);
  // A script must not read an unclear answer as a yes or a no.
  if (Number.isNaN(order)) {
    const fault = `the service returned an invalid answer to ${quoted(name)}: ${quoted(text)}`;
    throw new ApiError(text === '' ? `the service returned no answer to ${quoted(name)}` : fault, {
      status: 200,
      code: 'invalid_reply',
      hint: 'see the reply with --json; it was charged: `svc usage list`',
      outcomeUnknown: true,
    });
  }
  const limit = orderOf(question, answer, value);
  if (relation === '>=') return order >= limit;
  if (relation === '<=') return order <= limit;
  // A probability of one half or more is a yes.
  const isWord = question.type === 'noul' && yesOrNo.test(value);
  const isEqual = (isWord ? Number(order >= 0.5) : order) === limit;
  return isEqual === (relation === '=');
}

/** The number that an answer is compared by, NaN for none; without a legend levels count from 1. */
function orderOf(question: Question, { legend }: Answer, value: string): number {
  const place = criteriaOf(question).indexOf(value);
  if (question.type === 'choice') return place === -1 ? NaN : place;
  if (question.type === 'noul' && /^(true|yes)$/i.test(value)) return 1;
  if (question.type === 'noul' && /^(false|no)$/i.test(value)) return 0;
  if (place === -1) return numberIn(value);
  const score = Object.entries(recordOf(legend)).find(([, meaning]) => meaning === value)?.[0];
  return score === undefined ? place + 1 : Number(score);
}

function numberIn(text: string): number {
  return text.trim() === '' ? NaN : (numberOf(Number(text)) ?? NaN);
}
