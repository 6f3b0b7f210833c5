/** Where svc keeps its data. The working folder is never read. */
import { isAbsolute, join, resolve } from 'node:path';
import { getBuiltinModule, platform as thisPlatform } from 'node:process';
import { ConfigError } from '../errors.js';
import type { Env } from '../lib/env.js';
import { makeFolder } from '../lib/own-file.js';
// A variable for a folder, its usual place below the home folder, and svc's folder in it.
import places from './places.json' with { type: 'json' };

export interface Paths {
  /** The folder of the config file; 0700. */
  readonly config: string;
  /** Data that must not be lost: the job ledger, the embedded service's store; 0700. */
  readonly data: string;
  readonly cache: string;
}

export function pathsFrom(env: Env, platform: NodeJS.Platform = thisPlatform): Paths {
  const chosen = env['SVC_CONFIG_DIR'];
  if (chosen) {
    const folder = resolve(chosen);
    return { config: folder, data: join(folder, 'data'), cache: join(folder, 'cache') };
  }
  // Instead of env-paths, whose import adds 1 to 3 ms to every start.
  const own = places[platform === 'win32' || platform === 'darwin' ? platform : 'usual'];
  const place = (name: keyof Paths) => {
    const [variable = '', usual = '', ours = ''] = own[name];
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
