/** What several processes, kill -9 and a full disk do to the config file. */
import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundle, bundleEnv } from '../../test/helpers/bundle.js';
import { testFolder } from '../../test/helpers/folder.js';
import { canMount, smallDisk } from '../../test/helpers/small-disk.js';

let script = '';

beforeAll(async () => {
  script = await bundle('bench/soak/writer-process.ts');
});

afterAll(() => {
  rmSync(dirname(script), { recursive: true });
});

interface Writer {
  process: ChildProcessByStdio<null, Readable, Readable>;
  /** The profiles it says it has written. */
  written: string[];
  complaints: string[];
  ended: Promise<unknown>;
}

function startWriter(folder: string, name: string, writes: number): Writer {
  const process = spawn(globalThis.process.execPath, [script, folder, name, String(writes)], {
    env: bundleEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const writer: Writer = { process, written: [], complaints: [], ended: once(process, 'close') };
  process.stdout.on('data', (text: Buffer) => {
    writer.written.push(...text.toString().trim().split('\n'));
  });
  process.stderr.on('data', (text: Buffer) => writer.complaints.push(text.toString()));
  return writer;
}

function profilesIn(folder: string): string[] {
  const config: unknown = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
  if (typeof config !== 'object' || config === null || !('profiles' in config)) return [];
  return Object.keys(config.profiles ?? {});
}

const writes = 50;
const rounds = 8;

it('keeps all of 8 writers with many writes each', { timeout: 120_000 }, async () => {
  const folder = testFolder();
  const writers = Array.from({ length: 8 }, (_, index) =>
    startWriter(folder, `w${String(index)}`, writes),
  );
  await Promise.all(writers.map(({ ended }) => ended));
  expect(writers.flatMap(({ complaints }) => complaints)).toEqual([]);
  const expected = writers.flatMap((_, index) =>
    Array.from({ length: writes }, (_, write) => `w${String(index)}-${String(write)}`),
  );
  expect(profilesIn(folder).sort()).toEqual(expected.sort());
});

it(
  'stays whole and loses nothing acknowledged when writers are killed at any moment',
  { timeout: 120_000 },
  async () => {
    const folder = testFolder();
    const acknowledged: string[] = [];
    let kills = 0;
    const killAfterSomeWrites = async (name: string, writes: number) => {
      const writer = startWriter(folder, name, 1000);
      while (writer.written.length < writes && writer.process.exitCode === null) {
        await Promise.race([once(writer.process.stdout, 'data'), writer.ended]);
      }
      // Spread over the next write, so that every step of one is cut at some time.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
      if (writer.process.kill('SIGKILL')) kills++;
      await writer.ended;
      acknowledged.push(...writer.written);
      // Whatever the moment, the file that is left is whole.
      expect(profilesIn(folder)).toEqual(expect.arrayContaining(writer.written));
    };
    await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        for (let round = 0; round < rounds; round++) {
          await killAfterSomeWrites(`${name}${String(round)}`, 1 + (round % 3));
        }
      }),
    );
    expect(kills).toBe(3 * rounds);
    const kept = new Set(profilesIn(folder));
    expect(acknowledged.filter((profile) => !kept.has(profile))).toEqual([]);
    expect(statSync(join(folder, 'config.json')).mode & 0o777).toBe(0o600);
  },
);

const before = JSON.stringify({ version: 1, profiles: { old: { model: 'x'.repeat(20_000) } } });

it('keeps the old file whole when writing is cut at a size limit', () => {
  const folder = testFolder();
  writeFileSync(join(folder, 'config.json'), before);
  // Whatever is written past 4 KiB fails, as on a disk that fills up.
  const limited = `trap '' XFSZ; ulimit -f 4; exec "$0" "$@"`;
  const { stderr } = spawnSync(
    'bash',
    ['-c', limited, process.execPath, script, folder, 'w', '1'],
    {
      env: bundleEnv,
      encoding: 'utf8',
    },
  );
  expect(stderr).toBe(
    `LocalFileError: the config file ${join(folder, 'config.json')} could not be written completely\n`,
  );
  expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe(before);
});

it.runIf(canMount)('keeps the old file whole when the disk is full', () => {
  const folder = smallDisk(64);
  writeFileSync(join(folder, 'config.json'), before);
  fill(join(folder, 'rest'));
  const { stderr, stdout } = spawnSync(process.execPath, [script, folder, 'w', '1'], {
    env: bundleEnv,
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  expect(stderr).toBe(
    `LocalFileError: the config file ${join(folder, 'config.json')} could not be written completely\n`,
  );
  expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe(before);
});

/** A file that takes all the room but a page: enough for folders, too little for the new file. */
function fill(file: string): void {
  const page = Buffer.alloc(4096);
  const pages: Buffer[] = [];
  for (;;) {
    try {
      writeFileSync(file, Buffer.concat([...pages, page]));
      pages.push(page);
    } catch {
      break;
    }
  }
  writeFileSync(file, Buffer.concat(pages.slice(1)));
}
