/** svc with the SQLite of its runtime (`own`), and with libsql, over the same files. */
import { versions } from 'node:process';
import { inject } from 'vitest';
import { installed } from './package.js';
import { start, svc, type Ended, type Running, type SpawnOptions } from './svc.js';

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

interface Runs {
  readonly start: (line: string) => Promise<Running>;
  readonly run: (line: string) => Promise<Ended>;
}

/** Runs svc with one of them in these settings. @param nodeFlags of `own`, without a binary */
export async function withEngine(
  engine: EngineName,
  env: SpawnOptions['env'],
  nodeFlags: readonly string[] = [],
): Promise<Runs> {
  const flags = engine === 'libsql' && isOfNode ? ['--no-experimental-sqlite'] : [];
  const options = {
    env,
    nodeFlags: [...nodeFlags, ...flags],
    // Of Node, even where the binary is tested.
    package: engine === 'libsql' ? await installed() : undefined,
  };
  return {
    start: (line) => start(line.split(' '), options),
    run: (line) => svc(line.split(' '), options),
  };
}
