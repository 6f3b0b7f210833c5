/** What a service told of its media models, kept for a while. It can be asked for again any time. */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, listOf, numberOf, recordOf, type JsonRecord } from '../lib/json.js';
import type { Account } from './account.js';
import { makeFolder } from '../lib/make-folder.js';
import type { Paths } from './paths.js';

export interface KeptCapabilities {
  readonly models: readonly JsonRecord[];
  readonly fetchedAtMs: number;
}

/** What is kept for an account; undefined when there is nothing that can be read. */
export function readCapabilities(paths: Paths, account: Account): KeptCapabilities | undefined {
  try {
    const kept = recordOf(JSON.parse(readFileSync(fileFor(paths, account), 'utf8')));
    const fetchedAtMs = numberOf(kept['fetchedAtMs']);
    if (fetchedAtMs === undefined || !Array.isArray(kept['models'])) return undefined;
    return { models: listOf(kept['models']).filter(isRecord), fetchedAtMs };
  } catch {
    return undefined;
  }
}

/** Keeps it; where it cannot be kept, it is asked for again next time. */
export function keepCapabilities(paths: Paths, account: Account, kept: KeptCapabilities): void {
  const file = fileFor(paths, account);
  const fresh = `${file}.${randomUUID()}`;
  try {
    makeFolder(paths.cache);
    writeFileSync(fresh, JSON.stringify(kept), { mode: 0o600, flag: 'wx' });
    renameSync(fresh, file);
  } catch {
    rmSync(fresh, { force: true });
  }
}

/** Another key may be told of other models. */
function fileFor(paths: Paths, { service, keyHash }: Account): string {
  const hash = createHash('sha256').update(`${service} ${keyHash}`).digest('hex').slice(0, 16);
  return join(paths.cache, `capabilities-${hash}.json`);
}
