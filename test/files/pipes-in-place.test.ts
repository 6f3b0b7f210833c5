/** A named pipe or a device in the place of one of svc's own files: nothing waits for it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundle, bundleEnv } from '../helpers/bundle.js';
import { testFolder } from '../helpers/folder.js';

let script = '';

beforeAll(async () => {
  script = await bundle('test/files/own-files-process.ts');
}, 60_000);

function pipeAt(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
}

function deviceAt(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync('/dev/zero', path);
}

/** What a process says that uses one of the files; it would wait for ever for a pipe. */
function using(what: string, folder: string): string {
  const { stdout, stderr, signal } = spawnSync(process.execPath, [script, what, folder], {
    env: bundleEnv,
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect([stderr, signal]).toEqual(['', null]);
  return stdout;
}

describe.skipIf(process.platform === 'win32')('a pipe or a device', () => {
  it.each<[string, string, string, string, ((path: string) => void)?]>([
    ['the config file', 'config', 'config.json', 'ConfigError', deviceAt],
    ['the config file', 'config', 'config.json', 'ConfigError'],
    ['the lock of the config file', 'lock', 'config.json.lock', 'LocalFileError'],
    ['the job ledger', 'ledger', 'data/state.db', 'LocalFileError'],
    ['the job ledger, to add to', 'append', 'data/state.db', 'LocalFileError', deviceAt],
    ['the incidents', 'incidents', 'data/state.db', 'LocalFileError'],
    ['the store of the embedded service', 'store', 'data/local.sqlite', 'StoreError'],
    ['the note of a part', 'claim', 'out.png.part.json', 'LocalFileError'],
    ['a part', 'part', 'out.png.part', 'LocalFileError'],
    ['a part', 'part', 'out.png.part', 'LocalFileError', deviceAt],
  ])('in the place of %s is named', (_name, what, name, error, place = pipeAt) => {
    const path = join(testFolder(), name);
    place(path);
    const folder = path.slice(0, -name.length - 1);
    const said = using(what, folder);
    expect(said).toMatch(new RegExp(`^${error}: `));
    expect(said).toContain(`${path} is not a regular file`);
  });

  it.each([
    ['the last failure', 'last-failure', 'data/last-failure.json'],
    ['a cache', 'cache', ''],
  ])('in the place of %s is as good as nothing', (_name, what, name) => {
    const folder = testFolder();
    const path = name === '' ? using('cache-path', folder).trim() : join(folder, name);
    rmSync(path, { force: true });
    pipeAt(path);
    expect(using(what, folder)).toBe('nothing\n');
  });
});
