import { rubCell } from '../cells.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { media } from '../../contract/limits.js';
import { refresh, timeBudget } from '../../jobs/follow.js';
import { openJobs, ownJobs, type JobEnv } from '../../jobs/job.js';
import { reconcile, type Unreconciled } from '../../jobs/submit.js';
import { formatAge } from '../../lib/duration.js';
import { isSameAccount } from '../../state/account.js';
import { isEnded, isUnfinished, type LedgerJob } from '../../state/ledger.js';
import { titles } from '../../terminal/types.js';
import type { list } from './index.js';

export const run: Handler<typeof list> = async (context, { options }) => {
  const { out, flags } = context;
  const env = await openJobs(context);
  await bringUpToDate(env);
  const damaged = env.ledger.unreadable();
  if (damaged > 0) {
    const [what, left] =
      damaged === 1 ? ['line', 'it is left as it is'] : ['lines', 'they are left as they are'];
    out.warn(`${damaged} ${what} of the job ledger ${env.ledger.path} cannot be read; ${left}`);
  }
  const nowMs = context.clock.now();
  const jobs = env.ledger
    .jobs()
    .filter((job) => options.all === true || isOfInterest(env, job, nowMs))
    .reverse();
  if (flags.json) return out.json(jobs.map(entryJson));
  const columns = ['JOB', 'MODEL', 'STATE', '>PRICE', '>AGE', 'FILES', 'EXPIRES'];
  await out.table(
    titles(...columns, ...(options.all ? ['PROFILE'] : [])),
    jobs.map((job) => [
      ...rowOf(context, job, nowMs),
      ...(options.all ? [job.account.profile] : []),
    ]),
  );
  if (jobs.length === 0 && out.isTerminal)
    out.note(context.commandHint('no jobs; `svc generate` makes one'));
};

/** Reconciles interrupted runs and polls unfinished jobs; warns about those that failed. */
async function bringUpToDate(env: JobEnv): Promise<void> {
  const { out, clock } = env.context;
  const budget = timeBudget(env);
  const lost = await reconcile(env, ownJobs(env), budget);
  const lines = lost.flatMap((one) => lostWords(env, one));
  for (const line of new Set(lines)) {
    const times = lines.filter((other) => other === line).length;
    out.warn(times === 1 ? line : `${line} (${String(times)} times)`);
  }
  for (const trouble of await refresh(env, budget)) out.warn(trouble);
  // Bodies that no job will ever need again go.
  const unfinished = env.ledger.jobs().filter(isUnfinished);
  const wanted = unfinished.flatMap(({ keptBody }) => keptBody ?? []);
  env.ledger.bodies.sweep(wanted, clock.now());
}

function lostWords({ ledger, context }: JobEnv, { job, error }: Unreconciled): string[] {
  const { jobId, state } = ledger.jobs().find(({ intent }) => intent === job.intent) ?? job;
  if (jobId !== undefined) return [];
  if (error.code === 'too_old')
    return [context.commandHint(`${error.message}; ${error.hint ?? ''}`)];
  const isRefused = state === 'refused';
  const open = 'may have been accepted; svc goes on finding out';
  const what = isRefused ? 'was never accepted, and cost nothing' : open;
  return [`a job for ${job.model} ${what}: ${error.message}`];
}

const keptMs = media.resultRetentionDays * 24 * 60 * 60 * 1000;

/** What is under way, and what has ended so lately that its results are still there. */
function isOfInterest({ account }: JobEnv, job: LedgerJob, nowMs: number): boolean {
  if (!isSameAccount(job.account, account)) return false;
  if (job.jobId === undefined) return isUnfinished(job);
  return !isEnded(job.state) || nowMs - (job.finishedAtMs ?? job.changedAtMs) < keptMs;
}

function rowOf(context: Context, job: LedgerJob, nowMs: number): string[] {
  const { state, saved, results, expiresAtMs } = job;
  const priceRub = job.priceRub ?? (state === 'refused' ? 0 : job.quotedRub);
  const count = Math.max(results ?? 0, saved.length);
  const hasFiles = saved.length > 0 || results !== undefined;
  const isExpired = expiresAtMs !== undefined && expiresAtMs <= nowMs;
  const expiry = isExpired ? 'expired' : `in ${formatAge((expiresAtMs ?? nowMs) - nowMs)}`;
  return [
    job.jobId ?? '-',
    job.model,
    state,
    priceRub === undefined ? '-' : rubCell(context, priceRub),
    formatAge(nowMs - job.wantedAtMs),
    hasFiles ? `${String(saved.length)} of ${String(count)}` : '-',
    expiresAtMs === undefined ? '-' : expiry,
  ];
}

/** The object of --json. Fields are added, never changed. */
function entryJson(job: LedgerJob): Record<string, unknown> {
  return {
    job: job.jobId ?? null,
    key: job.intent,
    kind: job.kind,
    model: job.model,
    ...job.route,
    status: job.state,
    priceRub: job.priceRub,
    quotedRub: job.quotedRub,
    createdAt: isoTime(job.wantedAtMs),
    finishedAt: isoTime(job.finishedAtMs),
    results: job.results,
    resultsExpireAt: isoTime(job.expiresAtMs),
    files: job.saved.map(({ index, path, bytes }) => ({ index, path, bytes })),
    errorCode: job.code,
    message: job.message,
    retryGuidance: job.guidance,
    profile: job.account.profile,
    service: job.account.service,
  };
}

function isoTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
