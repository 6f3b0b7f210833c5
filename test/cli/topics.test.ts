import { expect, test } from 'vitest';
import { variables } from '../../src/cli/topics.js';
import { exitCodeMeanings } from '../../src/cli/exit.js';
import { run } from '../helpers/run.js';

test('svc help exit-codes prints every code with its meaning', async () => {
  const { stdout, stderr, code } = await run('help exit-codes');
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  for (const [exitCode, meaning] of exitCodeMeanings) {
    expect(stdout).toMatch(new RegExp(`^ +${String(exitCode)} `, 'm'));
    expect(stdout).toContain(meaning);
  }
});

test('svc help environment prints every variable', async () => {
  const { stdout, code } = await run('help environment');
  expect(code).toBe(0);
  for (const { name, summary } of variables) {
    expect(stdout).toMatch(new RegExp(`^ +${name} `, 'm'));
    expect(stdout).toContain(summary);
  }
});
