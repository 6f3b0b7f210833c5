import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testFolder } from '../../test/helpers/folder.js';
import { seeded } from '../../test/helpers/random.js';
import { installed } from '../../test/bin/package.js';
import { svc } from '../../test/bin/svc.js';

/** A command that loads both the code of every start and the embedded service. */
const words = ['--local', 'chat', '-m', 'local/echo', 'hi'];
const said = { code: 0, signal: null, stdout: 'hi\n', stderr: '' };

/** For a test that starts svc a dozen times. */
const timeout = 60_000;

let home: string;
beforeEach(() => {
  home = testFolder();
});

const run = (of: { package?: string; home?: string } = {}) =>
  svc(words, { env: { SVC_CONFIG_DIR: of.home ?? home }, package: of.package });

/** The files of compiled code in a folder of settings. */
function cacheFiles(of = home): string[] {
  return readdirSync(join(of, 'cache'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(of, 'cache', name))
    .filter((path) => !statSync(path).isDirectory())
    .sort();
}

/** Runs until nothing is added to the cache any more; gives its files. */
async function warm(of: { package?: string; home?: string } = {}): Promise<string[]> {
  for (let before = ''; ;) {
    expect(await run(of)).toEqual(said);
    const now = cacheFiles(of.home).map((path) => `${path} ${String(statSync(path).mtimeMs)}`);
    if (now.join() === before) return cacheFiles(of.home);
    before = now.join();
  }
}

describe('compiled code', () => {
  it('is kept for its owner alone, and not written again without need', async () => {
    const files = await warm();
    expect(files.map((path) => basename(path))).toEqual(
      expect.arrayContaining(['service-chat', 'svc-chat']),
    );
    for (const path of files) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    }
  });

  it('never causes a failure: cut, empty, zeroed or random', { timeout }, async () => {
    const files = await warm();
    const random = seeded(7);
    const noise = (length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));
    const damages: Record<string, (path: string, whole: Buffer) => void> = {
      empty: (path) => truncateSync(path, 0),
      'cut within its head': (path) => truncateSync(path, 3),
      'cut after its head': (path) => truncateSync(path, 64),
      'cut in half': (path, whole) => truncateSync(path, Math.floor(whole.length / 2)),
      'cut by a byte': (path, whole) => truncateSync(path, whole.length - 1),
      'longer by a byte': (path) => writeFileSync(path, 'x', { flag: 'a' }),
      'twice as long': (path, whole) => writeFileSync(path, whole, { flag: 'a' }),
      zeroed: (path, whole) => writeFileSync(path, Buffer.alloc(whole.length)),
      random: (path) => writeFileSync(path, noise(5000)),
      'with an endless head': (path) => writeFileSync(path, Buffer.alloc(100, 0xff)),
      'JSON of another kind': (path, whole) => {
        const length = whole.readUInt32LE(0);
        const head = Buffer.from('{"chunks":7}'.padEnd(length));
        writeFileSync(
          path,
          Buffer.concat([whole.subarray(0, 4), head, whole.subarray(4 + length)]),
        );
      },
    };
    const wholes = files.map((path) => readFileSync(path));
    for (const [name, damage] of Object.entries(damages)) {
      for (const [index, path] of files.entries()) damage(path, wholes[index] ?? Buffer.of());
      const damaged = files.map((path) => readFileSync(path));
      expect(await run(), name).toEqual(said);
      // The run that meets the damage puts new code in its place.
      for (const [index, path] of files.entries()) {
        expect(readFileSync(path).equals(damaged[index] ?? Buffer.of()), path).toBe(false);
        writeFileSync(path, wholes[index] ?? Buffer.of());
      }
    }
  });

  it('may have anything else in its place', async () => {
    const files = await warm();
    for (const put of [
      (path: string) => mkdirSync(path),
      (path: string) => symlinkSync('/nowhere', path),
      (path: string) => symlinkSync(path, path),
      (path: string) => symlinkSync('/dev/null', path),
      (path: string) => execFileSync('mkfifo', [path]),
    ]) {
      for (const path of files) {
        rmSync(path, { recursive: true, force: true });
        put(path);
      }
      expect(await run()).toEqual(said);
      for (const path of files) rmSync(path, { recursive: true, force: true });
    }
  });

  it('needs no writable folder', async () => {
    const file = join(testFolder(), 'file');
    writeFileSync(file, '');
    for (const XDG_CACHE_HOME of [file, `${file}/below`, '/dev/null', '/proc/nowhere']) {
      const env = { SVC_CONFIG_DIR: undefined, HOME: testFolder(), XDG_CACHE_HOME };
      expect(await svc(words, { env }), XDG_CACHE_HOME).toEqual(said);
    }
  });

  it('is never read from below the working folder', async () => {
    const cwd = testFolder();
    const data = { XDG_DATA_HOME: testFolder(), XDG_CONFIG_HOME: testFolder() };
    for (const env of [
      { ...data, XDG_CACHE_HOME: '.' },
      { ...data, HOME: '.' },
      { ...data, HOME: '' },
    ]) {
      expect(await svc(words, { env: { SVC_CONFIG_DIR: undefined, ...env }, cwd })).toEqual(said);
    }
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('may be written by several at once', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => run()));
    expect(all).toEqual(Array(6).fill(said));
    const files = await warm();
    expect(files.filter((path) => path.endsWith('.part'))).toEqual([]);
  });

  it('does not fill its folder with what was typed', async () => {
    const [first = ''] = await warm();
    for (let file = 0; file < 120; file += 1) {
      writeFileSync(join(dirname(first), `old-${String(file)}`), '');
    }
    const env = { SVC_CONFIG_DIR: home };
    expect(await svc(['whoami', '--local'], { env })).toMatchObject({ signal: null });
    expect(readdirSync(dirname(first)).filter((name) => name.includes('whoami'))).toEqual([]);
  });
});

describe('compiled code written by somebody else', () => {
  /** A package whose code says something else, of the same length, so that V8 takes one for the other. */
  let forged: string;
  beforeAll(async () => {
    forged = mkdtempSync(join(tmpdir(), 'svc-forged-'));
    cpSync(await installed(), forged, { recursive: true, verbatimSymlinks: true });
    const files = readdirSync(join(forged, 'dist')).map((name) => join(forged, 'dist', name));
    for (const path of files) {
      const code = readFileSync(path, 'latin1');
      writeFileSync(path, code.replaceAll('the prompt is empty', 'the cache is forged'), 'latin1');
    }
  });

  afterAll(() => {
    rmSync(forged, { recursive: true, force: true });
  });

  const asking = (of: { home: string; package?: string }) =>
    svc(['--local', 'chat', ''], { env: { SVC_CONFIG_DIR: of.home }, package: of.package });
  const hijacked = /^error: the cache is forged\n/;

  /** A folder of settings in which a forged cache lies. */
  async function forgedHome(): Promise<string> {
    for (let round = 0; round < 2; round += 1) {
      expect((await asking({ home, package: forged })).stderr).toMatch(hijacked);
    }
    return home;
  }

  it('would run if it belonged to the user: the other tests guard against this', async () => {
    expect((await asking({ home: await forgedHome() })).stderr).toMatch(hijacked);
  });

  it('is not run when others may write it', async () => {
    await forgedHome();
    for (const mode of [0o620, 0o602, 0o666]) {
      for (const path of cacheFiles()) chmodSync(path, mode);
      const copy = testFolder();
      cpSync(home, copy, { recursive: true });
      expect((await asking({ home: copy })).stderr, mode.toString(8)).toMatch(/^error: the prompt/);
    }
  });

  it.skipIf(process.getuid?.() !== 0)('is not run when it belongs to another', async () => {
    await forgedHome();
    for (const path of cacheFiles()) chownSync(path, 65_534, 65_534);
    expect((await asking({ home })).stderr).toMatch(/^error: the prompt is empty\n/);
  });
});
