import { rubCell } from '../cells.js';
import type { Handler } from '../../cli/declaration.js';
import { Pending } from '../../errors.js';
import { failureOf, outcomesJson } from '../../jobs/finish.js';
import { follow, onInterrupt, startJobSpinner } from '../../jobs/follow.js';
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
import { defaultWaitMs } from '../../jobs/options.js';
import { reconcile, reconciledJob } from '../../jobs/submit.js';
import { isUnderWay, isUnfinished } from '../../state/ledger.js';
import { titles } from '../../terminal/types.js';
import type { wait } from './index.js';

export const run: Handler<typeof wait> = async (context, { args, options }) => {
  const ids = idsOrAll(args.id, options.all, 'wait');
  const env = await openJobs(context);
  // What is under way, and what was cut off before its id was known.
  const open = ownJobs(env).filter(
    (job) => isUnderWay(job) || (isUnfinished(job) && job.kind !== 'extend'),
  );
  const jobs = ids ? ids.map((id) => namedJob(env, id)) : open.map(jobOf);
  const { out, flags } = context;
  const say = progressWriter(context);
  const awaited = jobs.length === 0 ? [] : await waitForAll(env, jobs);
  const rows = awaited.map(({ jobId, status, error, priceRub: known }) => {
    const { priceRub = known } = status ?? {};
    const state = error instanceof Pending ? 'pending' : (status?.state ?? 'unknown');
    return [jobId, state, priceRub === undefined ? '-' : rubCell(context, priceRub)];
  });
  if (flags.json) await out.json(outcomesJson(awaited));
  else if (jobs.length > 0) await out.table(titles('JOB', 'STATE', '>PRICE'), rows);
  const failure = failureOf(awaited, {
    what: 'did not succeed',
    hint: 'see what is known of each: `svc jobs show ID`',
    pending: 'they go on by themselves: `svc jobs wait --all`',
  });
  if (failure) throw failure;
  const [first, ...others] = awaited;
  if (!first) say('no job is under way');
  else if (out.isErrorTerminal) {
    const which = others.length === 0 ? first.jobId : '--all';
    say(context.commandHint(`fetch the results: svc jobs download ${which}`));
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
  return onInterrupt(env, async () => {
    const known = jobs.flatMap(({ ledger }) => ledger ?? []);
    const failed = await reconcile(env, known);
    const waitForOne = async (named: Job): Promise<Job> => {
      const job = reconciledJob(env, { ...named, state: named.ledger?.state }, failed);
      return job.error ? job : follow(env, job, endsAtMs - clock.now(), spinner);
    };
    return Promise.all(jobs.map(waitForOne));
  }).finally(spinner.stop);
}
