/** Many calls of one agent at once spend from one budget. */
import { expect, test } from 'vitest';
import { recordOf } from '../../src/lib/json.js';
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
