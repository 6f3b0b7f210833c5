/**
 * svc run or its program, killed with -9 at random moments; SVC_KILLS says how many (100 unless
 * set). Each question of all programs has a length of its own, so that the history shows one that
 * was paid for twice.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it } from 'vitest';
import { testFolder } from '../../test/helpers/folder.js';
import { seeded } from '../../test/helpers/random.js';
import { RunScene } from './run-scene.js';

const kills = Number(process.env['SVC_KILLS'] ?? 100);
const random = seeded(kills);
const [atOnce, questions] = [4, 6];

/** Asks its questions, three at a time; its pieces come slowly, so that there is a middle. */
const program = `
  const [first] = process.argv.slice(1).map(Number);
  console.log('pid ' + process.pid);
  const ask = async (number) => {
    const messages = [{ role: 'user', content: 'word '.repeat(number) }];
    const body = JSON.stringify({ model: 'local/script', stream: number % 2 === 0, messages });
    const headers = { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' };
    const url = process.env.OPENAI_BASE_URL + '/chat/completions';
    const answer = await fetch(url, { method: 'POST', headers, body });
    await answer.text();
    if (!answer.ok) process.exitCode = 9;
  };
  const own = Array.from({ length: ${questions} }, (_, i) => first + i);
  const next = async () => {
    for (let one; (one = own.shift()) !== undefined;) await ask(one);
  };
  Promise.all([next(), next(), next()]).catch(() => process.exit(8));`;

/** Whether it still ran. */
function killed9(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

it(
  `nothing is paid for twice or lost, whoever is killed: ${kills} times`,
  { timeout: 60_000 + kills * 6000 },
  async () => {
    const script = join(testFolder(), 'script.json');
    const rules = [{ reply: 'one two three four five', chunkDelayMs: 20 }];
    writeFileSync(script, JSON.stringify({ rules }));
    const scene = await RunScene.begin(1000, ['--script', script]);
    let asked = 1;
    const begin = async () => {
      const first = (asked += questions) - questions;
      const running = await scene.start(['--max-cost', '50'], '-e', program, String(first));
      return { ...running, startedAt: performance.now() };
    };
    const undisturbed = async () => {
      const { ended, shows, startedAt } = await begin();
      await shows('pid ');
      const begunMs = performance.now() - startedAt;
      expect(await ended).toMatchObject({ code: 0 });
      return { begunMs, workMs: performance.now() - startedAt - begunMs };
    };
    await undisturbed();
    const { begunMs, workMs } = await undisturbed();
    const killed = { svc: 0, program: 0, early: 0 };
    const rampage = async (round: number) => {
      const { child, ended, shows, stdout } = await begin();
      const isEarly = round % 5 === 0;
      if (!isEarly) await shows('pid ');
      await new Promise((pass) => {
        setTimeout(pass, random.below(isEarly ? begunMs : 1.2 * workMs));
      });
      const pid = Number(/pid (\d+)/.exec(stdout().toString())?.[1] ?? NaN);
      const isProgram = round % 2 === 0 && pid > 0;
      if (isProgram ? killed9(pid) : child.kill('SIGKILL')) {
        killed[isEarly ? 'early' : isProgram ? 'program' : 'svc'] += 1;
      }
      const { code, signal } = await ended;
      expect([0, 8, 9, 137, null]).toContain(code);
      expect([null, 'SIGKILL']).toContain(signal);
    };
    let round = 0;
    const some = async () => {
      while (killed.svc + killed.program + killed.early < kills) await rampage((round += 1));
    };
    await Promise.all(Array.from({ length: atOnce }, some));
    // The next run works, and the ones before it have left nothing in its way.
    await undisturbed();

    const records = await scene.records();
    const total = records.length;
    expect(new Set(records.map(({ promptTokens }) => promptTokens)).size).toBe(total);
    const { priceRub } = await scene.charged();
    const before = scene.booked();
    const after = await scene.budget();
    console.log({
      killed,
      begunMs,
      workMs,
      asked: asked - 1,
      charged: total,
      priceRub,
      before,
      after,
    });
    // Each charge was in the budget before anybody looked for it.
    expect(before.spentRub).toBeLessThanOrEqual(priceRub);
    expect(before.spentRub + before.reservedRub).toBeGreaterThanOrEqual(priceRub);
    expect(before.requests).toBeGreaterThanOrEqual(total);
    expect(after.spentRub).toBeCloseTo(priceRub, 6);
    // What was reserved and never charged stays unknown.
    expect(after.unknown).toBe(before.requests - total);
  },
);
