import { rubCell, stateCell } from '../cells.js';
import type { Context, Handler } from '../../context.js';
import { refresh, timeBudget } from '../../jobs/follow.js';
import { openJobs, resultMaxAgeMs, type JobEnv } from '../../jobs/job.js';
import { reconcile, type Unreconciled } from '../../jobs/submit.js';
import { formatAge } from '../../lib/duration.js';
import { toJson } from '../../lib/json.js';
import { isSameAccount } from '../../state/account.js';
import { isUnfinished, isUnsaved, type LedgerJob } from '../../state/ledger-job.js';
import { titles } from '../../terminal/types.js';
import type { list } from './index.js';

export const run: Handler<typeof list> = async (context, { options }) => {
  const { out, flags } = context;
  const env = await openJobs(context);
  await bringUpToDate(env);
  const damaged = env.ledger.unreadable();
  if (damaged > 0) {
    const lines = damaged === 1 ? 'line' : 'lines';
    out.warn(`ignoring ${damaged} unreadable ${lines} of the job ledger ${env.ledger.path}`);
  }
  const nowMs = context.clock.now();
  // Jobs in progress, and those that ended so recently that their results still exist.
  const { account } = env;
  const recent = { account, endedAfterMs: nowMs - resultMaxAgeMs };
  const pages = env.ledger.pages(options.all ? undefined : recent);
  if (flags.json) return writeJson(context, pages);
  const columns = [
    // So much of an id is enough to name its job.
    { title: 'JOB', min: 13 },
    { title: 'MODEL', min: 12, drop: 2 },
    'STATE',
    '>PRICE',
    { title: '>AGE', drop: 4 },
    { title: 'FILES', drop: 3 },
    { title: 'EXPIRES', drop: 5 },
    ...(options.all ? [{ title: 'PROFILE', drop: 6 }] : []),
    ...(out.isTerminal ? [{ title: 'PROMPT', min: 14, drop: 1 }] : []),
  ];
  const draw = await out.growingTable(titles(...columns));
  const isReady = (job: LedgerJob) =>
    isSameAccount(job.account, account) && isUnsaved(job) && !isExpired(job, nowMs);
  let [shown, ready] = [0, 0];
  for (const jobs of pages) {
    const rows = jobs.map((job) => [
      ...rowOf(context, job, nowMs),
      ...(options.all ? [job.account.profile] : []),
      ...(out.isTerminal ? [job.prompt ?? ''] : []),
    ]);
    await draw(rows);
    shown += jobs.length;
    ready += jobs.filter(isReady).length;
  }
  if (!out.isTerminal && !out.isForAgent) return;
  const count = ready === 1 ? '1 job' : `${ready} jobs`;
  if (ready > 0) out.note(context.commandHint(`${count} to download: svc jobs download --all`));
  const left = env.ledger.count() - shown;
  if (left > 0) out.note(context.commandHint(`${left} more, old or refused: svc jobs list --all`));
  else if (shown === 0) out.note(context.commandHint('no jobs; `svc generate` creates one'));
};

/** As one array, page by page. */
async function writeJson({ out }: Context, pages: Iterable<LedgerJob[]>): Promise<void> {
  let start = '[';
  for (const jobs of pages) {
    if (jobs.length === 0) continue;
    const entries = toJson(jobs.map(entryJson), 2);
    await out.jsonText(start + entries.slice('['.length, -'\n]'.length));
    start = ',';
  }
  await out.jsonText(start === '[' ? '[]\n' : '\n]\n');
}

const isExpired = ({ expiresAtMs = Infinity }: LedgerJob, nowMs: number) => expiresAtMs <= nowMs;

/** Reconciles interrupted runs and polls unfinished jobs; warns about those that failed. */
async function bringUpToDate(env: JobEnv): Promise<void> {
  const { out, clock } = env.context;
  const budget = timeBudget(env);
  const lost = await reconcile(env, undefined, budget);
  const lines = lost.flatMap((one) => lostWords(env, one));
  for (const line of new Set(lines)) {
    const times = lines.filter((other) => other === line).length;
    out.warn(times === 1 ? line : `${line} (${String(times)} times)`);
  }
  for (const trouble of await refresh(env, budget)) out.warn(trouble);
  // Removes bodies that no job needs any more.
  const unfinished = env.ledger.allJobsInProgress().filter(isUnfinished);
  const needed = unfinished.flatMap(({ keptBody }) => keptBody ?? []);
  env.ledger.bodies.sweep(needed, clock.now());
}

function lostWords({ ledger, context }: JobEnv, { job, error }: Unreconciled): string[] {
  const { jobId, state } = ledger.job(job.intent) ?? job;
  if (jobId !== undefined) return [];
  if (error.code === 'too_old')
    return [context.commandHint(`${error.message}; ${error.hint ?? ''}`)];
  const isRefused = state === 'refused';
  const open = 'may have been accepted; svc keeps checking';
  const what = isRefused ? 'was not accepted; nothing was charged' : open;
  return [`a job for ${job.model} ${what}: ${error.message}`];
}

function rowOf(context: Context, job: LedgerJob, nowMs: number): string[] {
  const { state, saved, results, expiresAtMs } = job;
  const priceRub = job.priceRub ?? (state === 'refused' ? 0 : job.quotedRub);
  const count = Math.max(results ?? 0, saved.length);
  const hasFiles = saved.length > 0 || results !== undefined;
  const leftMs = (expiresAtMs ?? nowMs) - nowMs;
  const expiry = isExpired(job, nowMs) ? 'expired' : `in ${formatAge(leftMs)}`;
  return [
    job.jobId ?? '-',
    job.model,
    stateCell(context, state),
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
    prompt: job.prompt,
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
