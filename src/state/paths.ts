/** Where svc keeps what it must remember. Nothing is ever read from the working folder. */
import { homedir, platform as thisPlatform } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { ConfigError } from '../errors.js';
import { makeFolder } from '../lib/own-file.js';
import type { Env } from '../lib/env.js';

export interface Paths {
  /** The folder of the config file; 0700. */
  readonly config: string;
  /** Data that must not be lost: the job ledger, the embedded service's store; 0700. */
  readonly data: string;
  /** What can be made again. */
  readonly cache: string;
}

/**
 * The folders for this environment: `SVC_CONFIG_DIR` holds everything when it is set, else the
 * platform's usual places do. Each is worked out when it is first read.
 * These lines stand for env-paths because its import alone adds 1 to 3 ms to every start.
 * @throws ConfigError on reading a folder when the user has no home folder.
 */
export function pathsFrom(env: Env, platform: NodeJS.Platform = thisPlatform()): Paths {
  const own = env['SVC_CONFIG_DIR'];
  if (own) {
    const folder = resolve(own);
    return { config: folder, data: join(folder, 'data'), cache: join(folder, 'cache') };
  }
  const place = placesOf(env, platform);
  return {
    get config() {
      return place('config');
    },
    get data() {
      return place('data');
    },
    get cache() {
      return place('cache');
    },
  };
}

function placesOf(env: Env, platform: NodeJS.Platform): (what: keyof Paths) => string {
  if (platform === 'win32') {
    const roots = { config: 'APPDATA', data: 'LOCALAPPDATA', cache: 'LOCALAPPDATA' };
    const fallbacks = { config: 'Roaming', data: 'Local', cache: 'Local' };
    const names = { config: 'Config', data: 'Data', cache: 'Cache' };
    return (what) => {
      const root =
        filled(env[roots[what]]) ?? join(homeFrom(env, 'USERPROFILE'), 'AppData', fallbacks[what]);
      return join(root, 'svc', names[what]);
    };
  }
  if (platform === 'darwin') {
    const names = { config: 'Preferences', data: 'Application Support', cache: 'Caches' };
    return (what) => join(homeFrom(env), 'Library', names[what], 'svc');
  }
  const names = { config: '.config', data: join('.local', 'share'), cache: '.cache' };
  return (what) => {
    const root = env[`XDG_${what.toUpperCase()}_HOME`];
    // The XDG specification has relative paths ignored.
    return join(root && isAbsolute(root) ? root : join(homeFrom(env), names[what]), 'svc');
  };
}

function homeFrom(env: Env, variable: 'HOME' | 'USERPROFILE' = 'HOME'): string {
  const home = filled(env[variable]) ?? filled(accountHome());
  if (home !== undefined) return home;
  throw new ConfigError('there is no home folder to keep settings in', {
    hint: 'set SVC_CONFIG_DIR to a folder of your own',
    code: 'no_home',
  });
}

/** Where the embedded service keeps its store: --local and `svc serve` use the same. Its folder is made. */
export function localStorePath(paths: Paths): string {
  makeFolder(paths.data);
  return join(paths.data, 'local.sqlite');
}

/** The home folders that this environment knows, to be left out of what others read. */
export function homeFolders(env: Env): string[] {
  const all = [env['HOME'], env['USERPROFILE'], accountHome()].map(filled);
  return all.filter((folder) => folder !== undefined);
}

/** An empty variable counts as none. */
function filled(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

function accountHome(): string | undefined {
  try {
    return homedir();
  } catch {
    // A user id without an account, as in some containers.
    return undefined;
  }
}
