/** Finds out what became of images whose process was cut off before an answer came. */
import { JobFailed, OutcomeUnknown, SvcError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import type { LedgerJob } from '../../state/ledger-fold.js';
import type { Ask } from '../jobs/hurry.js';
import { note, type JobWorld } from '../jobs/world.js';
import { demandAll, listUnowned, lostImage, lostImages } from './find.js';
import { alike, match } from './match.js';

/** Not listed for so long, it never came to be. */
const patienceMs = 10 * 60_000;

export interface Unsettled {
  readonly job: LedgerJob;
  readonly error: SvcError;
}

/**
 * Gives each of the images the job that it has by the list of the service; none is sent again.
 * Images that a process is still at keep their share of the list.
 * @param ask how patiently.
 * @returns those without a job: JobFailed when there is surely none, OutcomeUnknown while that is
 * not known, or why the list did not come.
 */
export async function settleImages(
  world: JobWorld,
  images: readonly LedgerJob[],
  ask: Ask,
): Promise<Unsettled[]> {
  if (images.length === 0) return [];
  const asked = await ask(listUnowned).catch(whyNot);
  if (asked instanceof SvcError) return images.map((job) => ({ job, error: asked }));
  const lost = lostImages(world).map(lostImage);
  const found = match(lost, asked);
  for (const ids of alike(lost, asked, found)) world.context.out.warn(alikeWords(ids));
  return images.flatMap((job) => {
    const listed = found.get(job.intent);
    if (!listed) return { job, error: notListed(world, job, asked.whole) };
    const { id: jobId, costRub: priceRub } = listed;
    note(world, { type: 'accepted', intent: job.intent, jobId, status: 'processing', priceRub });
    return [];
  });
}

function alikeWords(ids: readonly string[]): string {
  const names = ids.map((id) => plainText(id, 60)).join(', ');
  return `which image is which of ${names}, the service does not say; look at each`;
}

function whyNot(error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  throw error;
}

function notListed(
  world: JobWorld,
  job: LedgerJob,
  whole: Parameters<typeof demandAll>[0],
): SvcError {
  try {
    demandAll(whole, lostImage(job));
  } catch (error) {
    return whyNot(error);
  }
  if (world.context.clock.now() - job.wantedAtMs < patienceMs) {
    return new OutcomeUnknown('it is not in the list of the service yet', {
      code: 'not_listed',
      hint: 'look again in a few minutes: `svc jobs list`',
    });
  }
  note(world, { type: 'dropped', intent: job.intent, why: 'refused', code: 'not_listed' });
  return new JobFailed('the service has no such image', { code: 'not_listed' });
}
