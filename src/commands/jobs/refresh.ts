/** Brings the ledger up to date: asks how each unfinished job stands. */
import { askJob, isUnknownJob } from '../../api/media/follow.js';
import { SvcError } from '../../errors.js';
import { inParallel } from '../../lib/parallel.js';
import { isUnderWay, type LedgerJob } from '../../state/ledger-fold.js';
import { tell } from './watch.js';
import type { JobWorld } from './world.js';

const atOnce = 8;
/** A list that is a little out of date is better than none: so long all questions take together. */
const patienceMs = 20_000;

/** @returns why jobs could not be asked for, once for each reason. */
export async function refresh(world: JobWorld, jobs: readonly LedgerJob[]): Promise<string[]> {
  const { client } = world;
  const { clock } = world.context;
  const endsAtMs = clock.now() + (client.deadlineMs ?? patienceMs);
  const troubles = new Set<string>();
  await inParallel(jobs.filter(isUnderWay), atOnce, async ({ intent, jobId = '', state, code }) => {
    const deadlineMs = endsAtMs - clock.now();
    if (deadlineMs <= 0) return;
    try {
      const status = await askJob({ ...client, deadlineMs }, jobId);
      const isNews = status.state !== state || status.code !== code;
      if (isNews) tell(world, intent, status, false);
    } catch (error) {
      if (isUnknownJob(error)) tell(world, intent, { state: 'unknown_job' }, false);
      else if (error instanceof SvcError) troubles.add(error.message);
      else throw error;
    }
  });
  return [...troubles];
}
