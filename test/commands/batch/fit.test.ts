/** One limit of answers for svc chat and svc batch: what a run sends, and what --estimate says of it. */
import { describe, expect, it } from 'vitest';
import { createChatCompletion, createResponse } from '../../../src/contract/chat.js';
import { messagesMaxTokens } from '../../../src/contract/limits.js';
import { recordOf } from '../../../src/lib/json.js';
import { lineOf, localBatch } from '../../batch/local.js';
import { batchFolder, chatLine } from './folder.js';

const two = '{"prompt":"What does svc chat cost?"}\n{"prompt":"What is svc batch?"}\n';
const words = '--local batch run in.jsonl -m local/guide';

describe('svc batch run --estimate', () => {
  it('counts an answer without a limit as svc chat does, and says so', async () => {
    const { svc } = batchFolder({ 'in.jsonl': two });
    const { stdout } = await svc(`${words} --estimate --json`);
    // 0.0004 RUB a token, and the questions.
    expect(recordOf(JSON.parse(stdout))['to_rub']).toBeCloseTo(2 * messagesMaxTokens * 0.0004, 1);
    expect((await svc(`${words} --estimate`)).stderr).toBe(
      'an answer without max_tokens counts as 4096 tokens, its limit under a ceiling\n',
    );
  });

  it.each([
    ['--budget 1', '2 lines would be refused, the first is line 1'],
    ['--max-cost 0.5', '2 lines would be refused, the first is line 1'],
    ['--budget 2', 'all lines together may cost more than the 2.00 RUB left of the budget'],
  ])('says what %s refuses, and the --max-tokens that fit', async (ceiling, refused) => {
    const { svc } = batchFolder({ 'in.jsonl': two });
    const { code, stderr } = await svc(`${words} --estimate ${ceiling}`);
    expect([code, stderr]).toEqual([0, expect.stringContaining(refused)]);
    const fitting = Number(/--max-tokens (\d+) fits/.exec(stderr)?.[1]);
    expect(fitting).toBeGreaterThan(1000);
    expect((await svc(`${words} --estimate ${ceiling} --max-tokens ${fitting}`)).stderr).toBe('');
    const more = await svc(`${words} --estimate ${ceiling} --max-tokens ${fitting + 100}`);
    expect(more.stderr).toContain('may cost more than');
  });

  it('names no line as refused that --fit shortens', async () => {
    const { svc } = batchFolder({ 'in.jsonl': two });
    expect((await svc(`${words} --estimate --max-cost 1 --fit`)).stderr).not.toContain('refused');
    const { code, stderr } = await svc(`${words} --max-cost 0.001 --fit`);
    expect([code, stderr]).toEqual([5, expect.stringMatching(/hint: raise --max-cost\n$/)]);
  });

  it('gives both as JSON, and where no limit fits, none', async () => {
    const { svc } = batchFolder({ 'in.jsonl': two });
    const estimated = async (rub: number) =>
      recordOf(JSON.parse((await svc(`${words} --estimate --json --budget ${rub}`)).stdout));
    const refused = { refused: 2, first_refused_line: 1 };
    expect(await estimated(1)).toMatchObject({ ...refused, fitting_max_tokens: 1220 });
    expect(await estimated(0.01)).not.toHaveProperty('fitting_max_tokens');
    expect(await estimated(9)).toMatchObject({ refused: 0 });
  });
});

describe('a batch under a ceiling', () => {
  it('limits answers in the field of their format, and not those that have a limit', async () => {
    const { money } = await localBatch({ ceilings: { budgetRub: 9 } });
    const model = 'local/guide';
    const sent = async (row: typeof createChatCompletion | typeof createResponse, more: object) => {
      const held = await money.reserve(lineOf(row, { model, ...more }));
      return recordOf(JSON.parse(held?.limited?.body ?? ''));
    };
    expect(await sent(createChatCompletion, {})).toEqual({ model, max_tokens: messagesMaxTokens });
    const ofResponse = { model, max_output_tokens: messagesMaxTokens };
    expect(await sent(createResponse, {})).toEqual(ofResponse);
    const own = { max_completion_tokens: 20 };
    expect(await sent(createChatCompletion, own)).toEqual({ model, ...own });
    const body = '{"model":"local/guide","seed":12345678901234567890}';
    const held = await money.reserve({ ...lineOf(createChatCompletion, { model }), body });
    expect(held?.limited?.body).toBe(`${body.slice(0, -1)},"max_tokens":${messagesMaxTokens}}`);
  });

  it.each(['--budget 1', '--max-cost 0.5'])('lowers limits with --fit to %s', async (ceiling) => {
    const long = chatLine('long', 'hi', { max_tokens: 9000 });
    const { ids, svc } = batchFolder({ 'in.jsonl': two + long });
    const line = `${words} -o out.jsonl ${ceiling}`;
    expect((await svc(line)).code).toBe(5);
    const { code, stderr } = await svc(`${line} --fit`);
    expect([code, stderr]).toEqual([0, expect.stringContaining('3 of 3 done')]);
    expect(ids('out.jsonl')).toHaveLength(3);
    expect((await svc(`${line} --fit`)).stderr).toMatch(
      /^3 of 3 done · 0\.00 RUB now, 0\.\d+ RUB in all · 0 s$/m,
    );
  });

  it('gives each answer the limit of --max-tokens that it lacks', async () => {
    const { svc } = batchFolder({
      'in.jsonl': chatLine('a', 'x') + chatLine('b', 'x', { max_tokens: 5 }),
    });
    const { stdout } = await svc('--local batch make in.jsonl --max-tokens 9');
    expect(stdout.match(/"max_tokens":\d/g)).toEqual(['"max_tokens":9', '"max_tokens":5']);
  });

  it('needs a ceiling for --fit', async () => {
    const { svc } = batchFolder({ 'in.jsonl': two });
    const { code, stderr } = await svc(`${words} --fit`);
    const refusal = '--fit needs --budget, --max-cost or a budget';
    expect([code, stderr]).toEqual([2, expect.stringContaining(refusal)]);
  });
});
