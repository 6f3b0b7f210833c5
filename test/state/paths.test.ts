import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Env } from '../../src/lib/env.js';
import { makeFolder } from '../../src/lib/own-file.js';
import { pathsFrom } from '../../src/state/paths.js';
import { testFolder } from '../helpers/folder.js';

it('svc keeps everything under SVC_CONFIG_DIR when it is set', () => {
  const paths = pathsFrom({ SVC_CONFIG_DIR: '/own', HOME: '/home/a', XDG_DATA_HOME: '/x' });
  expect(paths).toEqual({ config: '/own', data: '/own/data', cache: '/own/cache' });
});

const home = { HOME: '/h' };
const xdg = { ...home, XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d', XDG_CACHE_HOME: '/e' };
const library = ['Preferences', 'Application Support', 'Caches'];

it.each<[NodeJS.Platform, Env, string[]]>([
  ['linux', home, ['/h/.config/svc', '/h/.local/share/svc', '/h/.cache/svc']],
  ['linux', xdg, ['/c/svc', '/d/svc', '/e/svc']],
  ['darwin', home, library.map((folder) => `/h/Library/${folder}/svc`)],
  [
    'win32',
    { APPDATA: '/r', USERPROFILE: '/u' },
    ['/r/svc/Config', '/u/AppData/Local/svc/Data', '/u/AppData/Local/svc/Cache'],
  ],
])('uses the usual folders of %s for %j', (platform, env, folders) => {
  const { config, data, cache } = pathsFrom(env, platform);
  expect([config, data, cache]).toEqual(folders);
});

it('svc makes folders that only their owner may enter, and leaves an existing one alone', () => {
  const base = testFolder();
  makeFolder(join(base, 'a', 'b'));
  expect(statSync(join(base, 'a', 'b')).mode & 0o777).toBe(0o700);
  makeFolder(join(base, 'a', 'b'));
});

it.runIf(existsSync('/proc/self'))(
  'svc ends its search for a folder where a parent takes no folder',
  () => {
    expect(() => {
      makeFolder('/proc/nope/deeper/still');
    }).toThrow(/ENOENT/);
  },
);
