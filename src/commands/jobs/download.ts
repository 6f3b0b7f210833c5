import { resultLinks, type JobStatus } from '../../api/media/follow.js';
import type { Handler } from '../../cli/declaration.js';
import { ApiError, Pending, SvcError, UsageError } from '../../errors.js';
import { isStillWhole } from '../../files/saved-file.js';
import { collect, destinationFrom, type Destination } from '../../jobs/collect.js';
import { failureOf, outcomesJson } from '../../jobs/finish.js';
import {
  askOnce,
  waitCommand,
  jobFailure,
  refresh,
  timeBudget,
  writeStatus,
} from '../../jobs/follow.js';
import {
  idsOrAll,
  jobOf,
  namedJob,
  openJobs,
  ownJobs,
  progressWriter,
  type Job,
  type JobEnv,
} from '../../jobs/job.js';
import { closeRun } from '../../jobs/once.js';
import { formatBytes } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import type { download } from './index.js';

export const run: Handler<typeof download> = async (context, { args, options }) => {
  const { output } = options;
  const ids = idsOrAll(args.id, options.all, 'download');
  if (output === '-' && args.id.length !== 1) {
    throw new UsageError('-o - and several jobs cannot go together', { code: 'usage' });
  }
  const env = await openJobs(context);
  const named = ids?.map((id) => namedJob(env, id));
  // A file that is the first result of the only job stays, and is not fetched again.
  const [only, ...others] = named ?? [];
  const copies = () => (only ? env.ledger.copies({ ...only, account: env.account }) : []);
  const results = () => copies().filter(({ index }) => index === 0 && others.length === 0);
  const destination = await destinationFrom(context, options, results);
  const jobs = named ?? (await allUnfetched(env));
  const fetched: Job[] = [];
  for (const job of jobs) fetched.push(await fetchOne(env, job, destination));
  if (context.flags.json) await context.out.json(outcomesJson(fetched));
  if (jobs.length === 0) progressWriter(context)('there is nothing to fetch');
  const failure = failureOf(fetched, { what: 'could not be fetched' });
  if (failure) throw failure;
};

/** What the ledger calls results that the service keeps no longer. */
const goneCode = 'results_expired';

/** Successful jobs of this account whose results are not all here, unless they are known to be gone. */
async function allUnfetched(env: JobEnv): Promise<Job[]> {
  for (const trouble of await refresh(env, timeBudget(env))) env.context.out.warn(trouble);
  const unfetched: Job[] = [];
  for (const job of ownJobs(env)) {
    const { jobId, state, code, results = 1, saved, isClosed } = job;
    if (jobId === undefined || state !== 'success' || code === goneCode) continue;
    // A run that did not end may have been killed just before it gave a file its name.
    const isHere = isClosed || (await Promise.all(saved.map(isStillWhole))).every(Boolean);
    if (saved.length < results || !isHere) unfetched.push(jobOf(job));
  }
  return unfetched;
}

/** Never rejects for what became of one job: the others are fetched all the same. */
async function fetchOne(env: JobEnv, job: Job, destination: Destination): Promise<Job> {
  const { context, client } = env;
  const { ledger } = job;
  let status: JobStatus | undefined;
  try {
    status = await askOnce(env, job, false);
    const { state, reply, resultUrls } = status;
    if (state === 'fail' || state === 'not_started') throw jobFailure(job.jobId, status);
    if (state !== 'success') {
      const message = `${job.jobId} has no results yet (${plainText(state, 40)})`;
      throw new Pending(message, { code: 'pending', hint: waitCommand(job.jobId) });
    }
    const model = job.model ?? reply.requestedModel ?? reply.model ?? undefined;
    const links = resultLinks(client, resultUrls);
    const files = await collect(env, { ...job, model }, links, destination);
    for (const { path, bytes, wasThere } of context.flags.json ? [] : files) {
      if (path === undefined) continue;
      await context.out.line(path);
      if (wasThere) progressWriter(context)(`${path} is there already (${formatBytes(bytes)})`);
    }
    if (ledger) closeRun(env, ledger.intent);
    return { ...job, status, files };
  } catch (error) {
    if (!(error instanceof SvcError) || context.signal.aborted) throw error;
    const isGone = error instanceof ApiError && error.status === 410;
    if (isGone && status) writeStatus(env, job.intent, { ...status, code: goneCode }, false);
    return { ...job, status, files: [], error };
  }
}
