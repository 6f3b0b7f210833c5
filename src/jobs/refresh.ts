/** Brings the ledger up to date: asks how each unfinished job stands. */
import { askJob, isUnknownJob } from '../api/media/follow.js';
import { SvcError } from '../errors.js';
import { inParallel } from '../lib/parallel.js';
import { isUnderWay, type LedgerJob } from '../state/ledger-fold.js';
import type { Ask } from './hurry.js';
import { tell } from './watch.js';
import type { JobWorld } from './world.js';

const atOnce = 8;

/** @returns a line for each reason why jobs could not be asked for, with their ids. */
export async function refresh(
  world: JobWorld,
  jobs: readonly LedgerJob[],
  ask: Ask,
): Promise<string[]> {
  const asked = jobs.filter(isUnderWay);
  const whyNot = await inParallel(asked, atOnce, async ({ intent, jobId = '', state, code }) => {
    try {
      const status = await ask(({ client }) => askJob(client, jobId));
      const isNews = status.state !== state || status.code !== code;
      if (isNews) tell(world, intent, status, false);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (!isUnknownJob(error)) return error.message;
      tell(world, intent, { state: 'unknown_job' }, false);
    }
    return undefined;
  });
  const reasons = new Set(whyNot.flatMap((why) => why ?? []));
  return [...reasons].map((why) => {
    const ids = asked.flatMap(({ jobId }, nth) => (whyNot[nth] === why ? (jobId ?? []) : []));
    return `${named(ids)} could not be asked for: ${why}`;
  });
}

/** More ids than this tell a person nothing. */
const mostNames = 3;

function named(ids: readonly string[]): string {
  const more = ids.length - mostNames;
  const names = ids.slice(0, mostNames).join(', ');
  return more > 0 ? `${names} and ${String(more)} more` : names;
}
