/** Ids of reports, saved before sending: a repeated report does not open a second ticket. */
import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { fileTrouble } from '../files/file-trouble.js';
import { canonicalJson } from '../lib/json.js';
import { dayMs } from '../lib/moment.js';
import type { Account } from './account.js';
import { StateDatabase } from './database.js';
import type { Paths } from './paths.js';

/** Two reports with equal fields are the same, as for the service. */
export interface ReportRequest {
  readonly category: string;
  readonly subject: string;
  readonly message: string;
  readonly requestIds: readonly string[];
}

/** How long the same report keeps its id: later it may report something new. */
const maxAgeMs = dayMs;

const Incident = z.object({ incident: z.string() });

export function incidentFor(
  paths: Paths,
  { service, keyHash }: Account,
  { category, subject, message, requestIds }: ReportRequest,
  nowMs: number,
): string {
  const database = new StateDatabase(paths);
  const content = { service, keyHash, category, subject, message, ids: [...requestIds].sort() };
  const report = createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 32);
  const find =
    'SELECT incident FROM incidents WHERE report = ? AND abs(? - at_ms) < ? ORDER BY rowid';
  try {
    return database.transaction(() => {
      const [known] = database.all(Incident, find, report, nowMs, maxAgeMs);
      if (known) return known.incident;
      const incident = `svc-${randomUUID()}`;
      database.run('INSERT INTO incidents VALUES (?, ?, ?)', report, incident, nowMs);
      return incident;
    });
  } catch (error) {
    const failed = `the incident id cannot be saved in ${database.path}`;
    const hint = 'free some space or fix its permissions, or pass your own id with --incident-id';
    throw fileTrouble(error, failed, `${hint}; nothing was sent`);
  }
}
