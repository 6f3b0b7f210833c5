/** Programs that ask more than they may, all at once, and behave badly meanwhile. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RunScene } from './run-scene.js';

const program = join(import.meta.dirname, 'run-program.mjs');
const timeout = 120_000;

/** What the program gave up before the service had it has no record, and stays reserved below the ceiling. */
async function assertAccounted(scene: RunScene, priceRub: number): Promise<void> {
  const { spentRub, reservedRub } = await scene.budget();
  expect(spentRub).toBe(priceRub);
  expect(spentRub + reservedRub).toBeLessThanOrEqual(10);
}

it('200 requests of a hostile program cost no more than its ceiling', { timeout }, async () => {
  const scene = await RunScene.begin(1000);
  const report = join(scene.home, 'report.json');
  const running = await scene.start(['--max-cost', '10', '--report', report], program, '200');
  const { code, stdout, stderr } = await running.ended;
  const { calls, priceRub } = await scene.charged();
  console.log(stdout, stderr, `${calls} charged: ${priceRub} RUB`);
  expect(code).toBe(0);
  expect(priceRub).toBeLessThanOrEqual(10);
  expect(calls).toBeGreaterThan(20);
  expect(stdout).toMatch(/"402":\d+/);
  // Where the program hung up before an answer, only the history knows whether that was charged.
  const { unpriced, ...reported } = scene.report('report.json');
  expect(reported.priceRub).toBeLessThanOrEqual(priceRub);
  if (unpriced === 0) expect(reported).toEqual({ priceRub });
  expect(await scene.logged()).toEqual(reported);
  await assertAccounted(scene, priceRub);
});

it('two runs at once share the budget of a day', { timeout }, async () => {
  const scene = await RunScene.begin(10);
  const starting = ['0', '1000'].map((first) => scene.start([], program, '200', first));
  const both = await Promise.all(starting);
  const ends = await Promise.all(both.map(({ ended }) => ended));
  const { calls, priceRub } = await scene.charged();
  for (const { stdout, stderr } of ends) console.log(stdout, stderr);
  console.log(`${calls} charged: ${priceRub} RUB`);
  expect(ends).toMatchObject([{ code: 0 }, { code: 0 }]);
  expect(priceRub).toBeLessThanOrEqual(10);
  expect(calls).toBeGreaterThan(20);
  await assertAccounted(scene, priceRub);
});
