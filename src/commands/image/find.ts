/** Finds the job of an image whose answer got lost, in the list that the service keeps for the key. */
import { listImageJobs, type ImageJob, type ImageJobs } from '../../api/images.js';
import * as limits from '../../contract/limits.js';
import { OutcomeUnknown } from '../../errors.js';
import { isSameAccount } from '../../state/account.js';
import { isUnsettled, type LedgerJob } from '../../state/ledger-fold.js';
import type { JobWorld } from '../jobs/world.js';
import { candidates, reachesBack, type Listed, type Lost } from './match.js';

/** A request is at the service within this time, its waits for a busy one included. */
const arrivalMs = 60_000;

/** What the ledger knows of an image without an answer. */
export function lostImage({ intent, model, wantedAtMs, body }: LedgerJob): Lost {
  return { intent, model, sentAtMs: wantedAtMs, untilMs: wantedAtMs + arrivalMs, body };
}

/** This account's images without an answer, those that a process is still at included. */
export function lostImages({ ledger, account }: JobWorld): LedgerJob[] {
  return ledger
    .jobs()
    .filter((job) => job.kind === 'image' && isUnsettled(job))
    .filter((job) => isSameAccount(job.account, account));
}

/** The list of the service, without what the ledger has already. @throws what `call` throws. */
export async function listUnowned(world: JobWorld): Promise<Listed & { whole: ImageJobs }> {
  const whole = await listImageJobs(world.client, limits.images.list.max);
  const owned = new Set(world.ledger.jobs().flatMap(({ jobId }) => jobId ?? []));
  return { jobs: whole.jobs.filter(({ id }) => !owned.has(id)), aheadMs: whole.aheadMs, whole };
}

/**
 * The job that an image, whose process is at it, can only be; undefined when there is none.
 * @throws OutcomeUnknown when it may be one of several, or another image's.
 */
export async function findImageJob(world: JobWorld, lost: Lost): Promise<ImageJob | undefined> {
  const listed = await listUnowned(world);
  const found = candidates(lost, listed);
  const [only, ...others] = found;
  if (others.length > 0) {
    throw new OutcomeUnknown(
      `the image may be any of ${found.map(({ id }) => id).join(', ')}: which one, the service does not say`,
      { code: 'several_candidates', hint: 'look at each: `svc jobs show ID`' },
    );
  }
  if (only && hasRival(world, lost, { ...listed, jobs: [only] })) {
    throw new OutcomeUnknown(
      `${only.id} may be this image, or another one that got no answer either`,
      { code: 'several_candidates', hint: `look at it: \`svc jobs show ${only.id}\`` },
    );
  }
  if (!only) demandAll(listed.whole, lost);
  return only;
}

function hasRival(world: JobWorld, { intent }: Lost, listed: Listed): boolean {
  return lostImages(world)
    .filter((job) => job.intent !== intent)
    .some((job) => candidates(lostImage(job), listed).length > 0);
}

/** @throws OutcomeUnknown when the list does not reach back to when an image was sent. */
export function demandAll(whole: ImageJobs, lost: Lost): void {
  if (reachesBack(whole, lost, limits.images.list.max)) return;
  throw new OutcomeUnknown('the list of images does not reach back to when it was sent', {
    code: 'list_too_short',
    hint: 'see what was charged: `svc usage list`',
  });
}
