/**
 * svc as a process, killed with -9 at random moments of a submission; SVC_KILLS says how many
 * (6 unless set).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Ledger } from '../../src/state/ledger.js';
import { pathsFrom } from '../../src/state/paths.js';
import { bundle, bundleEnv } from '../../test/helpers/bundle.js';
import { mediaService } from '../../test/helpers/fake-media.js';
import { testFolder } from '../../test/helpers/folder.js';
import { seeded } from '../../test/helpers/random.js';

const kills = Number(process.env['SVC_KILLS'] ?? 30);
const timeout = 60_000 + kills * 4000;
const random = seeded(kills);
/** Prints the figures when a number was set. */
const tell = (words: string) => {
  if (process.env['SVC_KILLS'] !== undefined) console.log(words);
};
let script = '';

beforeAll(async () => {
  script = await bundle('bench/soak/svc-process.ts');
});

afterAll(() => {
  rmSync(dirname(script), { recursive: true });
});

const Listed = z.array(z.looseObject({ id: z.nullable(z.string()), key: z.string() }));

/** Calls `kill` when it is time. */
type Executioner = (kill: () => void) => void;

function processes(env: Record<string, string>) {
  const start = (words: readonly string[]) =>
    spawn(process.execPath, [script, ...words], {
      env: { ...bundleEnv, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  return {
    run: async (words: readonly string[]) => {
      const child = start(words);
      let stdout = '';
      child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
      await once(child, 'close');
      return { stdout, code: child.exitCode };
    },
    /** Whether it still ran when it was killed. */
    runAndKill: async (words: readonly string[], executioner: Executioner) => {
      const child = start(words);
      child.stdout.resume();
      const closed = once(child, 'close');
      executioner(() => child.kill('SIGKILL'));
      await closed;
      return child.signalCode === 'SIGKILL';
    },
  };
}

/** Kills one submission after the other; each has a prompt of its own. */
async function rampage(
  { run, runAndKill }: ReturnType<typeof processes>,
  generate: (round: number) => readonly string[],
  executionerFor: (round: number, wholeMs: number) => Executioner,
): Promise<number> {
  await run(generate(0));
  const startedAt = performance.now();
  expect((await run(generate(1))).code).toBe(0);
  const wholeMs = performance.now() - startedAt;
  let killed = 0;
  for (let round = 2; round < kills + 2; round += 1) {
    if (await runAndKill(generate(round), executionerFor(round, wholeMs))) killed += 1;
  }
  return killed;
}

/** At any moment of the time that an undisturbed submission takes. */
const anyTime = (_round: number, wholeMs: number): Executioner => {
  const afterMs = (wholeMs * (30 + random.below(75))) / 100;
  return (kill) => void setTimeout(kill, afterMs);
};

describe('kill -9', () => {
  it(
    'leaves one job and one charge for each request, and the list knows its id',
    { timeout },
    async () => {
      const { env, media } = await mediaService();
      const home = testFolder();
      const svc = processes({ ...env, SVC_CONFIG_DIR: home });
      let onPrice = () => undefined;
      media.when('/api/media/price', () => onPrice());
      // Every other time while the request is written down, sent and answered.
      const atTheWorstTime: Executioner = (kill) => {
        const afterMs = random.below(20);
        onPrice = () => void setTimeout(kill, afterMs);
      };
      const killed = await rampage(
        svc,
        (round) => ['generate', 'vendor/canvas', `lighthouse ${round}`, '--no-wait', '-q'],
        (round, wholeMs) => (round % 2 === 0 ? atTheWorstTime : anyTime(round, wholeMs)),
      );
      onPrice = () => undefined;
      const intents = new Ledger(pathsFrom({ SVC_CONFIG_DIR: home })).jobs();
      const { stdout, code } = await svc.run(['jobs', 'list', '--all', '--json']);
      const listed = Listed.parse(JSON.parse(stdout));
      expect(code).toBe(0);
      expect(listed.map(({ key }) => key).sort()).toEqual(
        intents.map(({ intent }) => intent).sort(),
      );
      // Whatever the service has is listed under its id, and there is nothing else.
      const own = media.jobs.map(({ id, key }) => `${key ?? ''} ${id}`).sort();
      expect(listed.map(({ key, id }) => `${key} ${id ?? '-'}`).sort()).toEqual(own);
      expect(new Set(media.jobs.map(({ body }) => body)).size).toBe(media.jobs.length);
      expect(media.jobs.length).toBeGreaterThan(0);
      tell(`${killed} killed of ${kills}: ${intents.length} intents, ${media.jobs.length} jobs`);
    },
  );

  it('leaves the same in the embedded service', { timeout }, async () => {
    const home = testFolder();
    const svc = processes({ SVC_CONFIG_DIR: home });
    const line = ['--local', 'generate', 'local/canvas', '--no-wait', '--opt', 'quality=draft'];
    const killed = await rampage(svc, (round) => [...line, `lighthouse ${round}`], anyTime);
    const intents = new Ledger(pathsFrom({ SVC_CONFIG_DIR: home })).jobs();
    const { stdout } = await svc.run(['--local', 'jobs', 'list', '--all', '--json']);
    const listed = Listed.parse(JSON.parse(stdout));
    expect(listed).toHaveLength(intents.length);
    const ids = new Set(listed.flatMap(({ id }) => id ?? []));
    expect(ids.size).toBe(intents.length);
    const balance = await svc.run(['--local', 'balance', '--json']);
    const { balance_rub: left } = z
      .looseObject({ balance_rub: z.number() })
      .parse(JSON.parse(balance.stdout));
    expect(left).toBeCloseTo(1000 - 0.6 * intents.length, 6);
    tell(`${killed} killed of ${kills}: ${intents.length} jobs, ${1000 - left} RUB`);
  });
});
