import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Sql } from '../../src/lib/sql.js';
import { StateDatabase } from '../../src/state/database.js';
import { Ledger } from '../../src/state/ledger.js';
import { pathsFrom } from '../../src/state/paths.js';
import { bundle, bundleEnv } from '../helpers/bundle.js';
import { testFolder } from '../helpers/folder.js';
import { linesOf } from '../helpers/killed-process.js';
import { canMount, smallDisk } from '../helpers/small-disk.js';

const pathsIn = (home: string) => pathsFrom({ SVC_CONFIG_DIR: home });
const keep = (paths: ReturnType<typeof pathsIn>, words = 'x') =>
  new StateDatabase(paths).run('INSERT INTO incidents VALUES (?, ?, ?)', words, 'i', 1);
const kept = (paths: ReturnType<typeof pathsIn>) =>
  new StateDatabase(paths).all(z.object({ report: z.string() }), 'SELECT report FROM incidents');

describe('the state database', () => {
  it('makes nothing by being read, and is for its owner alone', () => {
    const paths = pathsIn(testFolder());
    expect(kept(paths)).toEqual([]);
    expect(() => statSync(paths.data)).toThrow('ENOENT');
    keep(paths);
    const { path } = new StateDatabase(paths);
    const modes = [paths.data, path, `${path}-wal`].map((one) => statSync(one).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  it('takes all of a transaction or nothing', () => {
    const paths = pathsIn(testFolder());
    const broken = () =>
      new StateDatabase(paths).transaction(() => {
        keep(paths, 'half');
        throw new Error('broke off');
      });
    expect(broken).toThrow('broke off');
    expect(kept(paths)).toEqual([]);
  });

  it('of an earlier svc keeps its content and gets the new tables', () => {
    const paths = pathsIn(testFolder());
    mkdirSync(paths.data);
    const earlier = new Sql(new StateDatabase(paths).path);
    earlier.exec(`CREATE TABLE incidents (report TEXT NOT NULL, incident TEXT NOT NULL, at_ms REAL);
      INSERT INTO incidents VALUES ('before', 'i', 1); PRAGMA user_version = 1`);
    earlier.close();
    keep(paths, 'after');
    expect(kept(paths)).toEqual([{ report: 'before' }, { report: 'after' }]);
    const turns = z.object({ id: z.number() });
    expect(new StateDatabase(paths).all(turns, 'SELECT id FROM turns')).toEqual([]);
  });

  it.each([
    ['is damaged', 'it is damaged', 'x'.repeat(5000)],
    ['is of a newer svc', 'was written by a newer svc', newer()],
  ])('that %s is named, and stays as it is', (_, words, bytes) => {
    const paths = pathsIn(testFolder());
    const { path } = new StateDatabase(paths);
    mkdirSync(paths.data);
    writeFileSync(path, bytes);
    const ledger = new Ledger(paths);
    const append = () => {
      ledger.append({ type: 'closed', intent: 'k', atMs: 1 });
    };
    expect(() => ledger.jobs()).toThrow(words);
    expect(() => ledger.jobs()).toThrow(path);
    expect(append).toThrow(words);
    expect(statSync(path).size).toBe(bytes.length);
  });
});

/** A database with tables of a future version. */
function newer(): Buffer {
  const path = join(tmpdir(), `svc-newer-${String(process.pid)}.db`);
  const database = new Sql(path);
  database.exec('PRAGMA user_version = 99');
  database.close();
  const bytes = readFileSync(path);
  rmSync(path);
  return bytes;
}

describe('the ledger in it', () => {
  let script = '';
  beforeAll(async () => {
    script = await bundle('test/state/ledger-process.ts');
  });
  afterAll(() => {
    rmSync(dirname(script), { recursive: true });
  });

  it('keeps what processes wrote at once, kill -9 or not', { timeout: 120_000 }, async () => {
    const home = testFolder();
    const half = 3;
    const said = await Promise.all(
      Array.from({ length: 2 * half }, (_, nth) =>
        nth < half
          ? linesOf([script, home, String(nth), '40'])
          : linesOf([script, home, String(nth), '100000'], { afterLines: nth, delayMs: nth / 4 }),
      ),
    );
    // The last word of one that was killed may be cut.
    const acknowledged = said.flatMap((lines) => lines.slice(1, -1));
    expect(acknowledged.length).toBeGreaterThan(half * 40 + half * half);
    const ledger = new Ledger(pathsIn(home));
    const intents = new Set(ledger.jobs().map(({ intent }) => intent));
    expect(acknowledged.filter((intent) => !intents.has(intent))).toEqual([]);
    expect(ledger.unreadable()).toBe(0);
  });

  it.runIf(canMount)('says so when the disk is full, and loses nothing', () => {
    const home = smallDisk(512);
    const run = () =>
      spawnSync(process.execPath, [script, home, 'k', '100000'], { env: bundleEnv });
    const { stdout, stderr } = run();
    const path = join(home, 'data', 'state.db');
    expect(String(stderr)).toContain(`the job ledger ${path} cannot be written: the disk is full`);
    const written = String(stdout).split('\n').length - 2;
    expect(written).toBeGreaterThan(10);
    const counted = spawnSync(process.execPath, [script, home, 'count'], { env: bundleEnv });
    expect(String(counted.stdout)).toBe(`${String(written)} jobs\n`);
  });
});
