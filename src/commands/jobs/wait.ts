import type { JobStatus } from '../../api/media/follow.js';
import type { Handler } from '../../cli/declaration.js';
import { Incomplete, Pending, SvcError } from '../../errors.js';
import { formatRub } from '../../lib/amounts.js';
import { isUnderWay, isUnsettled } from '../../state/ledger-fold.js';
import { farewell } from './farewell.js';
import { namedJobs, ownJobs, refuseBoth, type NamedJob } from './find.js';
import type { wait } from './index.js';
import { usualPatienceMs } from './options.js';
import { jobJson, uncertaintyWords } from './report.js';
import { sayer } from './sayer.js';
import { settleAll, settledId, type Unsettled } from './settle.js';
import { startJobSpinner, type JobSpinner } from './spinner.js';
import { comeBack, jobFailure, watchJob } from './watch.js';
import { openJobs, type JobWorld } from './world.js';

/** Waits for jobs that somebody began. */
export const run: Handler<typeof wait> = async (context, { args, options }) => {
  refuseBoth(args.id, options.all === true, 'wait');
  const world = await openJobs(context);
  const jobs = options.all ? allOpen(world) : namedJobs(world, args.id);
  const { out, flags } = context;
  if (jobs.length === 0) {
    if (flags.json) await out.json([]);
    sayer(context)('no job is under way');
    return;
  }
  const awaited = await waitForAll(world, jobs);
  await tellAll(world, awaited);
  const failures = awaited.flatMap(({ error }) => error ?? []);
  const [first] = failures;
  if (!first) {
    if (out.isErrorTerminal) sayer(context)(context.onward(fetchHint(awaited)));
    return;
  }
  throw jobs.length === 1 ? first : severalFailed(awaited);
};

interface Awaited {
  readonly job: NamedJob;
  readonly status: JobStatus | undefined;
  /** Why it is no success. */
  readonly error: SvcError | undefined;
}

/** What is under way, and what was cut off before its id was known. */
function allOpen(world: JobWorld): NamedJob[] {
  return ownJobs(world)
    .filter((job) => isUnderWay(job) || (isUnsettled(job) && job.kind !== 'extend'))
    .map((job) => ({ jobId: job.jobId ?? job.intent, ledger: job }));
}

async function waitForAll(world: JobWorld, jobs: readonly NamedJob[]): Promise<Awaited[]> {
  const { clock, flags } = world.context;
  const endsAtMs = clock.now() + (flags.timeoutMs ?? usualPatienceMs);
  const spinner = await spinnerFor(world, jobs);
  try {
    return await farewell(world, async (leave) => {
      const [only, ...others] = jobs;
      if (only && others.length === 0) leave.onJob(only.jobId);
      else leave.onJobs('--all');
      const known = jobs.flatMap(({ ledger }) => ledger ?? []);
      const unsettled = await settleAll(world, known);
      const waiting = { unsettled, endsAtMs, spinner };
      return Promise.all(jobs.map((job) => waitForOne(world, job, waiting)));
    });
  } finally {
    spinner.stop();
  }
}

interface Waiting {
  /** Those whose id could not be found out. */
  readonly unsettled: readonly Unsettled[];
  readonly endsAtMs: number;
  readonly spinner: JobSpinner;
}

/** Never rejects for what became of the job. */
async function waitForOne(
  world: JobWorld,
  named: NamedJob,
  { unsettled, endsAtMs, spinner }: Waiting,
): Promise<Awaited> {
  let job = named;
  let status: JobStatus | undefined;
  const say = sayer(world.context);
  let said = '';
  try {
    job = withId(world, named, unsettled);
    status = await watchJob(
      world,
      { intent: job.ledger?.intent, jobId: job.jobId },
      {
        deadlineMs: endsAtMs - world.context.clock.now(),
        onState: (state) => {
          status = state;
          spinner.state(state);
          const words = uncertaintyWords(state) ?? '';
          if (words !== '' && words !== said) say(`${job.jobId}: ${words}`);
          said = words;
        },
        onTrouble: (error) => spinner.trouble(error),
      },
    );
    if (status.state !== 'success') throw jobFailure(job.jobId, status);
    return { job, status, error: undefined };
  } catch (error) {
    if (!(error instanceof SvcError) || world.context.signal.aborted) throw error;
    return { job, status, error };
  }
}

function withId(world: JobWorld, job: NamedJob, unsettled: readonly Unsettled[]): NamedJob {
  const { ledger } = job;
  if (!ledger || ledger.jobId !== undefined) return job;
  const failed = unsettled.find((one) => one.job.intent === ledger.intent);
  if (failed) throw failed.error;
  return { ledger, jobId: settledId(world, ledger) };
}

async function spinnerFor(world: JobWorld, jobs: readonly NamedJob[]): Promise<JobSpinner> {
  const [first] = jobs;
  const nowMs = world.context.clock.now();
  const isOne = jobs.length === 1;
  return startJobSpinner(world, {
    jobId: isOne && first ? first.jobId : `${String(jobs.length)} jobs`,
    model: isOne ? first?.ledger?.model : undefined,
    priceRub: isOne ? first?.ledger?.priceRub : undefined,
    sinceMs: (isOne ? first?.ledger?.wantedAtMs : undefined) ?? nowMs,
  });
}

async function tellAll({ context }: JobWorld, awaited: readonly Awaited[]): Promise<void> {
  const { out, flags } = context;
  if (flags.json) {
    await out.json(
      awaited.map(({ job, status, error }) => {
        const { jobId, ledger } = job;
        const cost = { priceRub: status?.priceRub ?? ledger?.priceRub };
        const state = ledger?.state;
        const facts = jobJson({ jobId, model: ledger?.model, status, state, ledger, cost });
        return error ? { ...facts, error: { code: error.code, message: error.message } } : facts;
      }),
    );
    return;
  }
  await out.table(
    [{ title: 'JOB' }, { title: 'STATE' }, { title: 'PRICE', align: 'right' }],
    awaited.map(({ job, status, error }) => {
      const priceRub = status?.priceRub ?? job.ledger?.priceRub;
      const state = error instanceof Pending ? 'pending' : (status?.state ?? 'unknown');
      return [job.jobId, state, priceRub === undefined ? '-' : formatRub(priceRub)];
    }),
  );
}

function fetchHint(awaited: readonly Awaited[]): string {
  const [only, ...others] = awaited;
  return `fetch the results: svc jobs download ${others.length === 0 ? (only?.job.jobId ?? '') : '--all'}`;
}

/** Some still under way weigh less than some that failed: those will not get better by waiting. */
function severalFailed(awaited: readonly Awaited[]): SvcError {
  const errors = awaited.flatMap(({ error }) => error ?? []);
  const count = `${String(errors.length)} of ${String(awaited.length)} jobs`;
  if (errors.every((error) => error instanceof Pending)) {
    return new Pending(`${count} are still under way`, {
      code: 'pending',
      hint: `they go on by themselves: \`${comeBack('--all')}\``,
    });
  }
  const list = errors.map((error) => `  ${error.message}`).join('\n');
  return new Incomplete(`${count} did not succeed:\n${list}`, {
    code: 'some_failed',
    hint: 'see what is known of each: `svc jobs show ID`',
  });
}
