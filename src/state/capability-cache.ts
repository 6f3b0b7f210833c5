/** What a service told of its media models, kept for a while. It can be asked for again any time. */
import { isRecord, listOf, numberOf, type JsonRecord } from '../lib/json.js';
import type { Account } from './account.js';
import { readCache, writeCache } from './cache-file.js';
import type { Paths } from './paths.js';

export interface KeptCapabilities {
  readonly models: readonly JsonRecord[];
  readonly fetchedAtMs: number;
}

const kind = 'capabilities';

/** What is kept for an account; undefined when there is nothing that can be read. */
export function readCapabilities(paths: Paths, account: Account): KeptCapabilities | undefined {
  const kept = readCache({ paths, account, kind });
  const fetchedAtMs = numberOf(kept['fetchedAtMs']);
  if (fetchedAtMs === undefined || !Array.isArray(kept['models'])) return undefined;
  return { models: listOf(kept['models']).filter(isRecord), fetchedAtMs };
}

/** Keeps it; where it cannot be kept, it is asked for again next time. */
export function keepCapabilities(paths: Paths, account: Account, kept: KeptCapabilities): void {
  writeCache({ paths, account, kind }, kept);
}
