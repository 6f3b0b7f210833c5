import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { decide, stateOf } from '../../src/service/decisions.js';
import { balanceOf, get, openService, post, read } from './helpers.js';

const path = '/v1/decisions';
const state = 'I was charged twice and want my money back';
const topic = {
  type: 'choice',
  instructions: 'What is it about?',
  criteria: { billing: 'charges, refunds, money back', bug: 'errors and crashes' },
};
const anger = {
  type: 'score',
  instructions: 'How angry is the writer?',
  criteria: ['calm', 'annoyed', 'furious'],
};
const refund = { type: 'noul', instructions: 'The writer wants the money back' };
const ask = { state, questions: { topic, anger, refund } };

const odds = { probabilities: z.record(z.string(), z.number()), confidence: z.number() };
const Reply = z.strictObject({
  object: z.literal('decisions'),
  model: z.string(),
  answers: z.strictObject({
    topic: z.strictObject({ choice: z.string(), ...odds }),
    anger: z.strictObject({ score: z.int(), legend: z.record(z.string(), z.string()), ...odds }),
    refund: z.strictObject({ noul: z.number().check(z.gte(0), z.lte(1)) }),
  }),
  usage: z.strictObject({ input_tokens: z.int(), output_tokens: z.int() }),
});

it('POST /v1/decisions answers each question in the shape of its type', async () => {
  const { answers, model } = await read(post(openService(), path, ask), Reply);
  expect(model).toBe('local/decide');
  expect(answers.topic.choice).toBe('billing');
  expect(answers.anger.legend).toEqual({ 1: 'calm', 2: 'annoyed', 3: 'furious' });
  expect(answers.refund.noul).toBeGreaterThan(0.9);
  for (const { probabilities, confidence } of [answers.topic, answers.anger]) {
    const values = Object.values(probabilities);
    expect(values.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
    expect(confidence).toBe(Math.max(...values));
  }
});

it.each([
  ['a record', { ticket: { text: state, tags: ['money', null, 7, true] } }],
  ['a list', [{ role: 'user', content: state }]],
])('POST /v1/decisions takes %s for a state', async (_, given) => {
  const { answers } = await read(post(openService(), path, { ...ask, state: given }), Reply);
  expect(answers.topic.choice).toBe('billing');
});

it('POST /v1/decisions bills the input alone', async () => {
  const service = openService();
  const response = await post(service, path, ask);
  const { usage } = Reply.parse(await response.json());
  expect(usage.output_tokens).toBeGreaterThan(10);
  const id = response.headers.get('x-svc-generation-id') ?? '';
  const priceRub = (usage.input_tokens * 40) / 1e6;
  expect(await (await get(service, `/v1/generations/${id}`)).json()).toMatchObject({
    model: 'local/decide',
    route: ':standard',
    promptTokens: usage.input_tokens,
    completionTokens: usage.output_tokens,
    priceRub,
  });
  expect(await balanceOf(service)).toBe(1000 - priceRub);
});

it.each([
  ['decide:failing', 502, 'decisions_failed'],
  ['local/decide:stalling', 504, 'decisions_timeout'],
])('POST /v1/decisions fails on request: %s answers %d', async (model, status, code) => {
  const service = openService();
  const response = await post(service, path, { ...ask, model });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: { code } });
  expect(await balanceOf(service)).toBe(1000);
});

it.each([
  ['an unknown model', { ...ask, model: 'nobody/decide' }],
  ['a model that chats', { ...ask, model: 'local/echo' }],
  [
    'a score of 257 levels',
    { state, questions: { q: { ...anger, criteria: Array.from({ length: 257 }, () => 'a') } } },
  ],
  ['a state that is too long', { ...ask, state: 'a '.repeat(300_000) }],
])('POST /v1/decisions refuses %s with 400 and charges nothing', async (_, body) => {
  const service = openService();
  const response = await post(service, path, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringMatching(/\S/), type: 'invalid_request_error' },
  });
  expect(await balanceOf(service)).toBe(1000);
});

const support = {
  billing: 'Charges, invoices, payments, refunds and money back',
  technical: 'Errors, crashes, bugs, the app or a page does not work or load',
  account: 'Login, password, email address, profile and account settings',
  delivery: 'Orders, parcels, shipping, couriers and delivery dates',
};

describe('decide', () => {
  it.each([
    ['The app crashes with an error when I open a page', 'technical'],
    ['I forgot my password and cannot change my email address', 'account'],
    ['My parcel has not come, where is the courier with my order?', 'delivery'],
  ])('finds the right answer: %s', (text, right) => {
    const about = { type: 'choice' as const, instructions: '', criteria: support };
    expect(decide(stateOf(text), about)).toMatchObject({ choice: right });
  });

  const state = stateOf('My parcel is late. Where is the courier?');

  it('scores by the number of a level, which the legend names', () => {
    const levels = ['all is well', 'the parcel is late', 'the parcel is lost'];
    const answer = decide(state, { type: 'score', instructions: 'How bad?', criteria: levels });
    expect(answer).toMatchObject({
      score: 2,
      legend: { 1: levels[0], 2: levels[1], 3: levels[2] },
      confidence: expect.any(Number),
    });
    expect(Object.keys(answer).sort()).toEqual(['confidence', 'legend', 'probabilities', 'score']);
  });

  it('gives noul the likelihood of a yes, and nothing else', () => {
    const about = (instructions: string) => {
      const answer = decide(state, { type: 'noul', instructions });
      expect(Object.keys(answer)).toEqual(['noul']);
      return 'noul' in answer ? answer.noul : NaN;
    };
    expect(about('A parcel is late')).toBeGreaterThan(0.9);
    expect(about('The soup is too salty')).toBeLessThan(0.4);
  });

  it('is undecided where nothing speaks for any option', () => {
    const answer = decide(stateOf('zzz'), {
      type: 'choice',
      instructions: '',
      criteria: { same: 'the same', Same: 'the same' },
    });
    expect(answer).toMatchObject({ probabilities: { same: 0.5, Same: 0.5 }, confidence: 0.5 });
  });

  it('chooses the most likely of six that are alike, though their shares are rounded', () => {
    const options = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, 'qq'] as const);
    const answer = decide(stateOf('###'), {
      type: 'choice',
      instructions: 'zz?',
      criteria: Object.fromEntries(options),
    });
    if (!('choice' in answer)) throw new Error('it chose none');
    const { choice, probabilities, confidence } = answer;
    expect(probabilities[choice]).toBe(Math.max(...Object.values(probabilities)));
    expect(confidence).toBe(probabilities[choice]);
  });

  it('accepts options named like object properties', () => {
    const odd = Object.fromEntries([
      ['__proto__', 'nothing'],
      ['constructor', 'parcel courier'],
    ]);
    const answer = decide(state, { type: 'choice', instructions: '', criteria: odd });
    if (!('choice' in answer)) throw new Error('no choice');
    expect(answer.choice).toBe('constructor');
    expect(Object.keys(answer.probabilities)).toEqual(['__proto__', 'constructor']);
  });
});
