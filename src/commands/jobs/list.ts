import type { Handler } from '../../cli/declaration.js';
import { media } from '../../contract/limits.js';
import { refresh, timeBudget } from '../../jobs/follow.js';
import { openJobs, ownJobs, type JobEnv } from '../../jobs/job.js';
import { reconcile, tooOld, type Unreconciled } from '../../jobs/submit.js';
import { formatAge } from '../../lib/duration.js';
import { formatRub } from '../../lib/amounts.js';
import { isSameAccount } from '../../state/account.js';
import { isEnded, isUnfinished, type LedgerJob } from '../../state/ledger-fold.js';
import { titles } from '../../terminal/types.js';
import type { list } from './index.js';

/** Shows the ledger, after it has been brought up to date. */
export const run: Handler<typeof list> = async (context, { options }) => {
  const { out, flags } = context;
  const world = await openJobs(context);
  await bringUpToDate(world);
  const damaged = world.ledger.unreadable();
  if (damaged > 0) out.warn(damageWords(world.ledger.path, damaged));
  const nowMs = context.clock.now();
  const jobs = world.ledger
    .jobs()
    .filter((job) => options.all === true || isOfInterest(world, job, nowMs))
    .reverse();
  if (flags.json) return out.json(jobs.map(entryJson));
  const columns = titles(
    'JOB',
    'MODEL',
    'STATE',
    '>PRICE',
    '>AGE',
    'FILES',
    'EXPIRES',
    ...(options.all ? ['PROFILE'] : []),
  );
  const rows = jobs.map((job) => {
    const row = rowOf(job, nowMs);
    return options.all ? [...row, job.account.profile] : row;
  });
  await out.table(columns, rows);
  if (jobs.length === 0 && out.isTerminal)
    out.note(context.commandHint('no jobs; `svc generate` makes one'));
};

/** Finds out what was cut off and asks for what is unfinished; warns of what could not be. */
async function bringUpToDate(world: JobEnv): Promise<void> {
  const { out, clock } = world.context;
  const budget = timeBudget(world);
  const lost = await reconcile(world, ownJobs(world), budget);
  for (const words of grouped(lost.flatMap((one) => lostWords(world, one)))) out.warn(words);
  for (const trouble of await refresh(world, budget)) out.warn(trouble);
  // Bodies that no job will ever need again go.
  const { bodies } = world.ledger;
  const wanted = world.ledger
    .jobs()
    .flatMap((job) => (isUnfinished(job) ? (job.keptBody ?? []) : []));
  bodies.sweep(wanted, clock.now());
}

function lostWords({ ledger, context }: JobEnv, { job, error }: Unreconciled): string[] {
  const { jobId, state } = ledger.jobs().find(({ intent }) => intent === job.intent) ?? job;
  if (jobId !== undefined) return [];
  if (error.code === tooOld) return [context.commandHint(`${error.message}; ${error.hint ?? ''}`)];
  const what =
    state === 'refused'
      ? 'was never accepted, and cost nothing'
      : 'may have been accepted; svc goes on finding out';
  return [`a job for ${job.model} ${what}: ${error.message}`];
}

/** The same once, with how often. */
function grouped(lines: readonly string[]): string[] {
  return [...new Set(lines)].map((line) => {
    const times = lines.filter((other) => other === line).length;
    return times === 1 ? line : `${line} (${String(times)} times)`;
  });
}

function damageWords(path: string, lines: number): string {
  const [what, left] =
    lines === 1 ? ['line', 'it is left as it is'] : ['lines', 'they are left as they are'];
  return `${String(lines)} ${what} of the job ledger ${path} cannot be read; ${left}`;
}

const keptMs = media.resultRetentionDays * 24 * 60 * 60 * 1000;

/** What is under way, and what has ended so lately that its results are still there. */
function isOfInterest({ account }: JobEnv, job: LedgerJob, nowMs: number): boolean {
  if (!isSameAccount(job.account, account)) return false;
  if (job.jobId === undefined) return isUnfinished(job);
  return !isEnded(job.state) || nowMs - (job.finishedAtMs ?? job.changedAtMs) < keptMs;
}

function rowOf(job: LedgerJob, nowMs: number): string[] {
  const priceRub = job.priceRub ?? (job.state === 'refused' ? 0 : job.quotedRub);
  return [
    job.jobId ?? '-',
    job.model,
    job.state,
    priceRub === undefined ? '-' : formatRub(priceRub),
    formatAge(nowMs - job.wantedAtMs),
    job.saved.length === 0 && job.results === undefined
      ? '-'
      : `${String(job.saved.length)} of ${String(Math.max(job.results ?? 0, job.saved.length))}`,
    expiryWords(job, nowMs),
  ];
}

function expiryWords({ expiresAtMs }: LedgerJob, nowMs: number): string {
  if (expiresAtMs === undefined) return '-';
  return expiresAtMs <= nowMs ? 'expired' : `in ${formatAge(expiresAtMs - nowMs)}`;
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
    createdAt: new Date(job.wantedAtMs).toISOString(),
    finishedAt: job.finishedAtMs === undefined ? undefined : isoTime(job.finishedAtMs),
    results: job.results,
    resultsExpireAt: job.expiresAtMs === undefined ? undefined : isoTime(job.expiresAtMs),
    files: job.saved.map(({ index, path, bytes }) => ({ index, path, bytes })),
    errorCode: job.code,
    message: job.message,
    retryGuidance: job.guidance,
    profile: job.account.profile,
    service: job.account.service,
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
