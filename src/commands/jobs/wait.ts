import { rubCell } from '../cells.js';
import { resultLinks } from '../../api/media/follow.js';
import type { Handler } from '../../cli/declaration.js';
import { Pending, SvcError } from '../../errors.js';
import { collect, destinationOf } from '../../jobs/collect.js';
import { failureOf, outcomesJson, paidFor } from '../../jobs/finish.js';
import { follow, onInterrupt, startJobSpinner } from '../../jobs/follow.js';
import {
  idsOrAll,
  jobOf,
  namedJobs,
  openJobs,
  ownJobs,
  progressWriter,
  type Job,
  type JobEnv,
} from '../../jobs/job.js';
import { defaultWaitMs } from '../../jobs/options.js';
import { reconcile, reconciledJob } from '../../jobs/submit.js';
import { formatBytes } from '../../lib/amounts.js';
import { isUnderWay, isUnfinished } from '../../state/ledger.js';
import { titles } from '../../terminal/types.js';
import type { wait } from './index.js';

export const run: Handler<typeof wait> = async (context, { args, options }) => {
  const ids = idsOrAll(args.id, options.all, 'wait');
  const env = await openJobs(context);
  // Jobs in progress, and those that were interrupted before their id was known.
  const open = ownJobs(env).filter(
    (job) => isUnderWay(job) || (isUnfinished(job) && job.kind !== 'extend'),
  );
  const jobs = ids ? namedJobs(env, ids) : open.map(jobOf);
  const { out, flags } = context;
  const say = progressWriter(context);
  const awaited: Job[] = [];
  await onInterrupt(env, async () => {
    for (const job of jobs.length === 0 ? [] : await waitForAll(env, jobs)) {
      awaited.push(options.download ? await downloaded(env, job) : job);
    }
  });
  const rows = awaited.map(({ jobId, status, error, priceRub: known }) => {
    const { priceRub = known } = status ?? {};
    const state = error instanceof Pending ? 'pending' : (status?.state ?? 'unknown');
    return [jobId, state, priceRub === undefined ? '-' : rubCell(context, priceRub)];
  });
  if (flags.json) await out.json(outcomesJson(awaited));
  else if (jobs.length > 0) await out.table(titles('JOB', 'STATE', '>PRICE'), rows);
  for (const { path, bytes, wasThere } of awaited.flatMap(({ files }) => files ?? [])) {
    const size = formatBytes(bytes);
    if (path !== undefined)
      say(wasThere ? `${path} already exists (${size})` : `saved ${path} (${size})`);
  }
  const failure = failureOf(awaited, {
    what: 'did not succeed',
    hint: 'see the details of each: `svc jobs show ID`',
    pending: 'they continue without svc: `svc jobs wait --all`',
  });
  if (failure) throw failure;
  const left = awaited.filter(({ files }) => !files);
  const [first, ...others] = left;
  if (jobs.length === 0) say('no job is in progress');
  else if (first && out.isErrorTerminal) {
    const which = others.length === 0 ? first.jobId : '--all';
    say(context.commandHint(`to download the results: svc jobs download ${which}`));
  }
};

async function waitForAll(env: JobEnv, jobs: readonly Job[]): Promise<Job[]> {
  const { clock, flags } = env.context;
  const startedAtMs = clock.now();
  const endsAtMs = startedAtMs + (flags.timeoutMs ?? defaultWaitMs);
  const only = jobs.length === 1 ? jobs[0] : undefined;
  env.atWork.jobId = only?.jobId ?? '--all';
  const shown = only ?? { jobId: `${String(jobs.length)} jobs` };
  const spinner = await startJobSpinner(env, shown, only?.ledger?.wantedAtMs ?? startedAtMs);
  const known = jobs.flatMap(({ ledger }) => ledger ?? []);
  const waitForOne = async (named: Job, failed: Parameters<typeof reconciledJob>[2]) => {
    const job = reconciledJob(env, { ...named, state: named.ledger?.state }, failed);
    return job.error ? job : follow(env, job, endsAtMs - clock.now(), spinner);
  };
  return reconcile(env, known)
    .then((failed) => Promise.all(jobs.map((job) => waitForOne(job, failed))))
    .finally(spinner.stop);
}

/** Downloads the results to where the command that made the job wanted them, if it did. */
async function downloaded(env: JobEnv, job: Job): Promise<Job> {
  const { status, ledger, jobId } = job;
  if (ledger?.output === undefined || status?.state !== 'success') return job;
  try {
    const destination = await destinationOf(env, job);
    const links = resultLinks(env.client, status.resultUrls);
    return { ...job, files: await collect(env, job, links, destination) };
  } catch (caught) {
    const error = paidFor(env, jobId, caught, true);
    if (!(error instanceof SvcError) || env.context.signal.aborted) throw error;
    return { ...job, error };
  }
}
