import { rubCell } from '../cells.js';
import { jobState } from '../../api/media/state.js';
import type { Handler } from '../../context.js';
import { Incomplete, Pending, SvcError, UsageError } from '../../errors.js';
import { stateOf } from '../../files/owner.js';
import { collectResults, destinationOf, sharedDestination } from '../../jobs/collect.js';
import type { Destination } from '../../jobs/collect.js';
import { failureOf, outcomesJson, paidFor } from '../../jobs/finish.js';
import { follow, onInterrupt, startJobSpinner } from '../../jobs/follow.js';
import { idsOrAll, jobOf, namedJobs, openJobs, progressWriter } from '../../jobs/job.js';
import type { Job, JobEnv } from '../../jobs/job.js';
import { defaultWaitMs } from '../../jobs/options.js';
import { reconcile, reconciledJob } from '../../jobs/submit.js';
import { formatBytes } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import { isEnded, isUnderWay } from '../../state/ledger-job.js';
import { titles } from '../../terminal/types.js';
import { runShell } from '../../terminal/viewer.js';
import type { wait } from './index.js';

export const run: Handler<typeof wait> = async (context, { args, options }) => {
  const ids = idsOrAll(args.id, options.all, 'wait');
  const env = await openJobs(context);
  // Jobs in progress, and those that were interrupted before their id was known.
  const open = () =>
    env.ledger
      .jobsInProgress(env.account)
      .filter((job) => isUnderWay(job) || job.kind !== 'extend');
  const jobs = ids ? namedJobs(env, ids) : open().map(jobOf);
  const { out, flags } = context;
  const say = progressWriter(context);
  if (options.output === '-') {
    const hint = 'svc jobs download ID -o -';
    throw new UsageError('stdout is for the states of the jobs', { hint });
  }
  const isShared = options.output !== undefined && jobs.length > 0;
  const shared = isShared ? await sharedDestination(env, jobs, options) : undefined;
  const outcomes: Job[] = [];
  await onInterrupt(env, async () => {
    for (const job of jobs.length === 0 ? [] : await waitForAll(env, jobs)) {
      const ended = options.download ? await download(env, job, shared) : job;
      outcomes.push(options.exec === undefined ? ended : await runExec(env, ended, options.exec));
    }
  });
  const rows = outcomes.map(({ jobId, state, status, error, priceRub: known }) => {
    const { priceRub = known } = status ?? {};
    const word = status?.state ?? (error instanceof Pending ? 'processing' : state);
    return [jobId, jobState(word), priceRub === undefined ? '-' : rubCell(context, priceRub)];
  });
  const [first, ...others] = rows;
  const what =
    others.length === 0 ? first?.slice(0, 2).join(': ') : `${outcomes.length} jobs ended`;
  if (options.notify && what !== undefined) out.notify(`svc: ${what}`);
  if (flags.json) await out.json(outcomesJson(outcomes));
  else if (jobs.length > 0) await out.table(columns, rows);
  for (const { path, bytes, wasThere } of outcomes.flatMap(({ files }) => files ?? [])) {
    const what = wasThere ? 'already saved' : 'saved';
    if (path !== undefined) say(`${what} ${path} (${formatBytes(bytes)})`);
  }
  const failure = failureOf(outcomes, {
    what: 'did not succeed',
    hint: 'see the details of each: `svc jobs show ID`',
    pending: 'they continue without svc: `svc jobs wait --all`',
  });
  if (failure) throw failure;
  const [left, ...more] = outcomes.filter(({ files }) => !files);
  if (!first) say('no job is in progress');
  else if (left && (out.isErrorTerminal || out.isForAgent)) {
    const which = more.length === 0 ? left.jobId : '--all';
    say(context.commandHint(`to download the results: svc jobs download ${which}`));
  }
};

const columns = titles({ title: 'JOB', isId: true }, 'STATE', '>PRICE');

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

/** Runs a command for a job that has ended. The service's words are never part of it. */
async function runExec({ context }: JobEnv, job: Job, exec: string): Promise<Job> {
  const { jobId, status: { state = '' } = {}, files, error } = job;
  // Without its results there is nothing to work with.
  if (!isEnded(state) || (state === 'success' && error)) return job;
  let quote = '';
  // Whatever the quotes around a placeholder, the argument is in double quotes.
  const command = exec.replace(/\\.|['"]|\{(job|state|file)\}/gs, (word, name?: string) => {
    if (name !== undefined) {
      return `${quote}"$${String(['', 'job', 'state', 'file'].indexOf(name))}"${quote}`;
    }
    const mark = quote === "'" ? word.at(-1) : word;
    if (quote === '' && (mark === "'" || mark === '"')) quote = mark;
    else if (mark === quote) quote = '';
    return word;
  });
  const args = [plainText(jobId, 1024), jobState(state), files?.[0]?.path ?? ''];
  const { env, signal } = context;
  // Stdout is for the rows of svc.
  const failure = await runShell({ command, args, env, signal, stdio: ['ignore', 2, 2] });
  if (failure === undefined || error) return job;
  const message = `the --exec command for ${jobId} ${failure}`;
  return { ...job, error: new Incomplete(message, { code: 'exec_failed' }) };
}

/** Downloads the results to where -o says, or the command that made the job wanted them, if it did. */
async function download(env: JobEnv, job: Job, shared?: Destination): Promise<Job> {
  const { status, ledger, jobId } = job;
  if (status?.state !== 'success') return job;
  if (!shared && ledger?.output === undefined) return job;
  // The command itself may still be running, and saves them.
  if (!shared && (await stateOf(ledger?.owner)) === 'running') return job;
  try {
    const destination = shared ?? (await destinationOf(env, job));
    return { ...job, files: await collectResults(env, job, status, destination) };
  } catch (caught) {
    const error = paidFor(env, jobId, caught, true);
    if (!(error instanceof SvcError) || env.context.signal.aborted) throw error;
    return { ...job, error };
  }
}
