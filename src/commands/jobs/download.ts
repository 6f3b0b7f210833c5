import type { JobStatus } from '../../api/media/follow.js';
import { jobState } from '../../api/media/state.js';
import type { InputOf } from '../../command.js';
import type { Handler } from '../../context.js';
import { isRefusal, Pending, SvcError, UsageError } from '../../errors.js';
import { isStillWhole } from '../../files/saved-file.js';
import { collectResults, destinationOf, sharedDestination } from '../../jobs/collect.js';
import type { Destination } from '../../jobs/collect.js';
import { failureOf, outcomesJson } from '../../jobs/finish.js';
import {
  askOnce,
  waitCommand,
  jobFailure,
  refresh,
  timeBudget,
  writeStatus,
} from '../../jobs/follow.js';
import { idsOrAll, jobOf, namedJobs, openJobs, progressWriter } from '../../jobs/job.js';
import type { Job, JobEnv } from '../../jobs/job.js';
import { closeRun } from '../../jobs/once.js';
import { showFile } from '../../jobs/show-file.js';
import { formatBytes } from '../../lib/amounts.js';
import { goneCode, isUnsaved } from '../../state/ledger-job.js';
import type { download } from './index.js';

export const run: Handler<typeof download> = async (context, { args, options }) => {
  const { output } = options;
  const ids = idsOrAll(args.id, options.all, 'download');
  if (output === '-' && args.id.length !== 1) {
    throw new UsageError('-o - takes the result of one job');
  }
  const env = await openJobs(context);
  const named = ids && namedJobs(env, ids);
  // Without -o, each of several jobs has its own destination.
  const isShared = output !== undefined || named?.length === 1;
  const shared = isShared ? await sharedDestination(env, named, options) : undefined;
  const jobs = named ?? (await allUnfetched(env));
  const fetched: Job[] = [];
  for (const job of jobs) fetched.push(await fetchOne(env, job, options, shared));
  if (context.flags.json) await context.out.json(outcomesJson(fetched));
  if (jobs.length === 0) progressWriter(context)('there is nothing to download');
  const failure = failureOf(fetched, { what: 'could not be downloaded' });
  if (failure) throw failure;
};

/** Successful jobs of this account whose results are not all here, unless they are known to have expired. */
async function allUnfetched(env: JobEnv): Promise<Job[]> {
  for (const trouble of await refresh(env, timeBudget(env))) env.context.out.warn(trouble);
  const unfetched: Job[] = [];
  for (const job of env.ledger.unsavedJobs(env.account)) {
    // A run that did not end may have been killed just before it gave a file its name.
    const isHere = job.isClosed || (await Promise.all(job.saved.map(isStillWhole))).every(Boolean);
    if (isUnsaved(job, isHere)) unfetched.push(jobOf(job));
  }
  return unfetched;
}

/** Does not throw for the failure of one job: the others are still downloaded. */
async function fetchOne(
  env: JobEnv,
  job: Job,
  { force, preview }: InputOf<typeof download>['options'],
  shared: Destination | undefined,
): Promise<Job> {
  const { context } = env;
  const { ledger } = job;
  let status: JobStatus | undefined;
  try {
    const destination = shared ?? (await destinationOf(env, job, { force }));
    status = await askOnce(env, job, false);
    const { state } = status;
    if (state === 'fail' || state === 'not_started') throw jobFailure(job.jobId, status);
    if (state !== 'success') {
      const message = `${job.jobId} has no results yet (${jobState(state)})`;
      throw new Pending(message, { hint: waitCommand(job.jobId) });
    }
    const files = await collectResults(env, job, status, destination);
    for (const { path, bytes, wasThere } of context.flags.json ? [] : files) {
      if (path === undefined) continue;
      await showFile(context, path, preview);
      if (wasThere) progressWriter(context)(`${path} already exists (${formatBytes(bytes)})`);
    }
    if (ledger) closeRun(env, ledger.intent);
    return { ...job, status, files };
  } catch (error) {
    if (!(error instanceof SvcError) || context.signal.aborted) throw error;
    if (isRefusal(error, 410) && status)
      writeStatus(env, job.intent, { ...status, code: goneCode }, false);
    return { ...job, status, files: [], error };
  }
}
