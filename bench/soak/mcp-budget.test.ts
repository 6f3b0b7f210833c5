/** Many calls of one agent at once spend from one budget. */
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { recordOf, textOf } from '../../src/lib/json.js';
import { startMcp } from '../../test/helpers/mcp-client.js';
import { run } from '../../test/helpers/run.js';

async function spentRub(home: string): Promise<number> {
  const { stdout } = await run('--local balance --json', { home });
  return 1000 - Number(recordOf(JSON.parse(stdout))['balance_rub']);
}

test('200 calls at once stay within a budget of 10 RUB', async () => {
  const { call, home, toServer } = await startMcp('--max-cost 10');
  // Each call waits until the server reads on.
  toServer.setMaxListeners(0);
  const given = { prompt: 'a word '.repeat(700), maxTokens: 1400, model: 'local/echo' };
  const results = await Promise.all(Array.from({ length: 200 }, () => call('chat', given)));
  const refused = results.filter(({ isError }) => isError);
  for (const { json } of refused) {
    expect(json).toMatchObject({ error: { exit: 5, code: 'max_cost' } });
    expect(JSON.stringify(json)).toContain(
      'left of the 10.00 RUB that the user lets this server spend',
    );
  }
  expect(refused.length).toBeGreaterThan(0);
  expect(await spentRub(home)).toBeGreaterThan(5);
  expect(await spentRub(home)).toBeLessThanOrEqual(10);
  // What the calls did not need of it is there for later ones.
  while (!(await call('chat', given)).isError);
  expect(await spentRub(home)).toBeGreaterThan(9.9);
  expect(await spentRub(home)).toBeLessThanOrEqual(10);
}, 60_000);

test('300 calls at once, asked and answered in any order, spend exactly what they say', async () => {
  const waiting: (() => void)[] = [];
  let asked = 0;
  // Every third user declines, and the latest question is answered first.
  const onQuestion = () =>
    new Promise<ElicitResult>((resolve) => {
      asked += 1;
      const action = asked % 3 === 0 ? ('decline' as const) : ('accept' as const);
      waiting.push(() => resolve({ action, content: { ok: true } }));
      setTimeout(() => waiting.pop()?.(), 5);
    });
  const line = '--max-cost 10 --ask-above 0.05';
  const { call, home, toServer, client } = await startMcp(line, { onQuestion });
  toServer.setMaxListeners(0);
  client.onerror = () => undefined;
  const given = { prompt: 'a word '.repeat(700), maxTokens: 1400, model: 'local/echo' };
  const maxCosts = [undefined, 0.01, 1e9];
  const results = await Promise.all(
    Array.from({ length: 300 }, (_, at) => call('chat', { ...given, maxCost: maxCosts[at % 3] })),
  );
  const codes = results.map(({ json }) => textOf(recordOf(json['error'])['code']) ?? 'paid');
  expect([...new Set(codes)].sort()).toEqual(['max_cost', 'not_confirmed', 'paid']);
  expect(codes.filter((_, at) => at % 3 === 1).every((code) => code === 'max_cost')).toBe(true);
  const paid = results.map(({ json }) => Number(recordOf(json['cost'])['priceRub'] ?? 0));
  const sumRub = paid.reduce((sum, rub) => sum + rub, 0);
  expect(asked).toBeGreaterThan(0);
  expect(sumRub).toBeGreaterThan(5);
  expect(sumRub).toBeLessThanOrEqual(10);
  expect(await spentRub(home)).toBeCloseTo(sumRub, 6);
}, 60_000);
