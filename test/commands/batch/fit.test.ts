/** One limit of answers for svc chat and svc batch: what a run sends, and what --estimate says of it. */
import { expect, it } from 'vitest';
import { createChatCompletion, createResponse } from '../../../src/contract/chat.js';
import { messagesMaxTokens } from '../../../src/contract/limits.js';
import { recordOf } from '../../../src/lib/json.js';
import { lineOf, localBatch } from '../../batch/local.js';
import { fails } from '../../helpers/run.js';
import { batchFolder, chatLine } from './folder.js';

const two = '{"prompt":"What does svc chat cost?"}\n{"prompt":"What is svc batch?"}\n';
const words = '--local batch run in.jsonl -m local/guide';

it('svc batch run --estimate counts an answer without a limit as svc chat does, and says so', async () => {
  const { svc } = batchFolder({ 'in.jsonl': two });
  const { stdout } = await svc(`${words} --estimate --json`);
  // 0.0004 RUB a token, and the questions.
  expect(recordOf(JSON.parse(stdout))['toRub']).toBeCloseTo(2 * messagesMaxTokens * 0.0004, 1);
  expect((await svc(`${words} --estimate`)).stderr).toBe(
    'an answer without max_tokens counts as 4096 tokens, its limit under a ceiling\n',
  );
});

it.each([
  ['--max-cost 1', '2 lines would be refused, the first is line 1'],
  [
    '--max-cost 2',
    'all lines together may cost more than the 2.00 RUB left of --max-cost 2.00 RUB',
  ],
])(
  'svc batch run --estimate says what %s refuses, and the --max-tokens that fit',
  async (ceiling, refused) => {
    const { svc } = batchFolder({ 'in.jsonl': two });
    const { code, stderr } = await svc(`${words} --estimate ${ceiling}`);
    expect([code, stderr]).toEqual([0, expect.stringContaining(refused)]);
    const fitting = Number(/--max-tokens (\d+) fits/.exec(stderr)?.[1]);
    expect(fitting).toBeGreaterThan(1000);
    expect((await svc(`${words} --estimate ${ceiling} --max-tokens ${fitting}`)).stderr).toBe('');
    const more = await svc(`${words} --estimate ${ceiling} --max-tokens ${fitting + 100}`);
    expect(more.stderr).toContain('may cost more than');
  },
);

it('svc batch run --estimate names no line as refused that --shorten shortens', async () => {
  const { svc } = batchFolder({ 'in.jsonl': two });
  expect((await svc(`${words} --estimate --max-cost 1 --shorten`)).stderr).not.toContain('refused');
  const { code, stderr } = await svc(`${words} --max-cost 0.001 --shorten`);
  expect([code, stderr]).toEqual([5, expect.stringMatching(/hint: raise --max-cost\n$/)]);
});

it('svc batch run --estimate gives both as JSON, and where no limit fits, none', async () => {
  const { svc } = batchFolder({ 'in.jsonl': two });
  const estimated = async (rub: number) =>
    recordOf(JSON.parse((await svc(`${words} --estimate --json --max-cost ${rub}`)).stdout));
  const refused = { refused: 2, firstRefusedLine: 1 };
  expect(await estimated(1)).toMatchObject({ ...refused, fittingMaxTokens: 1220 });
  expect(await estimated(0.01)).not.toHaveProperty('fittingMaxTokens');
  expect(await estimated(9)).toMatchObject({ refused: 0 });
});

it('a batch under a ceiling limits answers in the field of their format, and not those that have a limit', async () => {
  const { money } = await localBatch({ ceilings: { maxCostRub: 9 } });
  const model = 'local/guide';
  const sent = async (row: typeof createChatCompletion | typeof createResponse, more: object) => {
    const held = await money.reserve(lineOf(row, { model, ...more }));
    return recordOf(JSON.parse(held?.limited?.body ?? ''));
  };
  expect(await sent(createChatCompletion, {})).toEqual({ model, max_tokens: messagesMaxTokens });
  expect(await sent(createResponse, {})).toEqual({ model, max_output_tokens: messagesMaxTokens });
  const own = { max_completion_tokens: 20 };
  expect(await sent(createChatCompletion, own)).toEqual({ model, ...own });
  const body = '{"model":"local/guide","seed":12345678901234567890}';
  const held = await money.reserve({ ...lineOf(createChatCompletion, { model }), body });
  expect(held?.limited?.body).toBe(`${body.slice(0, -1)},"max_tokens":${messagesMaxTokens}}`);
});

it('a batch under a ceiling lowers limits with --shorten', async () => {
  const long = chatLine('long', 'hi', { max_tokens: 9000 });
  const { ids, svc } = batchFolder({ 'in.jsonl': two + long });
  const line = `${words} -o out.jsonl --max-cost 1`;
  expect((await svc(line)).code).toBe(5);
  const { code, stderr } = await svc(`${line} --shorten`);
  expect([code, stderr]).toEqual([0, expect.stringContaining('3 of 3 done')]);
  expect(ids('out.jsonl')).toHaveLength(3);
  expect((await svc(`${line} --shorten`)).stderr).toMatch(
    /^3 of 3 done · 0\.00 RUB now, 0\.\d+ RUB in all · 0 s$/m,
  );
});

it('a batch under a ceiling gives each answer the limit of --max-tokens that it lacks', async () => {
  const { svc } = batchFolder({
    'in.jsonl': chatLine('a', 'x') + chatLine('b', 'x', { max_tokens: 5 }),
  });
  const { stdout } = await svc('--local batch make in.jsonl --max-tokens 9');
  expect(stdout.match(/"max_tokens":\d/g)).toEqual(['"max_tokens":9', '"max_tokens":5']);
});

it('a batch under a ceiling counts the most for an earlier answer without a known price', async () => {
  const [first = ''] = two.split(/(?<=\n)/);
  const { read, svc, write } = batchFolder({ 'in.jsonl': first });
  const line = `${words} -o out.jsonl`;
  expect((await svc(line)).code).toBe(0);
  write('out.jsonl', (read('out.jsonl') ?? '').replace(/"priceRub":[\d.]+/, '"priceRub":null'));
  write('in.jsonl', two);
  // Each may cost 1.65 RUB.
  expect(await svc(`${line} --max-cost 2`)).toMatchObject(fails(5, 'line 2 may cost up to'));
  expect((await svc(`${line} --max-cost 4`)).code).toBe(0);
});

it('a batch under a ceiling needs a ceiling for --shorten', async () => {
  const { svc } = batchFolder({ 'in.jsonl': two });
  const { code, stderr } = await svc(`${words} --shorten`);
  const refusal = '--shorten needs --max-cost or a budget';
  expect([code, stderr]).toEqual([2, expect.stringContaining(refusal)]);
});

// 396 characters, and four of the role.
const chat = chatLine('', 'x'.repeat(396), { max_tokens: 1000 }).replace('"custom_id":"",', '');
const others = [
  { url: '/v1/search', body: { query: 'cats' } },
  { url: '/v1/messages/count_tokens', body: { model: 'free', messages: [{ role: 'user' }] } },
];
const all = chat.repeat(60) + others.map((one) => `${JSON.stringify(one)}\n`).join('');

it('svc batch run --estimate gives tokens, price and time, and sends nothing', async () => {
  const { read, svc } = batchFolder({ 'in.jsonl': all });
  const words = '--local batch run in.jsonl --estimate -o out.jsonl --rpm 31';
  const { code, stdout, stderr } = await svc(words);
  expect({ code, stdout: stdout.split('\n'), stderr }).toEqual({
    code: 0,
    stdout: [
      'local/guide\t60\t6000\t0.6\t25.44',
      '/v1/search\t1\t0\t0.3\t0.3',
      'free\t1\t1\t0\t0',
      'all\t62\t6001\t0.9\t25.74',
      '',
    ],
    stderr: 'at least 2 min at these limits\n',
  });
  expect(read('out.jsonl')).toBeUndefined();
});

it('svc batch run --estimate leaves a price open that is not known', async () => {
  const unknown = chatLine('other', 'xxxx', { model: 'no/such', max_tokens: 1000 });
  const { svc } = batchFolder({ 'in.jsonl': chat + unknown });
  const { stdout } = await svc('--local batch run in.jsonl --estimate --json --tpm 102');
  const open = { fromRub: null, toRub: null };
  const known = { inputTokens: 100, fromRub: 0.01, toRub: 0.424 };
  expect(JSON.parse(stdout)).toEqual({
    ...{ requests: 2, inputTokens: 102, seconds: 60, ...open },
    models: [
      { model: 'local/guide', requests: 1, ...known },
      { model: 'no/such', requests: 1, inputTokens: 2, ...open },
    ],
  });
});
