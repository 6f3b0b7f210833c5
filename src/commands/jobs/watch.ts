/** Waits for a job: tells a person how it stands, and the ledger what becomes of it. */
import { followJob, isUnknownJob, routeOf, type JobStatus } from '../../api/media/follow.js';
import { ApiError, JobFailed } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { shellWord } from '../../lib/names.js';
import { note, type JobWorld } from './world.js';

export interface Watched {
  /** Its key in the ledger; undefined for a job that is not in it. */
  readonly intent: string | undefined;
  readonly jobId: string;
}

export interface Watching {
  /** How long to wait in all. */
  readonly deadlineMs: number;
  /** Told of each answer that is not the last. */
  readonly onState?: (status: JobStatus) => void;
  /** Told when an answer failed to come; the waiting goes on. */
  readonly onTrouble?: (error: Error) => void;
}

/**
 * The last state of a job.
 * @throws Pending with the command to come back, when the time is over; ApiError for an id that
 * this account does not have.
 */
export async function watchJob(
  world: JobWorld,
  job: Watched,
  { deadlineMs, onState, onTrouble }: Watching,
): Promise<JobStatus> {
  const told = changes(world, job.intent);
  try {
    const last = await followJob(world.client, {
      jobId: job.jobId,
      deadlineMs,
      onState: (status) => {
        told(status, false);
        onState?.(status);
      },
      onTrouble,
      pending: (last) => ({
        message: `${job.jobId} is still under way${last ? ` (${plainText(last.state, 40)})` : ''}`,
        hint: `it goes on by itself: \`${comeBack(job.jobId)}\``,
      }),
    });
    told(last, true);
    return last;
  } catch (error) {
    if (!isUnknownJob(error)) throw error;
    if (job.intent) tell(world, job.intent, unknownJob, false);
    throw noSuchJob(job.jobId, error);
  }
}

/** The command with which one goes on waiting. */
export function comeBack(jobId: string): string {
  return `svc jobs wait ${jobId === '--all' ? jobId : shellWord(jobId)}`;
}

/** Writes each change of a status to the ledger. */
function changes(world: JobWorld, intent: string | undefined) {
  let before = '';
  return (status: JobStatus, isLast: boolean) => {
    const word = `${status.state} ${status.code ?? ''}`;
    if (intent === undefined || (word === before && !isLast)) return;
    before = word;
    tell(world, intent, status, isLast);
  };
}

type Told = Pick<JobStatus, 'state'> & Partial<JobStatus>;

const unknownJob: Told = { state: 'unknown_job' };

/** Writes a status to the ledger. @param watched whether somebody was waiting when it came. */
export function tell(world: JobWorld, intent: string, status: Told, watched: boolean): void {
  note(world, {
    type: 'told',
    intent,
    status: plainText(status.state, 40),
    priceRub: status.priceRub,
    results: status.state === 'success' ? status.resultUrls?.length : undefined,
    expiresAtMs: status.expiresAtMs,
    code: status.code,
    message: status.message,
    guidance: status.guidance,
    route: routeOf(status.reply),
    watched,
  });
}

/** What a 404 for a job means. */
export function noSuchJob(jobId: string, cause: ApiError): ApiError {
  const { code, requestIds } = cause;
  return new ApiError(`this account has no job ${jobId}`, {
    status: 404,
    code: code ?? 'job_not_found',
    requestIds,
    hint: 'see which jobs there are: `svc jobs list --all`',
    cause,
  });
}

/** The failure of a job that has ended without success. */
export function jobFailure(jobId: string, status: JobStatus): JobFailed {
  const { code, guidance } = status;
  if (status.state === 'not_started') {
    return new JobFailed(`${jobId} was never started (sandbox); nothing was charged`, {
      code: 'submission_not_started',
    });
  }
  const why = status.message ? `: ${status.message}` : '';
  return new JobFailed(`${jobId} failed${why}`, {
    code: code ?? 'job_failed',
    hint: guidance ?? `see what is known of it: \`svc jobs show ${jobId}\``,
  });
}
