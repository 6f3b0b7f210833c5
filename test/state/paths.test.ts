import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/lib/own-file.js';
import { pathsFrom } from '../../src/state/paths.js';

it('keeps everything under SVC_CONFIG_DIR when it is set', () => {
  const paths = pathsFrom({ SVC_CONFIG_DIR: '/own', HOME: '/home/a', XDG_DATA_HOME: '/x' });
  expect(paths).toEqual({ config: '/own', data: '/own/data', cache: '/own/cache' });
});

it('uses the XDG folders on Linux', () => {
  expect({ ...pathsFrom({ HOME: '/home/a' }, 'linux') }).toEqual({
    config: '/home/a/.config/svc',
    data: '/home/a/.local/share/svc',
    cache: '/home/a/.cache/svc',
  });
  const env = { HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d', XDG_CACHE_HOME: '/e' };
  expect({ ...pathsFrom(env, 'linux') }).toEqual({
    config: '/c/svc',
    data: '/d/svc',
    cache: '/e/svc',
  });
});

it('uses the Library on macOS and AppData on Windows', () => {
  expect({ ...pathsFrom({ HOME: '/Users/a' }, 'darwin') }).toEqual({
    config: '/Users/a/Library/Preferences/svc',
    data: '/Users/a/Library/Application Support/svc',
    cache: '/Users/a/Library/Caches/svc',
  });
  const windows = pathsFrom({ APPDATA: '/r', USERPROFILE: '/u' }, 'win32');
  expect({ ...windows }).toEqual({
    config: '/r/svc/Config',
    data: '/u/AppData/Local/svc/Data',
    cache: '/u/AppData/Local/svc/Cache',
  });
});

it('makes folders that only their owner may enter, and leaves an existing one alone', () => {
  const base = mkdtempSync(join(tmpdir(), 'svc-paths-'));
  makeFolder(join(base, 'a', 'b'));
  expect(statSync(join(base, 'a', 'b')).mode & 0o777).toBe(0o700);
  expect(() => {
    makeFolder(join(base, 'a', 'b'));
  }).not.toThrow();
});

describe.skipIf(!existsSync('/proc/self'))('a folder that cannot be made', () => {
  it('is an error where a parent exists that takes none, and no endless search', () => {
    expect(() => {
      makeFolder('/proc/nope/deeper/still');
    }).toThrow(/ENOENT/);
  });
});
