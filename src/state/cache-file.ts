/** What a service told an account, kept for a while. It can be asked for again any time. */
import { createHash, randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordOf, type JsonRecord } from '../lib/json.js';
import { makeFolder, readOwn } from '../lib/own-file.js';
import type { Account } from './account.js';
import type { Paths } from './paths.js';

/** Another key may be told something else, so each account has its own. */
export interface CacheFile {
  readonly paths: Paths;
  readonly account: Account;
  /** Part of the file's name. */
  readonly kind: string;
}

/** What is kept; empty when there is nothing that can be read. */
export function readCache(file: CacheFile): JsonRecord {
  try {
    return recordOf(JSON.parse(readOwn(pathOf(file))));
  } catch {
    return {};
  }
}

/** Keeps it; where it cannot be kept, it is asked for again next time. */
export function writeCache(file: CacheFile, content: object): void {
  const path = pathOf(file);
  const fresh = `${path}.${randomUUID()}`;
  try {
    makeFolder(file.paths.cache);
    writeFileSync(fresh, JSON.stringify(content), { mode: 0o600, flag: 'wx' });
    renameSync(fresh, path);
  } catch {
    rmSync(fresh, { force: true });
  }
}

function pathOf({ paths, account: { service, keyHash }, kind }: CacheFile): string {
  const hash = createHash('sha256').update(`${service} ${keyHash}`).digest('hex').slice(0, 16);
  return join(paths.cache, `${kind}-${hash}.json`);
}
