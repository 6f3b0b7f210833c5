/** Follows jobs: tells a person how they stand, and the ledger what becomes of them. */
import { askJob, followJob, isUnknownJob, routeOf, type JobStatus } from '../api/media/follow.js';
import type { Context } from '../cli/context.js';
import { ApiError, JobFailed, NetworkError, SvcError, TimeoutError } from '../errors.js';
import { disown } from '../files/owner.js';
import { formatElapsed } from '../lib/duration.js';
import { formatRub } from '../lib/amounts.js';
import { inParallel } from '../lib/parallel.js';
import { plainText } from '../lib/plain-text.js';
import { shellWord } from '../lib/names.js';
import { isUnderWay, isUnfinished } from '../state/ledger-fold.js';
import { note, ownJobs, progressWriter, type Job, type JobEnv } from './job.js';

export interface Following {
  /** How long to wait in all. */
  readonly deadlineMs: number;
  /** The line that a person sees meanwhile; without one nothing is said. */
  readonly spinner?: JobSpinner;
  /** Told of each answer. */
  readonly onStatus?: (status: JobStatus) => void;
}

/**
 * Waits until a job has succeeded.
 * @throws JobFailed; Pending with the command to come back, when the time is over; ApiError for an
 * id that this account does not have.
 */
export async function followToSuccess(
  world: JobEnv,
  { intent, jobId }: Job,
  { deadlineMs, spinner, onStatus }: Following,
): Promise<JobStatus> {
  let written = '';
  let said = '';
  const onState = (status: JobStatus) => {
    const word = `${status.state} ${status.code ?? ''}`;
    if (intent !== undefined && word !== written) writeStatus(world, intent, status, false);
    written = word;
    onStatus?.(status);
    if (!spinner) return;
    spinner.state(status);
    const words = uncertaintyWords(status) ?? '';
    if (words !== '' && words !== said) progressWriter(world.context)(`${jobId}: ${words}`);
    said = words;
  };
  try {
    const last = await followJob(world.client, jobId, {
      deadlineMs,
      onState,
      onTrouble: (error) => spinner?.trouble(error),
      pending: (last) => ({
        message: `${jobId} is still under way${last ? ` (${plainText(last.state, 40)})` : ''}`,
        hint: `it goes on by itself: \`${comeBack(jobId)}\``,
      }),
    });
    if (intent !== undefined) writeStatus(world, intent, last, true);
    onStatus?.(last);
    if (last.state !== 'success') throw jobFailure(jobId, last);
    return last;
  } catch (error) {
    if (!isUnknownJob(error)) throw error;
    if (intent !== undefined) writeStatus(world, intent, unknownJob, false);
    throw noSuchJob(jobId, error);
  }
}

/** The command with which one goes on waiting. */
export function comeBack(jobId: string): string {
  return `svc jobs wait ${jobId === '--all' ? jobId : shellWord(jobId)}`;
}

/** How a job stands now, written down where that is news. @throws ApiError for no such job. */
export async function askOnce(world: JobEnv, { jobId, ledger }: Job): Promise<JobStatus> {
  try {
    const status = await askJob(world.client, jobId);
    if (ledger && status.state !== ledger.state) writeStatus(world, ledger.intent, status, false);
    return status;
  } catch (error) {
    throw isUnknownJob(error) ? noSuchJob(jobId, error) : error;
  }
}

type Reported = Pick<JobStatus, 'state'> & Partial<JobStatus>;

export const unknownJob: Reported = { state: 'unknown_job' };

/** Writes a status to the ledger. @param watched whether somebody was waiting when it came. */
export function writeStatus(
  world: JobEnv,
  intent: string,
  status: Reported,
  watched: boolean,
): void {
  const { state, priceRub, resultUrls, expiresAtMs, code, message, guidance, reply } = status;
  const results = state === 'success' ? resultUrls?.length : undefined;
  const said = { priceRub, results, expiresAtMs, code, message, guidance, route: routeOf(reply) };
  note(world, { type: 'reported', intent, status: plainText(state, 40), ...said, watched });
}

/** What a 404 for a job means. */
function noSuchJob(jobId: string, cause: ApiError): ApiError {
  const { code = 'job_not_found', requestIds } = cause;
  const hint = 'see which jobs there are: `svc jobs list --all`';
  const details = { status: 404, code, requestIds, hint, cause };
  return new ApiError(`this account has no job ${jobId}`, details);
}

/** The failure of a job that has ended without success. */
export function jobFailure(jobId: string, status: JobStatus): JobFailed {
  const { code = 'job_failed', guidance } = status;
  if (status.state === 'not_started') {
    return new JobFailed(`${jobId} was never started (sandbox); nothing was charged`, {
      code: 'submission_not_started',
    });
  }
  const why = status.message ? `: ${status.message}` : '';
  const hint = guidance ?? `see what is known of it: \`svc jobs show ${jobId}\``;
  return new JobFailed(`${jobId} failed${why}`, { code, hint });
}

/** Why a job is not simply at work, in a sentence; undefined when it is. */
export function uncertaintyWords({ isUncertain, stage, guidance }: JobStatus): string | undefined {
  if (!isUncertain) return undefined;
  if (stage !== undefined) {
    return `the submission is simulated as uncertain (sandbox stage ${plainText(stage, 40)})`;
  }
  const advice = guidance === undefined ? '' : ` (${guidance})`;
  return `the service does not know yet whether it has begun${advice}; svc goes on asking about this job and sends nothing again`;
}

export type JobSpinner = Awaited<ReturnType<typeof startJobSpinner>>;

/**
 * The line that a person sees while jobs are at work; silent where nobody sees it.
 * @param sinceMs when it was submitted, as far as is known.
 */
export async function startJobSpinner(
  world: JobEnv,
  { jobId, model, priceRub }: Job,
  sinceMs: number,
) {
  const { out, clock, flags } = world.context;
  const isSilent = flags.json || flags.quiet || !out.isErrorTerminal;
  const usualMs = isSilent ? undefined : usualTime(world, model);
  let state = 'processing';
  let trouble = '';
  const words = () => {
    const elapsed = formatElapsed(clock.now() - sinceMs);
    return [
      state,
      usualMs === undefined ? elapsed : `${elapsed} of usually ${formatElapsed(usualMs)}`,
      ...(priceRub === undefined ? [] : [formatRub(priceRub)]),
      jobId,
      ...(trouble === '' ? [] : [trouble]),
    ].join(' · ');
  };
  const spinner = isSilent ? undefined : await out.spinner(words());
  spinner?.update(words);
  return {
    state: (status: JobStatus) => {
      state = plainText(status.state, 40);
      trouble = '';
      spinner?.update(words);
    },
    trouble: (error: Error) => {
      trouble = `no answer, asking again: ${plainText(error.message, 80)}`;
      spinner?.update(words);
    },
    stop: () => spinner?.stop(),
  };
}

/** The median of the last jobs of this model, in milliseconds; undefined when there was none. */
function usualTime(world: JobEnv, model: string | undefined): number | undefined {
  const times = ownJobs(world)
    .filter((job) => job.model === model && job.state === 'success')
    .flatMap(({ tookMs }) => tookMs ?? [])
    .slice(-25)
    .sort((one, other) => one - other);
  return times[Math.floor((times.length - 1) / 2)];
}

const atOnce = 8;
/** More ids than this tell a person nothing. */
const mostNames = 3;

/**
 * Brings the ledger up to date: asks how each unfinished job of this account stands.
 * @returns a line for each reason why jobs could not be asked for, with their ids.
 */
export async function refresh(world: JobEnv, budget: TimeBudget): Promise<string[]> {
  const asked = ownJobs(world).filter(isUnderWay);
  const whyNot = await inParallel(asked, atOnce, async ({ intent, jobId = '', state, code }) => {
    try {
      const status = await budget(({ client }) => askJob(client, jobId));
      const isNews = status.state !== state || status.code !== code;
      if (isNews) writeStatus(world, intent, status, false);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (!isUnknownJob(error)) return error.message;
      writeStatus(world, intent, unknownJob, false);
    }
    return undefined;
  });
  const idsByReason = new Map<string, string[]>();
  for (const [index, { jobId = '' }] of asked.entries()) {
    const why = whyNot[index];
    if (why !== undefined) idsByReason.set(why, [...(idsByReason.get(why) ?? []), jobId]);
  }
  return [...idsByReason].map(([why, ids]) => {
    const more = ids.length > mostNames ? ` and ${String(ids.length - mostNames)} more` : '';
    return `${ids.slice(0, mostNames).join(', ')}${more} could not be asked for: ${why}`;
  });
}

/** Does something with the service, as long as there is time for it. */
export type TimeBudget = <Result>(work: (world: JobEnv) => Promise<Result>) => Promise<Result>;

/** A list that is a little out of date is better than none: after this long nothing more is asked. */
const budgetMs = 10_000;
/** One question, with all its attempts. */
const questionMs = 3000;

/**
 * For a list that has to come soon, however slow the service is; --timeout gives another time. When
 * the first that is heard of the service is that nothing is heard of it, nothing more is asked.
 * @returns what throws a TimeoutError when there was no answer in time.
 */
export function timeBudget(world: JobEnv): TimeBudget {
  const { clock, flags, commandHint } = world.context;
  const endsAtMs = clock.now() + (flags.timeoutMs ?? budgetMs);
  let hasAnswered = false;
  let silence: SvcError | undefined;
  return async (work) => {
    if (silence) throw silence;
    const leftMs = endsAtMs - clock.now();
    if (leftMs <= 0) throw late(commandHint);
    const deadlineMs = flags.timeoutMs === undefined ? questionMs : leftMs;
    try {
      const result = await work({ ...world, client: { ...world.client, deadlineMs } });
      hasAnswered = true;
      silence = undefined;
      return result;
    } catch (caught) {
      const isLate = caught instanceof SvcError && caught.code === 'deadline';
      const error = isLate ? late(commandHint, caught) : caught;
      if (error instanceof ApiError) hasAnswered = true;
      const isSilence = error instanceof NetworkError || error instanceof TimeoutError;
      if (isSilence && !hasAnswered) silence = error;
      throw error;
    }
  };
}

function late(onward: Context['commandHint'], cause?: SvcError): TimeoutError {
  const wayOn = onward('`svc jobs wait --all` gives it longer');
  const message = `the service did not answer in time; ${wayOn}`;
  return new TimeoutError(message, { code: 'deadline', cause });
}

/** What is known of the jobs at work, for whoever interrupts them. */
export interface AtWork {
  /** Something may have gone out under this key. */
  key?: string;
  /** The service has the job. */
  jobId?: string;
  /** It has several: the words that name them on a command line. */
  several?: string;
}

/** Does the work; when it is broken off from outside, says on stderr what goes on without it. */
export async function onInterrupt<Result>(
  world: JobEnv,
  work: (atWork: AtWork) => Promise<Result>,
): Promise<Result> {
  const atWork: AtWork = {};
  try {
    return await work(atWork);
  } catch (error) {
    const { out, signal, commandHint } = world.context;
    if (signal.aborted) out.error(commandHint(lastWords(world, atWork)));
    throw error;
  } finally {
    // From now on the same command may go on with what this run has left.
    disown(world.owner);
  }
}

function lastWords({ ledger }: JobEnv, { key, jobId: known, several }: AtWork): string {
  if (several !== undefined) return `they go on without svc; come back: ${comeBack(several)}`;
  const job = key === undefined ? undefined : ledger.jobs().find(({ intent }) => intent === key);
  const jobId = known ?? job?.jobId;
  if (jobId !== undefined && job?.state === 'success') {
    return `${jobId} is made; fetch its results: svc jobs download ${shellWord(jobId)}`;
  }
  if (jobId !== undefined) return `${jobId} goes on without svc; come back: ${comeBack(jobId)}`;
  return job && isUnfinished(job)
    ? 'the job may have been accepted; find out, without making another: svc jobs list'
    : 'nothing was submitted';
}
