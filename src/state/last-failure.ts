/** What is known of the last command that failed: one small file, for a report to support. */
import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { makeFolder, readOwn } from '../lib/own-file.js';
import type { Paths } from './paths.js';

const LastFailure = z.object({
  /** Epoch, ms. */
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
  account: z.optional(z.object({ profile: z.string(), service: z.string(), keyHash: z.string() })),
});
export type LastFailure = z.output<typeof LastFailure>;

function pathIn(paths: Paths): string {
  return join(paths.data, 'last-failure.json');
}

/** Undefined when no command has failed, or what is kept of it cannot be read. */
export function readLastFailure(paths: Paths): LastFailure | undefined {
  try {
    return LastFailure.safeParse(JSON.parse(readOwn(pathIn(paths)))).data;
  } catch {
    return undefined;
  }
}

/** Keeps it in the place of the one before. @throws the system's error. */
export function keepLastFailure(paths: Paths, failure: LastFailure): void {
  const path = pathIn(paths);
  const fresh = `${path}.${randomUUID()}`;
  makeFolder(paths.data);
  try {
    writeFileSync(fresh, `${JSON.stringify(failure)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
