import type { Handler } from '../../cli/declaration.js';
import { Incomplete, Pending, SvcError } from '../../errors.js';
import { jobJson } from '../../jobs/finish.js';
import { comeBack, followToSuccess, onInterrupt, startJobSpinner } from '../../jobs/follow.js';
import {
  assertIdsOrAll,
  jobOf,
  namedJob,
  openJobs,
  ownJobs,
  progressWriter,
  type Job,
  type JobEnv,
} from '../../jobs/job.js';
import { usualPatienceMs } from '../../jobs/options.js';
import { reconcile, reconciledId } from '../../jobs/submit.js';
import { formatRub } from '../../lib/amounts.js';
import { isUnderWay, isUnfinished } from '../../state/ledger-fold.js';
import { titles } from '../../terminal/types.js';
import type { wait } from './index.js';

/** Waits for jobs that somebody began. */
export const run: Handler<typeof wait> = async (context, { args, options }) => {
  assertIdsOrAll(args.id, options.all === true, 'wait');
  const world = await openJobs(context);
  const jobs = options.all
    ? allOpen(world)
    : [...new Set(args.id)].map((id) => namedJob(world, id));
  const { out, flags } = context;
  if (jobs.length === 0) {
    if (flags.json) await out.json([]);
    progressWriter(context)('no job is under way');
    return;
  }
  const awaited = await waitForAll(world, jobs);
  if (flags.json) {
    const facts = awaited.map(({ error, ...job }) => ({
      ...jobJson(job),
      error: error && { code: error.code, message: error.message },
    }));
    await out.json(facts);
  } else {
    await out.table(
      titles('JOB', 'STATE', '>PRICE'),
      awaited.map(({ jobId, status, error, priceRub: known }) => {
        const priceRub = status?.priceRub ?? known;
        const state = error instanceof Pending ? 'pending' : (status?.state ?? 'unknown');
        return [jobId, state, priceRub === undefined ? '-' : formatRub(priceRub)];
      }),
    );
  }
  const errors = awaited.flatMap(({ error }) => error ?? []);
  const [first] = errors;
  if (first) throw jobs.length === 1 ? first : severalFailed(errors, awaited.length);
  const [only, ...others] = awaited;
  const ids = others.length === 0 ? (only?.jobId ?? '') : '--all';
  if (out.isErrorTerminal) {
    progressWriter(context)(context.commandHint(`fetch the results: svc jobs download ${ids}`));
  }
};

interface Awaited extends Job {
  /** Why it is no success. */
  readonly error?: SvcError;
}

/** What is under way, and what was cut off before its id was known. */
function allOpen(world: JobEnv): Job[] {
  return ownJobs(world)
    .filter((job) => isUnderWay(job) || (isUnfinished(job) && job.kind !== 'extend'))
    .map(jobOf);
}

async function waitForAll(world: JobEnv, jobs: readonly Job[]): Promise<Awaited[]> {
  const { clock, flags, signal } = world.context;
  const startedAtMs = clock.now();
  const endsAtMs = startedAtMs + (flags.timeoutMs ?? usualPatienceMs);
  const [first, ...others] = jobs;
  const only = others.length === 0 ? first : undefined;
  const shown = only ?? { jobId: `${String(jobs.length)} jobs` };
  const spinner = await startJobSpinner(world, shown, only?.ledger?.wantedAtMs ?? startedAtMs);
  /** Never rejects for what became of the job. */
  const waitForOne = async (named: Job, unknown: SvcError | undefined): Promise<Awaited> => {
    let job: Job = { ...named, state: named.ledger?.state };
    try {
      if (job.ledger && job.ledger.jobId === undefined) {
        if (unknown) throw unknown;
        job = { ...job, jobId: reconciledId(world, job.ledger) };
      }
      await followToSuccess(world, job, {
        deadlineMs: endsAtMs - clock.now(),
        spinner,
        onStatus: (status) => {
          job = { ...job, status };
        },
      });
      return job;
    } catch (error) {
      if (!(error instanceof SvcError) || signal.aborted) throw error;
      return { ...job, error };
    }
  };
  try {
    return await onInterrupt(world, async (atWork) => {
      if (only) atWork.jobId = only.jobId;
      else atWork.several = '--all';
      const known = jobs.flatMap(({ ledger }) => ledger ?? []);
      const failed = await reconcile(world, known);
      const whyNot = new Map(failed.map(({ job, error }) => [job.intent, error]));
      return Promise.all(jobs.map((job) => waitForOne(job, whyNot.get(job.intent ?? ''))));
    });
  } finally {
    spinner.stop();
  }
}

/** Some still under way weigh less than some that failed: those will not get better by waiting. */
function severalFailed(errors: readonly SvcError[], jobs: number): SvcError {
  const count = `${String(errors.length)} of ${String(jobs)} jobs`;
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
