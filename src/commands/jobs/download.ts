import { resolve } from 'node:path';
import { askJob, isUnknownJob, type JobStatus } from '../../api/media/follow.js';
import { resultLinks } from '../../api/media/results.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import type { Context } from '../../cli/context.js';
import { ApiError, Incomplete, Pending, SvcError, UsageError } from '../../errors.js';
import { isStillWhole } from '../../files/saved-file.js';
import { formatBytes } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import { collect, type Collected } from './collect.js';
import { destinationFrom, type Destination } from './destination.js';
import { copiesOf, namedJobs, ownJobs, refuseBoth, type NamedJob } from './find.js';
import { inHurry } from './hurry.js';
import type { download } from './index.js';
import { refresh } from './refresh.js';
import { jobJson } from './report.js';
import { closeRun } from './resume.js';
import { sayer } from './sayer.js';
import { comeBack, jobFailure, noSuchJob, tell } from './watch.js';
import { openJobs, type JobWorld } from './world.js';

/** Fetches the results of jobs that have ended. */
export const run: Handler<typeof download> = async (context, { args, options }) => {
  refuseBoth(args.id, options.all === true, 'download');
  refuseConflicts(context, args.id, options);
  const world = await openJobs(context);
  const named = options.all ? [] : namedJobs(world, args.id);
  const isForced = options.force === true;
  const place = await destinationFrom(options.output, {
    // What is the result itself is not replaced but skipped.
    replace: isForced || (await isResultAt(world, options.output, named)),
    out: context.out,
  });
  const destination = { ...place, isForced };
  const jobs = options.all ? await allUnfetched(world) : named;
  const fetched: Fetched[] = [];
  for (const job of jobs) fetched.push(await fetchOne(world, job, destination));
  if (context.flags.json) await context.out.json(fetched.map(fetchedJson));
  if (jobs.length === 0) sayer(context)('there is nothing to fetch');
  const failures = fetched.flatMap(({ error }) => error ?? []);
  const [first] = failures;
  if (first) throw jobs.length === 1 ? first : severalFailed(failures, jobs.length);
};

type Options = InputOf<typeof download>['options'];

function refuseConflicts({ flags }: Context, ids: readonly string[], options: Options): void {
  const isStdout = options.output === '-';
  if (isStdout && flags.json) throw conflict('-o -', '--json');
  if (isStdout && options.force) throw conflict('-o -', '--force');
  if (isStdout && (options.all || ids.length > 1)) throw conflict('-o -', 'several jobs');
}

function conflict(one: string, other: string): UsageError {
  return new UsageError(`${one} and ${other} cannot go together`, { code: 'usage' });
}

/** Whether a file that -o names is the first result of the only job, fetched before. */
async function isResultAt(
  world: JobWorld,
  output: string | undefined,
  jobs: readonly NamedJob[],
): Promise<boolean> {
  const [only, ...others] = jobs;
  if (output === undefined || !only || others.length > 0) return false;
  const file = copiesOf(world, only).find(({ path }) => path === resolve(output));
  return file?.index === 0 && (await isStillWhole(file));
}

/** What the ledger calls results that the service keeps no longer. */
const goneCode = 'results_expired';

interface Fetched {
  readonly job: NamedJob;
  readonly status: JobStatus | undefined;
  readonly files: readonly Collected[];
  readonly error: SvcError | undefined;
}

/** Successful jobs of this account whose results are not all here, unless they are known to be gone. */
async function allUnfetched(world: JobWorld): Promise<NamedJob[]> {
  for (const trouble of await refresh(world, ownJobs(world), inHurry(world))) {
    world.context.out.warn(trouble);
  }
  const unfetched: NamedJob[] = [];
  for (const job of ownJobs(world)) {
    const { jobId, state, code, results = 1, saved, isClosed } = job;
    if (jobId === undefined || state !== 'success' || code === goneCode) continue;
    // A run that did not end may have been killed just before it gave a file its name.
    const isHere = isClosed || (await Promise.all(saved.map(isStillWhole))).every(Boolean);
    if (saved.length < results || !isHere) unfetched.push({ jobId, ledger: job });
  }
  return unfetched;
}

/** Never rejects for what became of one job: the others are fetched all the same. */
async function fetchOne(
  world: JobWorld,
  job: NamedJob,
  destination: Destination,
): Promise<Fetched> {
  let status: JobStatus | undefined;
  try {
    status = await finished(world, job);
    const { jobId, ledger } = job;
    const model = ledger?.model ?? status.reply.requestedModel ?? status.reply.model ?? 'job';
    const wanted = { intent: ledger?.intent, jobId, model };
    const links = resultLinks(world.client, status.resultUrls);
    const files = await collect(world, wanted, links, destination);
    await tellFiles(world.context, files);
    if (ledger) closeRun(world, ledger.intent);
    return { job, status, files, error: undefined };
  } catch (error) {
    if (!(error instanceof SvcError) || world.context.signal.aborted) throw error;
    const isGone = error instanceof ApiError && error.status === 410;
    if (isGone && status && job.ledger) {
      tell(world, job.ledger.intent, { ...status, code: goneCode }, false);
    }
    return { job, status, files: [], error };
  }
}

/** @throws Pending, JobFailed, or what says that the results are gone. */
async function finished(world: JobWorld, { jobId, ledger }: NamedJob): Promise<JobStatus> {
  const status = await askJob(world.client, jobId).catch((error: unknown) => {
    throw isUnknownJob(error) ? noSuchJob(jobId, error) : error;
  });
  if (ledger && status.state !== ledger.state) tell(world, ledger.intent, status, false);
  if (status.state === 'fail' || status.state === 'not_started') throw jobFailure(jobId, status);
  if (status.state !== 'success') {
    throw new Pending(`${jobId} has no results yet (${plainText(status.state, 40)})`, {
      code: 'pending',
      hint: comeBack(jobId),
    });
  }
  return status;
}

/** Each path on a line of stdout; that it was there already is said beside it. */
async function tellFiles(context: Context, files: readonly Collected[]): Promise<void> {
  if (context.flags.json) return;
  for (const { path, bytes, wasThere } of files) {
    if (path === undefined) continue;
    await context.out.line(path);
    if (wasThere) sayer(context)(`${path} is there already (${formatBytes(bytes)})`);
  }
}

function fetchedJson({ job, status, files, error }: Fetched): Record<string, unknown> {
  const { jobId, ledger } = job;
  const cost = { priceRub: status?.priceRub ?? ledger?.priceRub };
  const facts = jobJson({ jobId, model: ledger?.model, status, ledger, files, cost });
  return error ? { ...facts, error: { code: error.code, message: error.message } } : facts;
}

function severalFailed(errors: readonly SvcError[], count: number): Incomplete {
  const list = errors.map((error) => `  ${error.message}`).join('\n');
  return new Incomplete(
    `${String(errors.length)} of ${String(count)} jobs could not be fetched:\n${list}`,
    { code: 'some_failed', hint: errors.find(({ hint }) => hint !== undefined)?.hint },
  );
}
