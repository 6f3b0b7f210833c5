/**
 * Finishes what was cut off before its id was known: the same request goes out again with the same
 * key, so that the service answers with the job it has, or begins the one that never arrived.
 */
import type { Payload } from '../../api/prepare.js';
import { LocalFileError, SvcError } from '../../errors.js';
import { isGone } from '../../files/owner.js';
import { inParallel } from '../../lib/parallel.js';
import { isSameAccount } from '../../state/account.js';
import { isUnsettled, type LedgerJob } from '../../state/ledger-fold.js';
import { settleImage } from '../image/settle.js';
import { keptPayload, sendWritten } from './start.js';
import type { JobWorld } from './world.js';

/** A request that went out less than this ago may still be being worked on. */
const justNowMs = 60_000;
const atOnce = 4;

export interface Unsettled {
  readonly job: LedgerJob;
  readonly error: SvcError;
}

/**
 * Settles all of this account's jobs that nobody is at work on.
 * @returns those of which the outcome is still not known.
 */
export async function settleAll(world: JobWorld, jobs: readonly LedgerJob[]): Promise<Unsettled[]> {
  const open = jobs.filter((job) => isUnsettled(job) && isSameAccount(job.account, world.account));
  const failed: Unsettled[] = [];
  await inParallel(open, atOnce, async (job) => {
    if (!(await mayBeSettled(job))) return;
    try {
      await settle(world, job);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      failed.push({ job, error });
    }
  });
  return failed;
}

/**
 * Whether what became of a job can be found out, and no process is at it: by sending it again with
 * its key, or in the list of images. An extension has neither, so that sending it again could pay
 * for it twice.
 */
export async function mayBeSettled(job: LedgerJob): Promise<boolean> {
  if (job.kind === 'extend' || !isUnsettled(job)) return false;
  return job.state === 'uncertain' || isGone(job.owner);
}

export interface Settled {
  readonly jobId: string;
  readonly status?: string | null;
  readonly priceRub?: number | null;
}

/**
 * Finds out what became of a job, and writes it down.
 * @throws what `call` throws; LocalFileError when the request is no longer there.
 */
export async function settle(world: JobWorld, job: LedgerJob): Promise<Settled> {
  if (job.kind === 'image') return settleImage(world, job);
  const { intent: key, headers, keptBody } = job;
  const wasSentJustNow = world.context.clock.now() - job.unansweredAtMs < justNowMs;
  const payload = payloadOf(world, job);
  const submission = { key, headers, payload, isResend: true, wasSentJustNow };
  return sendWritten(world, submission, keptBody);
}

function payloadOf(world: JobWorld, { body, keptBody, model }: LedgerJob): Payload {
  if (body !== undefined) return { contentType: 'application/json', body };
  if (keptBody && world.ledger.bodies.isWhole(keptBody)) return keptPayload(world, keptBody);
  throw new LocalFileError(`the request for ${model} is no longer beside the ledger`, {
    code: 'request_lost',
    hint: 'whether it was charged shows in `svc balance`',
  });
}
