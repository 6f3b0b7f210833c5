import { jobState } from '../../api/media/state.js';
import type { Context, Handler } from '../../context.js';
import { refresh, timeBudget } from '../../jobs/follow.js';
import { openJobs, resultMaxAgeMs, type JobEnv } from '../../jobs/job.js';
import { reconcile, type Unreconciled } from '../../jobs/submit.js';
import { isSameAccount } from '../../state/account.js';
import { isUnfinished, isUnsaved, type LedgerJob } from '../../state/ledger-job.js';
import { distanceCell, rubCell } from '../cells.js';
import { listView, writeList, type ListColumn } from '../listing.js';
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
  const isReady = (job: LedgerJob) =>
    isSameAccount(job.account, account) && isUnsaved(job) && !isExpired(job, nowMs);
  const { limit = Infinity } = options;
  let [shown, ready] = [0, 0];
  const counted = function* () {
    for (const page of env.ledger.pages(options.all ? undefined : recent)) {
      const jobs = page.slice(0, limit - shown);
      yield jobs;
      shown += jobs.length;
      ready += jobs.filter(isReady).length;
      if (shown === limit) return;
    }
  };
  const view = viewOf(context, nowMs, options.all);
  await writeList(context, view, { pages: counted(), entry: entryJson });
  if (flags.json || (!out.isTerminal && !out.isForAgent)) return;
  const count = ready === 1 ? '1 job' : `${ready} jobs`;
  if (ready > 0) out.note(context.commandHint(`${count} to download: svc jobs download --all`));
  const left = env.ledger.count() - shown;
  if (shown === limit) return;
  if (left > 0) out.note(context.commandHint(`${left} more, old or refused: svc jobs list --all`));
  else if (shown === 0) out.note(context.commandHint('no jobs; `svc generate` creates one'));
};

const isExpired = ({ expiresAtMs = Infinity }: LedgerJob, nowMs: number) => expiresAtMs <= nowMs;

/** Reconciles interrupted runs and polls unfinished jobs; warns about those that failed. */
async function bringUpToDate(env: JobEnv): Promise<void> {
  const { out, clock } = env.context;
  const budget = timeBudget(env);
  const lines = (await reconcile(env, undefined, budget)).flatMap((one) => lostWords(env, one));
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

function viewOf(context: Context, nowMs: number, showsProfile = false) {
  const price = ({ state, priceRub, quotedRub }: LedgerJob) => {
    const rub = priceRub ?? (state === 'refused' ? 0 : quotedRub);
    return rub === undefined ? '-' : rubCell(context, rub);
  };
  const files = ({ saved, results }: LedgerJob) => {
    if (saved.length === 0 && results === undefined) return '-';
    return `${saved.length}/${Math.max(results ?? 0, saved.length)}`;
  };
  const expiry = (job: LedgerJob) => {
    if (context.out.isTerminal && isExpired(job, nowMs)) return 'expired';
    return distanceCell(context, job.expiresAtMs) || '-';
  };
  return listView<LedgerJob>([
    [{ title: 'JOB', isId: true }, ({ jobId }) => jobId ?? '-'],
    [{ title: 'MODEL', min: 12, drop: 3 }, ({ model }) => model],
    [{ title: 'STATE', drop: 1 }, ({ state }) => jobState(state)],
    [{ title: '>PRICE', drop: 2 }, price],
    [{ title: 'CREATED', drop: 5 }, ({ wantedAtMs }) => distanceCell(context, wantedAtMs)],
    [{ title: 'FILES', drop: 4 }, files],
    [{ title: 'EXPIRES', drop: 6 }, expiry],
    ...(showsProfile ? [profileColumn] : []),
    [{ title: 'PROMPT', min: 20 }, ({ prompt }) => prompt],
  ]);
}

const profileColumn: ListColumn<LedgerJob> = [
  { title: 'PROFILE', drop: 7 },
  ({ account }) => account.profile,
];

/** The object of --json. Fields are added, never changed. */
function entryJson(job: LedgerJob): Record<string, unknown> {
  return {
    id: job.jobId ?? null,
    key: job.intent,
    kind: job.kind,
    model: job.model,
    prompt: job.prompt,
    ...job.route,
    state: jobState(job.state),
    status: job.state,
    cost: { priceRub: job.priceRub, quotedRub: job.quotedRub },
    createdAt: isoTime(job.wantedAtMs),
    finishedAt: isoTime(job.finishedAtMs),
    results: job.results,
    resultsExpireAt: isoTime(job.expiresAtMs),
    files: job.saved.map(({ index, path, bytes }) => ({ index, path, bytes })),
    errorCode: job.code,
    failMsg: job.message,
    retryGuidance: job.guidance,
    profile: job.account.profile,
    service: job.account.service,
  };
}

function isoTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
