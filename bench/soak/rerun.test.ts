/**
 * Paid commands, killed with -9 at even times through their life and typed again until they end
 * well: the service has charged once for each, and every file is whole. SVC_KILLS says how many
 * kills there are in all (200 unless set).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { systemClock } from '../../src/lib/clock.js';
import { listen } from '../../src/service/listen.js';
import { createService, type Service } from '../../src/service/service.js';
import { bundle, bundleEnv } from '../../test/helpers/bundle.js';

const kills = Number(process.env['SVC_KILLS'] ?? 200);
/** Enough for a run whose outcome is always unknown. */
const mostReruns = 4;

let script = '';
let folder = '';
let service: Service;
let listening: Awaited<ReturnType<typeof listen>>;

beforeAll(async () => {
  script = await bundle('bench/soak/svc-process.ts');
  folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  service = createService({
    storePath: join(folder, 'served.db'),
    clock: systemClock,
    jobTimeMs: 20,
    openingBalanceRub: 1_000_000,
  });
  listening = await listen(service, { host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await listening.close();
  service.close();
  rmSync(dirname(script), { recursive: true });
  rmSync(folder, { recursive: true });
});

interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
}

/** Where the service is, and the settings and data of the client. */
function place(name: 'http' | 'local'): Place {
  const home = join(folder, name);
  if (name === 'local') {
    return { env: { SVC_CONFIG_DIR: home, SVC_LOCAL_JOB_TIME: '1ms' }, flags: ['--local'] };
  }
  const env = { SVC_BASE_URL: listening.url, SVC_API_KEY: 'sk-svc-local', SVC_CONFIG_DIR: home };
  return { env, flags: [] };
}

interface Ended {
  readonly code: number | null;
  readonly killed: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  { env, flags }: Place,
  line: readonly string[],
  killAfterMs?: number,
): Promise<Ended> {
  const child = spawn(process.execPath, [script, ...flags, ...line], {
    env: { ...bundleEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  const timer =
    killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await once(child, 'close');
  clearTimeout(timer);
  return { code: child.exitCode, killed: child.signalCode === 'SIGKILL', stdout, stderr };
}

const Usage = z.looseObject({ total: z.number() });

/** How many calls the service has charged for. */
async function charges(at: Place): Promise<number> {
  const { stdout } = await run(at, ['api', 'GET', '/v1/generations', '-F', 'limit=1']);
  return Usage.parse(JSON.parse(stdout)).total;
}

interface Command {
  readonly name: string;
  readonly line: (words: string, file: string, video: string) => readonly string[];
  readonly extension: string;
  readonly isWhole: (bytes: Buffer) => boolean;
}

const isPng = (bytes: Buffer) =>
  bytes.subarray(1, 4).toString() === 'PNG' && bytes.subarray(-8, -4).toString() === 'IEND';
/** The last box ends where the file does. */
const isMp4 = (bytes: Buffer) => {
  let at = 0;
  while (at + 8 <= bytes.length) at += bytes.readUInt32BE(at);
  return at === bytes.length && bytes.includes('moov');
};
const isWav = (bytes: Buffer) =>
  bytes.subarray(0, 4).toString() === 'RIFF' && bytes.readUInt32LE(4) + 8 === bytes.length;

const commands: readonly Command[] = [
  {
    name: 'generate',
    line: (words, file) => [
      'generate',
      'local/canvas',
      words,
      '--opt',
      'quality=draft',
      '-o',
      file,
    ],
    extension: 'png',
    isWhole: isPng,
  },
  {
    name: 'image create',
    line: (words, file) => ['image', 'create', '-m', 'local/canvas', words, '-o', file],
    extension: 'png',
    isWhole: isPng,
  },
  {
    name: 'jobs extend',
    line: (words, file, video) => ['jobs', 'extend', video, words, '--tier', 'lite', '-o', file],
    extension: 'mp4',
    isWhole: isMp4,
  },
  {
    name: 'speak',
    line: (words, file) => ['speak', '-m', 'local/voice', `${words}. `.repeat(20), '-o', file],
    extension: 'wav',
    isWhole: isWav,
  },
];

describe.each(['http', 'local'] as const)('killed and typed again, %s', (name) => {
  const share = Math.max(1, Math.round((kills * (name === 'http' ? 0.6 : 0.4)) / commands.length));

  it.each(commands)(
    '$name is charged once for each intent, and every file is whole',
    { timeout: 120_000 + share * 15_000 },
    async ({ name: command, line, extension, isWhole }) => {
      const at = place(name);
      const film = ['generate', 'local/reel', 'waves', '--opt', 'seconds=1', '--no-wait', '--new'];
      const video = command === 'jobs extend' ? (await run(at, film)).stdout.trim() : '';
      const fileOf = (round: number) =>
        join(folder, `${name}-${command.replace(' ', '-')}-${round}.${extension}`);
      const intent = (round: number) => line(`lighthouse ${round}`, fileOf(round), video);
      if (video !== '') expect((await run(at, ['jobs', 'wait', video])).code).toBe(0);

      // The shortest of several: a machine that does other work makes some of them long.
      let lifeMs = Infinity;
      for (let round = share; round < share + 4; round += 1) {
        const startedAt = performance.now();
        expect((await run(at, intent(round))).code).toBe(0);
        lifeMs = Math.min(lifeMs, performance.now() - startedAt);
      }

      const before = await charges(at);
      const seen = { killed: 0, reruns: 0, resumed: 0 };
      for (let round = 0; round < share; round += 1) {
        // From the loading of the code to a moment after the usual end.
        const killAfterMs = lifeMs * (0.1 + round / share);
        let ended = await run(at, intent(round), killAfterMs);
        if (ended.killed) seen.killed += 1;
        const reported: string[] = [ended.stderr];
        // A reported path holds the requested file, however the process ended.
        const isReported = ended.stdout.includes(fileOf(round));
        if (isReported) ended = { ...ended, code: 0 };
        for (let rerun = 0; ended.code !== 0 && rerun < mostReruns; rerun += 1) {
          seen.reruns += 1;
          ended = await run(at, intent(round));
          reported.push(ended.stderr);
          if (ended.stderr.includes('resuming ')) seen.resumed += 1;
        }
        expect({ round, killAfterMs, code: ended.code, reported }).toMatchObject({ code: 0 });
        expect(isWhole(readFileSync(fileOf(round)))).toBe(true);
      }
      const charged = (await charges(at)) - before;
      console.log(
        `${name}, ${command}: ${share} intents, ${seen.killed} killed in ${Math.round(lifeMs)} ms of life, ` +
          `${seen.reruns} reruns, ${seen.resumed} resumed, ${charged} charges`,
      );
      expect(charged).toBe(share);
    },
  );
});
