/** Recordings that are killed with -9 at random moments, and several that write to one tape. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundle, bundleEnv } from '../../test/helpers/bundle.js';
import { testFolder } from '../../test/helpers/folder.js';
import { seeded } from '../../test/helpers/random.js';

const kills = Number(process.env['SVC_KILLS'] ?? 30);
const timeout = 120_000 + kills * 4000;
let script = '';

beforeAll(async () => {
  script = await bundle('bench/soak/svc-process.ts');
});

afterAll(() => {
  rmSync(dirname(script), { recursive: true });
});

function svc(words: readonly string[], tape: string) {
  const env = { ...bundleEnv, SVC_CONFIG_DIR: testFolder(), SVC_TAPE: tape };
  const child = spawn(process.execPath, [script, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let stdout = '';
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  const closed = once(child, 'close').then(() => ({ stdout, code: child.exitCode }));
  return { closed, kill: () => child.kill('SIGKILL') };
}

const chat = (question: string) => ['--local', 'chat', '-m', 'local/echo', '--json', question];
/** Without the balance, which they all ask for. */
const answerOf = (stdout = '') => stdout.replace(/"balanceRub":\s*[\d.]+/, '');
const exchanges = (tape: string) => readFileSync(tape, 'utf8').split('\n').slice(1);

it(
  'a tape that was killed while it was recorded plays what it has, and can be recorded on',
  async () => {
    const tape = join(testFolder(), 'tape.jsonl');
    const random = seeded(kills);
    const whole = await svc(chat('0'), `record:${tape}`).closed;
    const startMs = performance.now();
    await svc(chat('1'), `record:${tape}`).closed;
    const wholeMs = performance.now() - startMs;
    for (let round = 0; round < kills; round += 1) {
      const before = exchanges(tape).filter(Boolean);
      const { closed, kill } = svc(chat(`${round + 2}`), `record:${tape}`);
      const timer = setTimeout(kill, (0.5 + random.below(500) / 1000) * wholeMs);
      await closed;
      clearTimeout(timer);
      expect(exchanges(tape).slice(0, before.length)).toEqual(before);
      expect(await svc(chat('0'), tape).closed).toEqual(whole);
    }
    const last = await svc(chat('last'), `record:${tape}`).closed;
    expect(await svc(chat('last'), tape).closed).toEqual(last);
  },
  timeout,
);

it(
  'processes that record into one new tape at the same moment lose no exchange',
  async () => {
    for (let round = 0; round < 5; round += 1) {
      const tape = join(testFolder(), 'tape.jsonl');
      const questions = Array.from({ length: 6 }, (_, n) => `question ${n}`);
      const recorded = await Promise.all(
        questions.map((one) => svc(chat(one), `record:${tape}`).closed),
      );
      for (const [n, one] of questions.entries()) {
        const { code, stdout } = await svc(chat(one), tape).closed;
        expect(code).toBe(0);
        expect(answerOf(stdout)).toEqual(answerOf(recorded[n]?.stdout));
      }
      for (const line of exchanges(tape).filter(Boolean)) JSON.parse(line);
    }
  },
  timeout,
);
