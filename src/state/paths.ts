/** Where svc keeps what it must remember. Nothing is ever read from the working folder. */
import { homedir, platform as thisPlatform } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { ConfigError } from '../errors.js';
import type { Env } from '../lib/env.js';

export interface Paths {
  /** The folder of the config file; 0700. */
  readonly config: string;
  /** Data that must not be lost: the job ledger, the embedded service's store; 0700. */
  readonly data: string;
  /** What can be made again. */
  readonly cache: string;
}

const folderName = 'svc';

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
  if (platform === 'win32') return windowsPaths(env);
  return platform === 'darwin' ? macPaths(env) : xdgPaths(env);
}

function xdgPaths(env: Env): Paths {
  // The XDG specification has relative paths ignored.
  const place = (variable: string, fallback: readonly string[]) => {
    const base = env[variable];
    return base && isAbsolute(base)
      ? join(base, folderName)
      : join(homeFrom(env), ...fallback, folderName);
  };
  return {
    get config() {
      return place('XDG_CONFIG_HOME', ['.config']);
    },
    get data() {
      return place('XDG_DATA_HOME', ['.local', 'share']);
    },
    get cache() {
      return place('XDG_CACHE_HOME', ['.cache']);
    },
  };
}

function macPaths(env: Env): Paths {
  const place = (...names: string[]) => join(homeFrom(env), 'Library', ...names, folderName);
  return {
    get config() {
      return place('Preferences');
    },
    get data() {
      return place('Application Support');
    },
    get cache() {
      return place('Caches');
    },
  };
}

function windowsPaths(env: Env): Paths {
  const home = () => homeFrom(env, 'USERPROFILE');
  const roaming = () => set(env['APPDATA']) ?? join(home(), 'AppData', 'Roaming');
  const local = () => set(env['LOCALAPPDATA']) ?? join(home(), 'AppData', 'Local');
  return {
    get config() {
      return join(roaming(), folderName, 'Config');
    },
    get data() {
      return join(local(), folderName, 'Data');
    },
    get cache() {
      return join(local(), folderName, 'Cache');
    },
  };
}

function homeFrom(env: Env, variable: 'HOME' | 'USERPROFILE' = 'HOME'): string {
  const home = set(env[variable]) ?? set(accountHome());
  if (home !== undefined) return home;
  throw new ConfigError('there is no home folder to keep settings in', {
    hint: 'set SVC_CONFIG_DIR to a folder of your own',
    code: 'no_home',
  });
}

/** The home folders that this environment knows, to be left out of what others read. */
export function homeFolders(env: Env): string[] {
  const all = [env['HOME'], env['USERPROFILE'], accountHome()].map(set);
  return all.filter((folder) => folder !== undefined);
}

/** An empty variable counts as none. */
function set(value: string | undefined): string | undefined {
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
