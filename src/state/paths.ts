/** Where svc keeps its data. The working folder is never read. */
import { isAbsolute, join, resolve } from 'node:path';
import { getBuiltinModule, platform as thisPlatform } from 'node:process';
import { ConfigError } from '../errors.js';
import type { Env } from '../lib/env.js';
import { makeFolder } from '../lib/own-file.js';

export interface Paths {
  /** The folder of the config file; 0700. */
  readonly config: string;
  /** Data that must not be lost: the job ledger, the embedded service's store; 0700. */
  readonly data: string;
  readonly cache: string;
}

/** A variable for a folder, its usual place below the home folder, and svc's folder in it. */
type Place = readonly [variable: string, usual: string, own: string];
type Places = Readonly<Record<keyof Paths, Place>>;

// Instead of env-paths, whose import adds 1 to 3 ms to every start.
const usualPlaces: Places = {
  config: ['XDG_CONFIG_HOME', '.config', 'svc'],
  data: ['XDG_DATA_HOME', '.local/share', 'svc'],
  cache: ['XDG_CACHE_HOME', '.cache', 'svc'],
};
const otherPlaces: Partial<Record<NodeJS.Platform, Places>> = {
  win32: {
    config: ['APPDATA', 'AppData/Roaming', 'svc/Config'],
    data: ['LOCALAPPDATA', 'AppData/Local', 'svc/Data'],
    cache: ['LOCALAPPDATA', 'AppData/Local', 'svc/Cache'],
  },
  darwin: {
    config: ['', 'Library/Preferences', 'svc'],
    data: ['', 'Library/Application Support', 'svc'],
    cache: ['', 'Library/Caches', 'svc'],
  },
};

export function pathsFrom(env: Env, platform: NodeJS.Platform = thisPlatform): Paths {
  const own = env['SVC_CONFIG_DIR'];
  if (own) {
    const folder = resolve(own);
    return { config: folder, data: join(folder, 'data'), cache: join(folder, 'cache') };
  }
  const places = otherPlaces[platform] ?? usualPlaces;
  const place = ([variable, usual, ours]: Place) => {
    const root = env[variable];
    // The XDG specification requires relative paths to be ignored.
    if (root && isAbsolute(root)) return join(root, ours);
    const named = env[platform === 'win32' ? 'USERPROFILE' : 'HOME'];
    const home = [named, accountHome()].find((folder) => folder);
    if (home) return join(home, usual, ours);
    const hint = 'set SVC_CONFIG_DIR to a writable folder';
    throw new ConfigError('there is no home folder for settings', { hint, code: 'no_home' });
  };
  return {
    get config() {
      return place(places.config);
    },
    get data() {
      return place(places.data);
    },
    get cache() {
      return place(places.cache);
    },
  };
}

export function localStorePath(paths: Paths): string {
  makeFolder(paths.data);
  return join(paths.data, 'local.sqlite');
}

export function homeFolders(env: Env): string[] {
  const all = [env['HOME'], env['USERPROFILE'], accountHome()];
  return all.flatMap((folder) => (folder ? [folder] : []));
}

function accountHome(): string | undefined {
  try {
    // Most homes are in the environment, and loading it takes 1 ms.
    return getBuiltinModule('node:os').homedir();
  } catch {
    // A user id without an account, as in some containers.
    return undefined;
  }
}
