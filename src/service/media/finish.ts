/**
 * Ends jobs. Nothing runs in the background: a job has ended when its time is over, and whoever
 * looks first writes down how. All that belongs to the end is one transaction, so a process may
 * die at any point and the next look does it again.
 */
import { media as limits } from '../../contract/limits.js';
import { codeOf } from '../../lib/error-code.js';
import type { House } from '../call.js';
import { jobUsage } from '../charge.js';
import { ServiceFailure } from '../failure.js';
import {
  dueJobs,
  endJob,
  jobById,
  settlingJobs,
  type Job,
  type JobEnd,
} from '../store/media-jobs.js';
import { addResult } from '../store/media-results.js';
import { addNotification } from '../store/notifications.js';
import { giveBack, take } from '../store/usage.js';
import { webhooksOf } from '../store/webhooks.js';
import { MediaRefusal, type MediaFile } from './engines/types.js';
import { onlyOnce } from './house.js';
import { run } from './run.js';

/** How long results are kept, in milliseconds. */
export const retentionMs = limits.resultRetentionDays * 24 * 60 * 60 * 1000;
/** The same in words, for a refusal to begin with. */
export const retention = `results are kept for ${limits.resultRetentionDays} days`;
const mostAtOnce = 100;

/** The job as it is now: one whose time is over is ended first. */
export async function current(house: House, job: Job): Promise<Job> {
  if (job.state !== 'running' || job.origin === 'sandbox') return job;
  if (house.clock.now() < job.dueAtMs) return job;
  await onlyOnce(house.media, `end ${job.id}`, async () => {
    const outcome = await outcomeOf(house, job);
    house.store.transaction(() => writeEnd(house, job.id, outcome));
  });
  return jobById(house.store, job.id) ?? job;
}

/** Ends the account's jobs whose end moves money, so that its balance is what it should be. */
export async function settle(house: House, accountId: string): Promise<void> {
  await endAll(house, settlingJobs(house.store, accountId, house.clock.now()));
}

/** Ends everyone's jobs whose time is over; a hundred at most. */
export async function finishDue(house: House): Promise<void> {
  await endAll(house, dueJobs(house.store, house.clock.now(), mostAtOnce));
}

/** One that cannot be ended now keeps neither the others nor the caller from going on. */
async function endAll(house: House, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) await current(house, job).catch(() => job);
}

interface Outcome {
  readonly end: JobEnd;
  readonly files: readonly Pick<MediaFile, 'mediaType' | 'ext'>[];
}

const failed = (errorCode: string, failMessage: string): Outcome => ({
  end: { state: 'fail', errorCode, failMessage },
  files: [],
});

async function outcomeOf(house: House, job: Job): Promise<Outcome> {
  if (job.channel !== 'standard' && job.channel !== 'uncertain') {
    return failed(
      'provider_failed',
      `the route ${job.model}:${job.channel} failed, as it always does`,
    );
  }
  try {
    return await run(house, job, ({ files, resultText, resultMeta }) => ({
      end: { state: 'success', resultText, resultMeta },
      files,
    }));
  } catch (error) {
    if (error instanceof MediaRefusal || error instanceof ServiceFailure) {
      return failed(error.code, error.message);
    }
    // A full disk or a busy store is no word on the job: the next look tries again.
    if (isOfTheSystem(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    return failed('model_failed', `${job.model} failed: ${why}`);
  }
}

function isOfTheSystem(error: unknown): boolean {
  return /^(E(?!RR_)|SQLITE_)/.test(codeOf(error) ?? '');
}

/** Writes an end and all that follows from it, unless another process was faster. */
function writeEnd(house: House, id: string, { end, files }: Outcome): void {
  const { store, newId } = house;
  const job = jobById(store, id);
  if (job?.state !== 'running') return;
  const paid = settlePrice(house, job, end);
  endJob(store, id, paid.end, paid.usageId);
  if (paid.end.state === 'success') {
    for (const [index, { mediaType, ext }] of files.entries()) {
      const expiresAtMs = job.dueAtMs + retentionMs;
      addResult(store, { jobId: id, index, mediaType, ext, expiresAtMs });
    }
  }
  const url = job.webhookUrl ?? webhooksOf(store, job.accountId).mediaUrl;
  if (url !== null && job.origin !== 'image') {
    addNotification(store, { id: `msg_${newId()}`, jobId: id, url }, job.dueAtMs);
  }
}

/** A job that failed gets its price back; a synchronous image is paid now, when there is one. */
function settlePrice(
  house: House,
  job: Job,
  end: JobEnd,
): { end: JobEnd; usageId: string | undefined } {
  const { store, newId } = house;
  const { usageId, origin, dueAtMs } = job;
  if (end.state === 'fail') {
    if (usageId !== undefined) {
      giveBack(store, job, usageId, { id: `gen_${newId()}`, createdAtMs: dueAtMs });
    }
    return { end, usageId };
  }
  if (origin !== 'image') return { end, usageId };
  const usage = jobUsage(house, job, dueAtMs);
  if (take(store, job, usage)) return { end, usageId: usage.id };
  const message = 'the balance was too low when the image was finished';
  return {
    end: { state: 'fail', errorCode: 'insufficient_balance', failMessage: message },
    usageId: undefined,
  };
}
