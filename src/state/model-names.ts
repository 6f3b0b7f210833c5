/** The names of the models that a service has told of, so that it is asked for them seldom. */
import { listOf, textOf } from '../lib/json.js';
import type { Account } from './account.js';
import { readCache, writeCache } from './cache-file.js';
import type { Paths } from './paths.js';

const kind = 'models';

/** What is kept for an account; empty when nothing is. */
export function readModelNames(paths: Paths, account: Account): readonly string[] {
  return listOf(readCache({ paths, account, kind })['names'])
    .map(textOf)
    .filter((name) => name !== undefined);
}

/** Keeps them; where they cannot be kept, they are asked for again next time. */
export function keepModelNames(paths: Paths, account: Account, names: readonly string[]): void {
  writeCache({ paths, account, kind }, { names });
}
