/**
 * The incident ids of reports. One is on disk before its report leaves, so that the same report is
 * sent with the same id after a cut line or a crash, and opens no second ticket.
 */
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { fileTrouble } from '../files/file-trouble.js';
import { canonicalJson } from '../lib/json.js';
import type { Account } from './account.js';
import { appendLine, linesIn } from './lines-file.js';
import type { Paths } from './paths.js';

/** What makes two reports the same: that by which the service itself knows one again. */
export interface Wish {
  readonly category: string;
  readonly subject: string;
  readonly message: string;
  /** In any order. */
  readonly requestIds: readonly string[];
}

/** How long the same report keeps its id. Later the same words may well tell of something new. */
const keptMs = 24 * 60 * 60 * 1000;

const Line = z.object({
  incident: z.string(),
  /** A hash of account and report: no word of it is kept. */
  wish: z.string(),
  /** Epoch, ms. */
  atMs: z.number(),
});
type Line = z.output<typeof Line>;

/**
 * The id for a report: that of the same report of the last day, else a new one. When it returns,
 * the id is on disk. Of several processes with the same report all get the same id.
 * @throws LocalFileError when it cannot be written: then nothing may be sent.
 */
export function incidentFor(paths: Paths, account: Account, wish: Wish, nowMs: number): string {
  const path = join(paths.data, 'incidents.jsonl');
  const hash = hashOf(account, wish);
  try {
    const known = findIncident(path, hash, nowMs);
    if (known !== undefined) return known;
    const fresh: Line = { incident: `svc-${randomUUID()}`, wish: hash, atMs: nowMs };
    appendLine(path, JSON.stringify(fresh));
    // Another process may have been a line earlier.
    return findIncident(path, hash, nowMs) ?? fresh.incident;
  } catch (error) {
    throw fileTrouble(
      error,
      `the incident id cannot be kept in ${path}`,
      'make room or access, or give an id of your own with --incident-id; nothing was sent',
    );
  }
}

function findIncident(path: string, wish: string, nowMs: number): string | undefined {
  return linesIn(path)
    .map(lineIn)
    .filter((line) => line?.wish === wish)
    .find((line) => line && Math.abs(nowMs - line.atMs) < keptMs)?.incident;
}

/** Undefined for a line that is torn or empty. */
function lineIn(text: string): Line | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return Line.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function hashOf({ service, keyHash }: Account, wish: Wish): string {
  const { category, subject, message, requestIds } = wish;
  const said = { service, keyHash, category, subject, message, ids: [...requestIds].sort() };
  return createHash('sha256').update(canonicalJson(said)).digest('hex').slice(0, 32);
}
