/** Finds out what became of an image whose process was cut off before an answer came. */
import { JobFailed, OutcomeUnknown } from '../../errors.js';
import type { LedgerJob } from '../../state/ledger-fold.js';
import { note, type JobWorld } from '../jobs/world.js';
import { findImageJob } from './find.js';

/** A request is at the service within this time, its waits for a busy one included. */
const arrivalMs = 60_000;
/** Not listed for so long, it never came to be. */
const patienceMs = 10 * 60_000;

/**
 * The job, by the list of the service: it is never sent again.
 * @throws JobFailed when there is surely none; OutcomeUnknown while that is not known.
 */
export async function settleImage(
  world: JobWorld,
  { intent, model, wantedAtMs }: LedgerJob,
): Promise<{ jobId: string; status: string; priceRub: number | undefined }> {
  const untilMs = wantedAtMs + arrivalMs;
  const job = await findImageJob(world, { model, sentAtMs: wantedAtMs, untilMs });
  if (job) {
    const found = { jobId: job.id, status: 'processing', priceRub: job.costRub };
    note(world, { type: 'accepted', intent, ...found });
    return found;
  }
  if (world.context.clock.now() - wantedAtMs < patienceMs) {
    throw new OutcomeUnknown('the image is not in the list of the service yet', {
      code: 'not_listed',
      hint: 'look again in a few minutes: `svc jobs list`',
    });
  }
  note(world, { type: 'dropped', intent, why: 'refused', code: 'not_listed' });
  throw new JobFailed('the service has no such image', { code: 'not_listed' });
}
