/** Follows jobs: shows their state to the user, and records it in the ledger. */
import { askJob, isUnknownJob, routeOf, type JobStatus } from '../api/media/follow.js';
import { poll } from '../api/poll.js';
import { ApiError, JobFailed, NetworkError, SvcError, TimeoutError } from '../errors.js';
import { releaseOwner } from '../files/owner.js';
import { formatElapsed } from '../lib/duration.js';
import { formatRub } from '../lib/amounts.js';
import { inParallel } from '../lib/parallel.js';
import { plainText } from '../lib/plain-text.js';
import { shellWord } from '../lib/names.js';
import { isEnded, isUnderWay, isUnfinished } from '../state/ledger.js';
import { jobOf, note, ownJobs, progressWriter, startLine, type Job, type JobEnv } from './job.js';

/** Follows a job to its end. Does not reject for its outcome: its `error` has that. */
export async function follow(
  env: JobEnv,
  job: Job,
  deadlineMs: number,
  spinner?: JobSpinner,
): Promise<Job> {
  const { intent, jobId } = job;
  let known = job;
  let written = '';
  let said = '';
  const onState = (status: JobStatus) => {
    known = { ...job, status };
    const word = `${status.state} ${status.code ?? ''}`;
    if (word !== written) writeStatus(env, intent, status, false);
    written = word;
    spinner?.state(status);
    const words = uncertaintyWords(status) ?? '';
    const isNews = spinner !== undefined && words !== '' && words !== said;
    if (isNews) progressWriter(env.context)(`${jobId}: ${words}`);
    said = words;
  };
  try {
    const { client } = env;
    const status = await poll({
      clock: client.clock,
      signal: client.signal,
      deadlineMs,
      ask: (limitMs) => askJob({ ...client, deadlineMs: limitMs }, jobId),
      isDone: ({ state }) => isEnded(state),
      onState,
      onTrouble: (error) => spinner?.trouble(error),
      pending: (last) => ({
        message: `${jobId} is still under way${last ? ` (${plainText(last.state, 40)})` : ''}`,
        hint: `it goes on by itself: \`${waitCommand(jobId)}\``,
      }),
    });
    writeStatus(env, intent, status, true);
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

/** What happens to a job that svc leaves, and the command that resumes it. */
export function resumeHint(jobId: string, isMade: boolean): [what: string, command: string] {
  if (isMade) return ['is made; fetch its results', `svc jobs download ${shellWord(jobId)}`];
  return [`${jobId === '--all' ? 'go' : 'goes'} on without svc; come back`, waitCommand(jobId)];
}

/**
 * The state of a job now, recorded if it changed. @throws ApiError for no such job.
 * @param keepsUnknown whether a 404 is written down too: the same command then pays for another.
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

/** Writes a status to the ledger. @param watched whether svc was waiting when it came. */
export function writeStatus(
  env: JobEnv,
  intent: string | undefined,
  {
    state,
    priceRub,
    resultUrls,
    expiresAtMs,
    code,
    message,
    guidance,
    reply,
  }: Partial<JobStatus> & Pick<JobStatus, 'state'>,
  watched: boolean,
): void {
  if (intent === undefined) return;
  const results = state === 'success' ? resultUrls?.length : undefined;
  const said = { priceRub, results, expiresAtMs, code, message, guidance, route: routeOf(reply) };
  note(env, { type: 'reported', intent, status: plainText(state, 40), ...said, watched });
}

/** @param intent where that is written down. */
function noSuchJob(env: JobEnv, jobId: string, intent: string | undefined, cause: ApiError) {
  writeStatus(env, intent, { state: 'unknown_job' }, false);
  const { code = 'job_not_found', requestIds } = cause;
  const hint = 'see which jobs there are: `svc jobs list --all`';
  const details = { status: 404, code, requestIds, hint, cause };
  return new ApiError(`this account has no job ${jobId}`, details);
}

export function jobFailure(jobId: string, status: JobStatus): JobFailed {
  if (status.state === 'not_started') {
    const message = `${jobId} was never started (sandbox); nothing was charged`;
    return new JobFailed(message, { code: 'submission_not_started' });
  }
  const { code = 'job_failed', guidance, message } = status;
  const hint = guidance ?? `see what is known of it: \`svc jobs show ${jobId}\``;
  return new JobFailed(`${jobId} failed${message ? `: ${message}` : ''}`, { code, hint });
}

export function uncertaintyWords({ isUncertain, stage, guidance }: JobStatus): string | undefined {
  if (!isUncertain) return undefined;
  if (stage !== undefined) {
    return `the submission is simulated as uncertain (sandbox stage ${plainText(stage, 40)})`;
  }
  const advice = guidance === undefined ? '' : ` (${guidance})`;
  return `the service does not know yet whether it has begun${advice}; svc goes on asking about this job and sends nothing again`;
}

type JobSpinner = Awaited<ReturnType<typeof startJobSpinner>>;

export async function startJobSpinner(
  env: JobEnv,
  { jobId, model, priceRub }: Job,
  sinceMs: number,
) {
  // The median of the last jobs of this model.
  const times = ownJobs(env)
    .filter((job) => job.model === model && job.state === 'success')
    .flatMap(({ tookMs }) => tookMs ?? [])
    .slice(-25)
    .sort((one, other) => one - other);
  const usualMs = times[Math.floor((times.length - 1) / 2)];
  let state = 'processing';
  let trouble = '';
  const words = () => {
    const elapsed = formatElapsed(env.context.clock.now() - sinceMs);
    const time =
      usualMs === undefined ? elapsed : `${elapsed} of usually ${formatElapsed(usualMs)}`;
    const price = priceRub === undefined ? '' : formatRub(priceRub);
    return [state, time, price, jobId, trouble].filter((part) => part !== '').join(' · ');
  };
  const line = await startLine(env.context, words);
  return {
    state: (status: JobStatus) => {
      state = plainText(status.state, 40);
      trouble = '';
      line?.update(words);
    },
    trouble: (error: Error) => {
      trouble = `no answer, asking again: ${plainText(error.message, 80)}`;
      line?.update(words);
    },
    stop: () => line?.stop(),
  };
}

const atOnce = 8;
const mostNames = 3;

/** Asks how each unfinished job stands. @returns why some could not be asked for, in lines */
export async function refresh(env: JobEnv, budget: TimeBudget): Promise<string[]> {
  const asked = ownJobs(env).filter(isUnderWay).map(jobOf);
  const whyNot = await inParallel(asked, atOnce, async (job) => {
    try {
      await budget((hurried) => askOnce(hurried, job));
      return undefined;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      return isUnknownJob(error) ? undefined : error.message;
    }
  });
  const reasons = new Set(whyNot.filter((why) => why !== undefined));
  return [...reasons].map((why) => {
    const ids = asked.filter((_, index) => whyNot[index] === why).map(({ jobId }) => jobId);
    const more = ids.length > mostNames ? ` and ${String(ids.length - mostNames)} more` : '';
    return `${ids.slice(0, mostNames).join(', ')}${more} could not be asked for: ${why}`;
  });
}

export type TimeBudget = <Result>(work: (env: JobEnv) => Promise<Result>) => Promise<Result>;

/** A slightly outdated list is better than none: no more requests after this long. */
const budgetMs = 10_000;
/** One request, with all its attempts. */
const questionMs = 3000;

/** For a list that has to come soon: polling ends when the service does not answer at all. */
export function timeBudget(env: JobEnv): TimeBudget {
  const { clock, flags, commandHint } = env.context;
  const endsAtMs = clock.now() + (flags.timeoutMs ?? budgetMs);
  const late = (cause?: SvcError) => {
    const wayOn = commandHint('`svc jobs wait --all` gives it longer');
    const message = `the service did not answer in time; ${wayOn}`;
    return new TimeoutError(message, { code: 'deadline', cause });
  };
  let hasAnswered = false;
  let silence: SvcError | undefined;
  return async (work) => {
    if (silence) throw silence;
    const leftMs = endsAtMs - clock.now();
    if (leftMs <= 0) throw late();
    const deadlineMs = flags.timeoutMs === undefined ? questionMs : leftMs;
    try {
      const result = await work({ ...env, client: { ...env.client, deadlineMs } });
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

/** Does the work; when it is interrupted, says on stderr what continues without it. */
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
    // From now on the same command may resume what this run has left.
    releaseOwner(env.owner);
  }
}

function lastWords({ ledger, atWork }: JobEnv): string {
  const job = ledger.jobs().find(({ intent }) => intent === atWork.key);
  const jobId = atWork.jobId ?? job?.jobId;
  if (jobId !== undefined) {
    const [what, command] = resumeHint(jobId, job?.state === 'success');
    return `${jobId === '--all' ? 'they' : jobId} ${what}: ${command}`;
  }
  if (!job || !isUnfinished(job)) return 'nothing was submitted';
  return 'the job may have been accepted; find out, without making another: svc jobs list';
}
