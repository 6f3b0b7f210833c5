import { expect, test } from 'vitest';
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { recordOf } from '../../../src/lib/json.js';
import { front } from '../../helpers/front.js';
import { ManualClock, PollingClock } from '../../helpers/manual-clock.js';
import { startMcp } from '../../helpers/mcp-client.js';
import { run } from '../../helpers/run.js';

/** An image costs 2.40 RUB. */
const image = { prompt: 'a lighthouse' };
const env = { SVC_LOCAL_JOB_TIME: '0ms' };
const agreed: ElicitResult = { action: 'accept', content: { ok: true } };
/** Of a client that waits as long as it is shown progress. */
const waiting = { onprogress: () => undefined };

async function spentRub(home: string): Promise<number> {
  const { stdout } = await run('--local balance --json', { home });
  return 1000 - Number(recordOf(JSON.parse(stdout))['balance_rub']);
}

/** A server that asks above 1 RUB, and the questions of it. */
async function askingServer(
  line = '--ask-above 1',
  answer: (message: string) => ElicitResult | Promise<ElicitResult> = () => agreed,
) {
  const questions: string[] = [];
  const onQuestion = (message: string) => {
    questions.push(message);
    return answer(message);
  };
  return { ...(await startMcp(line, { env, onQuestion })), questions };
}

const error = (code: string, ...words: string[]) => ({
  isError: true,
  json: {
    error: {
      exit: 5,
      code,
      message: expect.stringMatching(words.join('.*')),
      hint: expect.any(String),
    },
  },
});

test('the user is asked with the tool, the model, the most it costs and what is left', async () => {
  const { call, home, questions } = await askingServer('--ask-above 1 --max-cost 5');
  expect((await call('image_create', image)).isError).toBe(false);
  expect(questions).toEqual([
    'image_create with local/canvas may cost up to 2.40 RUB; 5.00 RUB are left for all calls of this server. Spend it?',
  ]);
  expect(await spentRub(home)).toBeCloseTo(2.4, 9);
});

const failing = () => {
  throw new Error('no form here');
};
test.each<[string, string, () => ElicitResult]>([
  ['declines', 'the user declined', () => ({ action: 'decline' })],
  ['cancels', 'the user did not answer', () => ({ action: 'cancel' })],
  ['says no', 'the user did not agree', () => ({ action: 'accept', content: { ok: false } })],
  ['says nothing', 'the user did not agree', () => ({ action: 'accept' })],
  ['says a text', 'the user did not agree', () => ({ action: 'accept', content: { ok: 'true' } })],
  ['says 1', 'the user did not agree', () => ({ action: 'accept', content: { ok: 1 } })],
  ['declines, with ok', 'the user declined', () => ({ action: 'decline', content: { ok: true } })],
  ['fails', 'the client could not ask the user', failing],
])('nothing is spent where the user %s', async (_, why, answer) => {
  const { call, home, questions } = await askingServer('--ask-above 1', answer);
  for (const [name, given] of [
    ['image_create', image],
    ['generate', { model: 'local/canvas', prompt: 'x' }],
  ] as const)
    expect(await call(name, given)).toMatchObject(
      error('not_confirmed', '2.40 RUB', why, 'nothing was spent'),
    );
  expect(questions).toHaveLength(2);
  expect(await spentRub(home)).toBe(0);
  // Nothing is left that a later command would send.
  const { stdout } = await run('--local jobs list --json', { home, env });
  expect(JSON.parse(stdout)).toEqual([]);
  expect(await spentRub(home)).toBe(0);
});

test.each([
  ['2.39', 1],
  ['2.4', 0],
  ['3', 0],
  ['0', 1],
])('above %s RUB the user is asked %i times for 2.40 RUB', async (limit, times) => {
  const { call, questions } = await askingServer(`--ask-above ${limit}`);
  expect((await call('image_create', image)).isError).toBe(false);
  expect(questions).toHaveLength(times);
});

test('what costs nothing is not asked, nor what a ceiling refuses', async () => {
  const { call, questions } = await askingServer('--ask-above 0 --max-cost 2');
  for (const [name, given] of [
    ['balance', {}],
    ['models_list', {}],
    ['image_create', { ...image, quote: true }],
  ] as const)
    expect((await call(name, given)).isError).toBe(false);
  const refused = await call('image_create', image);
  expect(refused).toMatchObject(error('max_cost', '2.00 RUB left of the 2.00 RUB that the user'));
  const own = await call('image_create', { ...image, maxCost: 1 });
  expect(own).toMatchObject(error('max_cost', 'RUB'));
  expect(questions).toEqual([]);
});

test('a client without forms is asked nothing: the ceilings decide', async () => {
  const { call } = await startMcp('--ask-above 0', { env });
  expect((await call('image_create', image)).isError).toBe(false);
});

test('each of two calls at once is asked, and the answers may come in any order', async () => {
  const answers: ((answer: ElicitResult) => void)[] = [];
  const { call, home, questions } = await askingServer('--ask-above 1 --max-cost 3', () => {
    const answer = new Promise<ElicitResult>((resolve) => answers.push(resolve));
    // Both wait: neither holds what the other could spend.
    if (answers.length === 2) for (const one of answers.reverse()) one(agreed);
    return answer;
  });
  const made = await Promise.all([1, 2].map((n) => call('image_create', { prompt: `no. ${n}` })));
  expect(questions).toHaveLength(2);
  expect(made.map(({ isError }) => isError).sort()).toEqual([false, true]);
  expect(await spentRub(home)).toBeCloseTo(2.4, 9);
});

test('a question that stays open for 10 minutes is no consent', async () => {
  const clock = new ManualClock();
  let onAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (onAsked = resolve));
  let isTakenBack = false;
  const onQuestion = (_: string, signal: AbortSignal) => {
    signal.addEventListener('abort', () => (isTakenBack = true));
    onAsked();
    return new Promise<ElicitResult>(() => undefined);
  };
  const { call, home } = await startMcp('--ask-above 1', { clock, env, onQuestion });
  const made = call('image_create', image, waiting);
  await asked;
  clock.pass(10 * 60_000);
  expect(await made).toMatchObject(error('not_confirmed', '10 minutes; nothing was spent'));
  expect(isTakenBack).toBe(true);
  expect(await spentRub(home)).toBe(0);
});

test('an answer after the call was cancelled spends nothing', async () => {
  const cancelling = new AbortController();
  let answer: (answer: ElicitResult) => void = () => undefined;
  const { call, home } = await askingServer('--ask-above 1', () => {
    cancelling.abort();
    return new Promise((resolve) => (answer = resolve));
  });
  const made = call('image_create', image, { signal: cancelling.signal });
  await expect(made).rejects.toThrow();
  answer(agreed);
  expect((await call('balance')).isError).toBe(false);
  expect(await spentRub(home)).toBe(0);
});

test.each([
  [{}, 1],
  [{ form: {} }, 1],
  [{ form: {}, url: {} }, 1],
  [{ url: {} }, 0],
])('a client that declares %j is asked %i times', async (elicitation, times) => {
  const questions: string[] = [];
  const onQuestion = (message: string) => {
    questions.push(message);
    return agreed;
  };
  const { call } = await startMcp('--ask-above 1', { env, onQuestion, elicitation });
  expect((await call('image_create', image)).isError).toBe(false);
  expect(questions).toHaveLength(times);
});

test('while the user is asked, no job is recorded that another command would send', async () => {
  let listed: unknown;
  const { call, home } = await askingServer('--ask-above 1', async () => {
    const { stdout } = await run('--local jobs list --json', { home, env });
    listed = JSON.parse(stdout);
    return { action: 'decline' };
  });
  await call('generate', { model: 'local/canvas', prompt: 'x' });
  expect(listed).toEqual([]);
});

test('the end of the server ends a question, and a later command does not pay for it', async () => {
  const { call, ended, home, toServer } = await askingServer('--ask-above 1', () => {
    toServer.end();
    return new Promise(() => undefined);
  });
  call('generate', { model: 'local/canvas', prompt: 'x' }).catch(() => undefined);
  expect(await ended).toMatchObject({ code: 0 });
  await run('--local jobs list', { home, env });
  expect(await spentRub(home)).toBe(0);
});

test('maxCost and the ceiling of the server both hold', async () => {
  const { call, home } = await startMcp('--max-cost 5', { env });
  const make = (maxCost: unknown, prompt = 'x') => call('image_create', { prompt, maxCost });
  for (const maxCost of [0, 0.5, 2.39])
    expect(await make(maxCost)).toMatchObject(error('max_cost', 'more than maxCost'));
  for (const maxCost of [-1, '3', [3]])
    expect(await make(maxCost)).toMatchObject({ json: { error: { exit: 2 } } });
  expect((await make(2.4)).isError).toBe(false);
  expect((await make(1e9, 'y')).isError).toBe(false);
  // It does not raise the ceiling.
  for (const maxCost of [1e9, 1234567890123456789])
    expect(await make(maxCost, 'z')).toMatchObject(error('max_cost', '0.20 RUB left of the 5.00'));
  expect(await spentRub(home)).toBeCloseTo(4.8, 9);
});

test('a chat with a search is asked once for both, and refused before the search', async () => {
  const isAgreed = { ok: false };
  const { call, home, questions } = await askingServer('--ask-above 0.2', () => ({
    action: 'accept',
    content: { ok: isAgreed.ok },
  }));
  const given = { prompt: 'hi', model: 'local/echo', search: 'code' };
  const refused = await call('chat', given);
  expect(refused).toMatchObject(error('not_confirmed', '0.08.* RUB of it before', 'not sent'));
  expect(refused.texts.at(-1)).toBe('nothing was spent');
  expect(await spentRub(home)).toBe(0);
  isAgreed.ok = true;
  const { json } = await call('chat', given);
  expect(json).toMatchObject({ complete: true });
  expect(questions).toHaveLength(2);
  expect(await spentRub(home)).toBeCloseTo(Number(recordOf(json['cost'])['priceRub']), 9);
});

test('what a person takes to answer is not part of the time limit', async () => {
  const clock = new PollingClock();
  const onQuestion = () => {
    clock.pass(9 * 60_000);
    return agreed;
  };
  const options = { clock, env: { SVC_LOCAL_JOB_TIME: '2s' }, onQuestion };
  const { call } = await startMcp('--ask-above 0 --timeout 30s', options);
  // Meanwhile the client has been told to call again.
  expect(await call('image_create', image)).toMatchObject({ json: { state: 'running' } });
  expect((await call('image_create', image)).images).toHaveLength(1);
  const chat = { prompt: 'hi', model: 'local/echo', search: 'code' };
  expect(await call('chat', chat)).toMatchObject({ json: { complete: true } });
  const job = { model: 'local/canvas', prompt: 'x' };
  expect(await call('generate', job)).toMatchObject({ json: { state: 'running' } });
  expect(await call('generate', job)).toMatchObject({ json: { state: 'done' } });
});

test('a budget refuses before the user is asked, in words for an agent', async () => {
  const { call, home, questions } = await askingServer('--ask-above 1');
  await run('--local budget set day 3', { home });
  expect((await call('image_create', image)).isError).toBe(false);
  const refused = await call('image_create', { prompt: 'y' });
  expect(refused).toMatchObject(error('budget', "left of the day's 3.00 RUB"));
  expect(recordOf(refused.json['error'])['hint']).toMatch(
    /^ask the user, who has set this budget; /,
  );
  expect(questions).toHaveLength(1);
  const budget = await run('--local budget --json', { home });
  expect(JSON.parse(budget.stdout)).toMatchObject({ day: { spentRub: 2.4, reservedRub: 0 } });
});

test('a picture whose answer is lost is one question, and one payment under the ceilings', async () => {
  const { clock, env, home, on, ask } = await front();
  const questions: string[] = [];
  const onQuestion = (message: string) => {
    questions.push(message);
    return agreed;
  };
  const options = { before: '', env, clock, home, onQuestion };
  const { call } = await startMcp('--max-cost 3 --ask-above 1', options);
  const canvas = { ...image, model: 'local/canvas' };
  on('images.create', { drop: 'answer', nth: 1 });
  expect((await call('image_create', canvas)).images).toHaveLength(1);
  // What is left of the ceiling is known, though the first request had no answer.
  const refused = await call('image_create', canvas);
  expect(refused).toMatchObject(error('max_cost', '0.60 RUB left of the 3.00 RUB'));
  expect(questions).toHaveLength(1);
  expect(await ask('GET', '/v1/generations')).toMatchObject({ data: [{ model: 'local/canvas' }] });
});

test.each([
  ['image_create', 'images.create'],
  ['generate', 'media.generate'],
] as const)(
  'a lower maxCost refuses %s too where it resumes a lost request',
  async (tool, lost) => {
    const { clock, env, home, on, ask, straighten } = await front();
    const { call } = await startMcp('', { before: '', env, clock, home });
    const given = { ...image, model: 'local/canvas' };
    on(lost, { drop: 'request' });
    expect((await call(tool, { ...given, maxCost: 3 })).isError).toBe(true);
    straighten();
    const refused = await call(tool, { ...given, maxCost: 1 });
    expect(refused.texts.join()).toMatch(/may cost up to .* RUB, more than maxCost 1.00 RUB/);
    expect(await ask('GET', '/v1/generations')).toMatchObject({ data: [] });
    expect((await call(tool, { ...given, maxCost: 3 })).isError).toBe(false);
  },
);

test.each([
  ['', 'and with all its requests an amount that is not known before. Spend it?'],
  ['--max-cost 5', 'and with all its requests up to 5.00 RUB; 5.00 RUB are left for all calls'],
])('with %j, a yes to a call of several requests is for all of them', async (line, words) => {
  const { call, questions } = await askingServer(`${line} --ask-above 0`);
  const given = { prompt: 'hi', model: ['local/echo', 'local/guide'], maxTokens: 1000 };
  const { texts } = await call('chat', given);
  expect(JSON.parse(String(texts[0]))).toHaveLength(2);
  expect(questions).toEqual([expect.stringContaining(words)]);
  await call('chat', { ...given, maxCost: 2 });
  expect(questions[1]).toContain('and with all its requests up to 2.00 RUB');
});
