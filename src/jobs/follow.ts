/** Follows jobs: shows their state to the user, and records it in the ledger. */
import { withLimit } from '../api/client.js';
import { askJob, isUnknownJob, routeOf, type JobStatus } from '../api/media/follow.js';
import { jobState } from '../api/media/state.js';
import { poll } from '../api/poll.js';
import { ApiError, JobFailed, NetworkError, SvcError, TimeoutError } from '../errors.js';
import { releaseOwner } from '../files/owner.js';
import { withShortSleep } from '../lib/clock.js';
import { formatElapsed } from '../lib/duration.js';
import { formatRub } from '../lib/amounts.js';
import { inParallel } from '../lib/parallel.js';
import { plainText } from '../lib/plain-text.js';
import { shellWord } from '../lib/names.js';
import { isEnded, isUnderWay, isUnfinished } from '../state/ledger-job.js';
import { jobOf, listHint, note, progressWriter, startLine, type Job, type JobEnv } from './job.js';

/** Follows a job to its end. Its outcome is not thrown: it is in `error`. */
export async function follow(
  env: JobEnv,
  job: Job,
  deadlineMs: number,
  spinner?: Awaited<ReturnType<typeof startJobSpinner>>,
): Promise<Job> {
  const { intent, jobId } = job;
  let known = job;
  let written = '';
  const onState = (status: JobStatus) => {
    known = { ...job, status };
    spinner?.state(status);
    const words = uncertaintyWords(status);
    const news = `${status.state} ${status.code ?? ''} ${words ?? ''}`;
    if (news === written) return;
    written = news;
    writeStatus(env, intent, status, false);
    if (spinner && words) progressWriter(env.context)(`${jobId}: ${words}`);
  };
  try {
    const { client } = env;
    const status = await poll({
      clock: client.tape === 'played' ? withShortSleep(client.clock) : client.clock,
      signal: client.signal,
      deadlineMs,
      ask: (limitMs) => askJob(withLimit(client, limitMs), jobId),
      isDone: ({ state }) => isEnded(state),
      onState,
      onTrouble: (error) => spinner?.trouble(error),
      pending: (last) => ({
        message: `${jobId} is still in progress${last ? ` (${jobState(last.state)})` : ''}`,
        hint: `it continues without svc; wait for it: \`${waitCommand(jobId)}\``,
      }),
    });
    writeStatus(env, intent, status, written !== '');
    known = { ...job, status };
    if (status.state !== 'success') throw jobFailure(jobId, status);
    return known;
  } catch (caught) {
    const error = isUnknownJob(caught) ? noSuchJob(env, jobId, intent, caught) : caught;
    if (!(error instanceof SvcError) || env.context.signal.aborted) throw error;
    return { ...known, error };
  }
}

export function waitCommand(jobId: string): string {
  return `svc jobs wait ${shellWord(jobId)}`;
}

/** What becomes of a job that svc leaves, and the command that returns to it. */
export function resumeHint(jobId: string, isMade: boolean): [what: string, command: string] {
  if (isMade) return ['is finished; to download it', `svc jobs download ${shellWord(jobId)}`];
  const continues = jobId === '--all' ? 'continue' : 'continues';
  return [`${continues} without svc; to wait`, waitCommand(jobId)];
}

/**
 * The state of a job now, recorded if it changed. @throws ApiError when there is no such job.
 * @param keepsUnknown whether a 404 is recorded too: the same command then pays for another job.
 */
export async function askOnce(
  env: JobEnv,
  { jobId, ledger }: Job,
  keepsUnknown = true,
): Promise<JobStatus> {
  try {
    const status = await askJob(env.client, jobId);
    const isNews =
      ledger &&
      (status.state !== ledger.state || (isUnderWay(ledger) && status.code !== ledger.code));
    if (isNews) writeStatus(env, ledger.intent, status, false);
    return status;
  } catch (error) {
    if (!isUnknownJob(error)) throw error;
    const known = keepsUnknown && ledger?.jobId !== undefined ? ledger.intent : undefined;
    throw noSuchJob(env, jobId, known, error);
  }
}

/** Writes a status to the ledger. @param sawEnd whether svc saw the job run before it ended. */
export function writeStatus(
  env: JobEnv,
  intent: string | undefined,
  { state, resultUrls, reply, ...rest }: Partial<JobStatus> & Pick<JobStatus, 'state'>,
  sawEnd: boolean,
): void {
  if (intent === undefined) return;
  const { priceRub, expiresAtMs, code, message, guidance } = rest;
  const results = state === 'success' ? resultUrls?.length : undefined;
  const facts = { priceRub, results, expiresAtMs, code, message, guidance, route: routeOf(reply) };
  note(env, { type: 'reported', intent, status: plainText(state, 40), ...facts, sawEnd });
}

/** @param intent the run to record it for. */
function noSuchJob(env: JobEnv, jobId: string, intent: string | undefined, cause: ApiError) {
  writeStatus(env, intent, { state: 'unknown_job' }, false);
  return new ApiError(`this account has no job ${jobId}`, {
    status: 404,
    code: 'job_not_found',
    serviceCode: cause.serviceCode,
    requestIds: cause.requestIds,
    hint: listHint,
    cause,
  });
}

export function jobFailure(jobId: string, status: JobStatus): JobFailed {
  if (status.state === 'not_started') {
    const message = `${jobId} was never started (sandbox); nothing was charged`;
    return new JobFailed(message, { code: 'submission_not_started' });
  }
  const { code: serviceCode, guidance, message, priceRub } = status;
  const isFree = status.charged === false || priceRub === 0;
  const cost = isFree ? '; nothing was charged' : '';
  const price = isFree ? '' : ', and whether it was charged: `svc usage list`';
  const hint = guidance ?? `see its details: \`svc jobs show ${shellWord(jobId)}\`${price}`;
  const words = `${jobId} failed${message ? `: ${message}` : ''}${cost}`;
  return new JobFailed(words, { code: 'job_failed', serviceCode, hint });
}

export function uncertaintyWords({ isUncertain, stage, guidance }: JobStatus): string | undefined {
  if (!isUncertain) return undefined;
  if (stage !== undefined) {
    return `the submission is simulated as uncertain (sandbox stage ${plainText(stage, 40)})`;
  }
  const advice = guidance === undefined ? '' : ` (${guidance})`;
  return `the service does not know yet whether the job has started${advice}; svc keeps asking about this job and sends nothing again`;
}

export async function startJobSpinner(
  env: JobEnv,
  { jobId, model, priceRub }: Job,
  sinceMs: number,
) {
  const { out, clock } = env.context;
  // The median of the last jobs of this model, where there are enough of them.
  const times = env.ledger.timesOf(model ?? '', env.account, 25);
  times.sort((one, other) => one - other);
  const usualMs = times[Math.floor((times.length - 1) / 2)] ?? 0;
  const isKnown = times.length >= 3 && usualMs >= 1000;
  const usually = isKnown ? ` (usually ${formatElapsed(usualMs)})` : '';
  let state = jobState('processing');
  let trouble = '';
  const words = () => {
    const time = `${formatElapsed(clock.now() - sinceMs)}${usually}`;
    const price = priceRub === undefined ? '' : formatRub(priceRub, out.language);
    const line = [state, time, price, trouble].filter((part) => part !== '').join(' · ');
    // The spinner itself takes two columns; a line that fits is easier to read than an id.
    return line.length + jobId.length + 5 < out.columns ? `${line} · ${jobId}` : line;
  };
  const line = await startLine(env.context, words);
  return {
    state: (status: JobStatus) => {
      state = jobState(status.state);
      trouble = '';
      line?.update(words);
    },
    trouble: (error: Error) => {
      trouble = `no answer, trying again: ${plainText(error.message, 80)}`;
      line?.update(words);
    },
    stop: () => line?.stop(),
  };
}

const atOnce = 8;
const maxNames = 3;

/** Updates each unfinished job. @returns why some could not be checked, as lines */
export async function refresh(env: JobEnv, budget: TimeBudget): Promise<string[]> {
  const jobs = env.ledger.jobsInProgress(env.account).filter(isUnderWay).map(jobOf);
  const failures = await inParallel(jobs, atOnce, async (job) => {
    try {
      await budget((hurried) => askOnce(hurried, job));
      return undefined;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      return isUnknownJob(error) ? undefined : error.message;
    }
  });
  const reasons = new Set(failures.filter((why) => why !== undefined));
  return [...reasons].map((why) => {
    const ids = jobs.filter((_, index) => failures[index] === why).map(({ jobId }) => jobId);
    const more = ids.length > maxNames ? ` and ${String(ids.length - maxNames)} more` : '';
    return `could not check ${ids.slice(0, maxNames).join(', ')}${more}: ${why}`;
  });
}

export type TimeBudget = <Result>(work: (env: JobEnv) => Promise<Result>) => Promise<Result>;

/** A slightly outdated list is better than none: no request starts later than this. */
const budgetMs = 10_000;
/** One request, with all its attempts. */
const questionMs = 3000;

/** For a list that must appear soon: gives up on a service that does not answer at all. */
export function timeBudget(env: JobEnv): TimeBudget {
  const { clock, flags, commandHint } = env.context;
  const endsAtMs = clock.now() + (flags.timeoutMs ?? budgetMs);
  const late = (cause?: SvcError) => {
    const longer = commandHint('`svc jobs wait --all` waits longer');
    const message = `the service did not answer in time; ${longer}`;
    return new TimeoutError(message, { code: 'deadline', cause });
  };
  let hasAnswered = false;
  let silence: SvcError | undefined;
  return async (work) => {
    if (silence) throw silence;
    const leftMs = endsAtMs - clock.now();
    if (leftMs <= 0) throw late();
    const limitMs = flags.timeoutMs === undefined ? questionMs : leftMs;
    try {
      const result = await work({ ...env, client: withLimit(env.client, limitMs) });
      hasAnswered = true;
      silence = undefined;
      return result;
    } catch (caught) {
      const isLate = caught instanceof SvcError && caught.code === 'deadline';
      const error = isLate ? late(caught) : caught;
      hasAnswered ||= error instanceof ApiError;
      const isSilence = error instanceof NetworkError || error instanceof TimeoutError;
      if (isSilence && !hasAnswered) silence = error;
      throw error;
    }
  };
}

/** Does the work; if it is interrupted, says on stderr what continues without it. */
export async function onInterrupt<Result>(
  env: JobEnv,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { out, signal, commandHint } = env.context;
    if (signal.aborted) out.error(commandHint(lastWords(env)));
    throw error;
  } finally {
    // From now on the same command may resume this run.
    releaseOwner(env.owner);
  }
}

function lastWords({ ledger, atWork }: JobEnv): string {
  const job = ledger.job(atWork.key);
  const jobId = atWork.jobId ?? job?.jobId;
  if (jobId !== undefined) {
    const [what, command] = resumeHint(jobId, job?.state === 'success');
    return `${jobId === '--all' ? 'they' : jobId} ${what}: ${command}`;
  }
  if (!job || !isUnfinished(job)) return 'nothing was submitted';
  return 'the job may have been accepted: the same command again, without --new, resumes it and does not pay twice; to look first: svc jobs list';
}
