/**
 * Finishes what was cut off before its id was known: the same request goes out again with the same
 * key, so that the service answers with the job it has, or begins the one that never arrived.
 */
import type { Accepted } from '../../api/media/submit.js';
import type { Payload } from '../../api/prepare.js';
import { JobFailed, LocalFileError, OutcomeUnknown, Pending, SvcError } from '../../errors.js';
import { isGone } from '../../files/owner.js';
import { formatAge } from '../../lib/duration.js';
import { formatRub } from '../../lib/amounts.js';
import { inParallel } from '../../lib/parallel.js';
import { isSameAccount } from '../../state/account.js';
import { isUnsettled, type LedgerJob } from '../../state/ledger-fold.js';
import { lookForImage } from '../image/lost.js';
import { atLeisure, type Ask } from './hurry.js';
import { isNothing } from './once.js';
import { sayer } from './sayer.js';
import { keptPayload, sendWritten } from './start.js';
import { note, type JobWorld } from './world.js';

/** A job of which the outcome is still not known, and why. */
export interface Unsettled {
  readonly job: LedgerJob;
  readonly error: SvcError;
}

/** A request that went out less than this ago may still be being worked on. */
const justNowMs = 60_000;
/** For longer than this no service is sure to know a key: the request could be paid for twice. */
const keyKeptMs = 24 * 60 * 60_000;
/** The code of what is left to `svc jobs resume`. */
export const tooOld = 'too_old';
const atOnce = 4;

/**
 * Settles all of this account's jobs that nobody is at work on. What is sent again is said.
 * @param ask how patiently.
 * @returns those of which the outcome is still not known.
 */
export async function settleAll(
  world: JobWorld,
  jobs: readonly LedgerJob[],
  ask: Ask = atLeisure(world),
): Promise<Unsettled[]> {
  const own = jobs.filter((job) => isSameAccount(job.account, world.account));
  const may = await inParallel(own, atOnce, mayBeSettled);
  const open = own.filter((_, index) => may[index]);
  const settled = await inParallel(open, atOnce, async (job) => {
    try {
      await ask((hurried) => settleOne(hurried, job));
      return undefined;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      return { job, error };
    }
  });
  return settled.filter((one) => one !== undefined);
}

async function settleOne(world: JobWorld, job: LedgerJob): Promise<void> {
  const ageMs = world.context.clock.now() - job.wantedAtMs;
  const about = `a request for ${job.model} (${formatAge(ageMs)} ago)`;
  if (job.kind === 'image') throw await lostImage(world, job);
  if (ageMs > keyKeptMs) {
    throw new OutcomeUnknown(`${about} got no answer, and is not sent again by itself`, {
      code: tooOld,
      hint: `send it, and pay for it unless it was accepted then: \`svc jobs resume ${job.intent}\``,
    });
  }
  await resend(world, job);
}

/** An image is asked for again by the same command alone, which knows where it goes. */
async function lostImage(world: JobWorld, job: LedgerJob): Promise<SvcError> {
  const found = await lookForImage(world, job);
  if (isNothing(world, found, job)) {
    note(world, { type: 'dropped', intent: job.intent, why: 'refused', code: 'not_listed' });
    return new JobFailed('the service has no such image', { code: 'not_listed' });
  }
  const isListed = typeof found === 'object';
  const message = isListed ? found.words : 'it is not in the list of the service yet';
  return new OutcomeUnknown(message, {
    code: 'image_unknown',
    hint: 'type the same command again, or look: `svc image list`',
  });
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

/**
 * Finds out what became of a job, and writes it down.
 * @returns its id.
 * @throws what `call` throws; LocalFileError when the request is no longer there.
 */
export async function settle(world: JobWorld, job: LedgerJob): Promise<string> {
  const [failed] = await settleAll(world, [job]);
  if (failed) throw failed.error;
  return settledId(world, job);
}

/** The id of a job by now. @throws Pending while another process is at it. */
export function settledId({ ledger }: JobWorld, { intent, model }: LedgerJob): string {
  const jobId = ledger.jobs().find((job) => job.intent === intent)?.jobId;
  if (jobId !== undefined) return jobId;
  throw new Pending(`the job for ${model} is still being submitted`, {
    code: 'pending',
    hint: 'another svc is at it: svc jobs list',
  });
}

/**
 * Sends a job's request again, with its key, and says so.
 * @throws what `call` throws; LocalFileError when the request is no longer there.
 */
export async function resend(world: JobWorld, job: LedgerJob): Promise<Accepted> {
  const { intent: key, headers, keptBody, model, quotedRub } = job;
  const price = quotedRub === undefined ? '' : ` (${formatRub(quotedRub)})`;
  sayer(world.context)(`sending the request for ${model}${price} again, with its key`);
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
