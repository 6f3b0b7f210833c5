/** What svc keeps in small files, and can do without: what a service told, and the last failure. */
import { createHash, randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { isRecord, listOf, numberOf, recordOf, textOf, type JsonRecord } from '../lib/json.js';
import { makeFolder, readOwn } from '../lib/own-file.js';
import { Account } from './account.js';
import type { Paths } from './paths.js';

function smallFile(path: string) {
  return {
    read: (): JsonRecord => {
      try {
        return recordOf(JSON.parse(readOwn(path)));
      } catch {
        return {};
      }
    },
    /** Puts it in the place of what was there; where it cannot be kept, svc does without. */
    keep: (content: object): void => {
      const fresh = `${path}.${randomUUID()}`;
      try {
        makeFolder(dirname(path));
        writeFileSync(fresh, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' });
        renameSync(fresh, path);
      } catch {
        rmSync(fresh, { force: true });
      }
    },
  };
}

/** Another key may be told something else, so each account has its own. */
function cache(paths: Paths, kind: string, account: Omit<Account, 'profile'>) {
  const { service, keyHash } = account;
  const hash = createHash('sha256').update(`${service} ${keyHash}`).digest('hex').slice(0, 16);
  return smallFile(join(paths.cache, `${kind}-${hash}.json`));
}

interface KeptCapabilities {
  readonly models: readonly JsonRecord[];
  readonly fetchedAtMs: number;
}

export function readCapabilities(paths: Paths, account: Account): KeptCapabilities | undefined {
  const { fetchedAtMs, models } = cache(paths, 'capabilities', account).read();
  const atMs = numberOf(fetchedAtMs);
  if (atMs === undefined || !Array.isArray(models)) return undefined;
  return { models: listOf(models).filter(isRecord), fetchedAtMs: atMs };
}

export function keepCapabilities(paths: Paths, account: Account, kept: KeptCapabilities): void {
  cache(paths, 'capabilities', account).keep(kept);
}

export function readModelNames(paths: Paths, account: Account): readonly string[] {
  const { names } = cache(paths, 'models', account).read();
  return listOf(names).flatMap((name) => textOf(name) ?? []);
}

export function keepModelNames(paths: Paths, account: Account, names: readonly string[]): void {
  cache(paths, 'models', account).keep({ names });
}

/** Fields beyond the specification that a service, by its origin, has refused: not sent again. */
export function refusedFields(paths: Paths, service: string) {
  const { read, keep } = cache(paths, 'refused-fields', { service, keyHash: '' });
  return {
    has: (field: string) => read()[field] === true,
    add: (field: string) => {
      keep({ ...read(), [field]: true });
    },
  };
}

const LastFailure = z.object({
  atMs: z.number(),
  /** The command line, without any text or secret of the person's. */
  command: z.string(),
  exit: z.number(),
  status: z.optional(z.number()),
  code: z.optional(z.string()),
  message: z.string(),
  requestIds: z.array(z.string()),
  /** Versions: of svc and Node, and the system. */
  svc: z.string(),
  node: z.string(),
  system: z.string(),
  /** Whose the request ids are; absent when no key is known. */
  account: z.optional(Account),
});
export type LastFailure = z.output<typeof LastFailure>;

const lastFailure = (paths: Paths) => smallFile(join(paths.data, 'last-failure.json'));

export function readLastFailure(paths: Paths): LastFailure | undefined {
  return LastFailure.safeParse(lastFailure(paths).read()).data;
}

export function keepLastFailure(paths: Paths, failure: LastFailure): void {
  lastFailure(paths).keep(failure);
}
