/** svc with the SQLite of its runtime (`own`), and with libsql, over the same files. */
import { versions } from 'node:process';
import { inject } from 'vitest';
import { installed } from './package.js';
import { start, svc, type SpawnOptions } from './svc.js';

const [major = 0, minor = 0] = versions.node.split('.').map(Number);

/** Whether this Node has an SQLite that svc uses. */
export const isOfNode: boolean = major > 23 || (major === 22 && minor > 15);

/** Whether there are two: the single binary has one, and an older Node only libsql. */
export const areTwo: boolean = isOfNode || inject('binary') !== undefined;

type EngineName = 'own' | 'libsql';

/** That of the nth of several processes, which are to have both. */
export function engineOf(nth: number): EngineName {
  return areTwo && nth % 2 === 0 ? 'own' : 'libsql';
}

/** Runs svc with one of them in these settings. */
export async function withEngine(engine: EngineName, env: SpawnOptions['env']) {
  const nodeFlags = engine === 'libsql' && isOfNode ? ['--no-experimental-sqlite'] : [];
  // Of Node, even where the binary is tested.
  const options = { env, nodeFlags, package: engine === 'libsql' ? await installed() : undefined };
  return {
    start: (line: string) => start(line.split(' '), options),
    run: (line: string) => svc(line.split(' '), options),
  };
}
