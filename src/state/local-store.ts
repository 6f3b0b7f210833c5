/** Where the embedded service keeps its ledger; --local and `svc serve` use the same file. */
import { join } from 'node:path';
import { makeFolder } from '../lib/own-file.js';
import type { Paths } from './paths.js';

/** The path of the store; its folder is made, 0700, when it is missing. */
export function localStorePath(paths: Paths): string {
  makeFolder(paths.data);
  return join(paths.data, 'local.sqlite');
}
