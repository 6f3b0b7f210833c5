/**
 * What an image whose answer got lost may be, by the list that the service keeps for the key. The
 * list tells models and times, which prove nothing: what fits is named, and never taken for it.
 */
import { listImageJobs, type ImageJob, type ImageJobs } from '../api/images.js';
import * as limits from '../contract/limits.js';
import { plainText } from '../lib/plain-text.js';
import type { Found, Lost } from './once.js';
import type { JobWorld } from './world.js';

/** A request is at the service within this time, its waits for a busy one included. */
const arrivalMs = 60_000;
/** The list tells whole seconds, and two clocks differ by what an answer takes. */
const slackMs = 2000;

/** What it may be, with how to look at it; undefined when the list is too short. @throws what `call` throws. */
export async function lookForImage(
  { client, ledger, account }: JobWorld,
  lost: Lost,
): Promise<Found> {
  const whole = await listImageJobs(client, limits.images.list.max);
  const owned = new Set(ledger.jobs().flatMap(({ jobId }) => jobId ?? []));
  const isOwned = ({ id: jobId }: ImageJob) =>
    owned.has(jobId) || ledger.copies({ intent: undefined, jobId, account }).length > 0;
  const found = whole.jobs.filter((job) => fits(job, lost, whole.aheadMs) && !isOwned(job));
  if (found.length > 0) {
    const ids = found.map(({ id }) => plainText(id, 60)).join(', ');
    const words = `it may be ${ids} (which, the service does not say: \`svc jobs download ID\`)`;
    return { words };
  }
  return reachesBack(whole, lost) ? 'none' : undefined;
}

/** A model is listed under its public id, whatever name it was asked for by. */
function fits({ model, created }: ImageJob, lost: Lost, aheadMs: number): boolean {
  if (model !== undefined && bareName(model) !== bareName(lost.model)) return false;
  if (created === undefined) return true;
  const sinceMs = created * 1000 - aheadMs - lost.wantedAtMs;
  return sinceMs >= -slackMs && sinceMs <= arrivalMs + slackMs;
}

function bareName(id: string): string | undefined {
  return id
    .replace(/:[^/:]*$/, '')
    .split('/')
    .at(-1);
}

/** Whether the list shows all that were made since it was sent. */
function reachesBack({ jobs, aheadMs }: ImageJobs, { wantedAtMs }: Lost): boolean {
  if (jobs.length < limits.images.list.max) return true;
  const oldest = jobs.at(-1)?.created;
  return oldest !== undefined && oldest * 1000 - aheadMs < wantedAtMs - slackMs;
}
