/** Waits for a job that has just begun, fetches its results and shows what came of it. */
import { costOf, type Cost } from '../api/cost.js';
import type { JobStatus } from '../api/media/follow.js';
import { resultLinks } from '../api/media/results.js';
import { Pending } from '../errors.js';
import type { LedgerJob } from '../state/ledger-fold.js';
import { collect, type Collected } from './collect.js';
import type { Destination } from './destination.js';
import { usualPatienceMs } from './options.js';
import { jobJson, uncertaintyWords } from './report.js';
import { sayer } from './sayer.js';
import { showCollected, type Ended } from './show-result.js';
import { startJobSpinner } from './spinner.js';
import { jobFailure, watchJob } from './watch.js';
import { paidFor } from './whereabouts.js';
import type { JobWorld } from './world.js';

export interface Begun {
  readonly intent: string;
  readonly jobId: string;
  readonly model: string;
  readonly status: string | undefined;
  readonly priceRub: number | undefined;
  /** When the command began: its patience counts from there. */
  readonly startedAtMs: number;
}

export interface Finishing {
  readonly destination: Destination;
  /** Show the first result with the system's viewer. */
  readonly open: boolean;
}

/**
 * @throws Pending when the time is over, JobFailed, what fetching throws. Under --json the job is
 * told on stdout whatever came of it.
 */
export async function finishJob(
  world: JobWorld,
  job: Begun,
  { destination, open }: Finishing,
): Promise<void> {
  const { context } = world;
  let status: JobStatus | undefined;
  let files: readonly Collected[] | undefined;
  const ended = (cost: Cost): Ended => ({
    jobId: job.jobId,
    model: job.model,
    state: job.status,
    status,
    ledger: inLedger(world, job),
    files,
    cost: { priceRub: status?.priceRub ?? job.priceRub, balanceRub: cost.balanceRub },
    tookMs: context.clock.now() - job.startedAtMs,
  });
  try {
    status = await watched(world, job, (state) => {
      status = state;
    });
    if (status.state !== 'success') throw jobFailure(job.jobId, status);
    const links = resultLinks(world.client, status.resultUrls);
    files = await collect(world, job, links, destination);
  } catch (error) {
    // What there is of the job is data; why it is not all is told on stderr.
    if (context.flags.json && !context.signal.aborted) await context.out.json(jobJson(ended({})));
    else if (error instanceof Pending) await context.out.line(job.jobId);
    throw paidFor(world, job.jobId, { error, hasResults: status?.state === 'success' });
  }
  const toStdout = destination.kind === 'stdout';
  await showCollected(world, ended(await costFor(world)), { open, toStdout });
}

/** The id of a job that nobody waits for: alone, so that a script can keep it. */
export async function tellId(world: JobWorld, job: Begun): Promise<void> {
  const { out, flags } = world.context;
  const { jobId, model, status: state, priceRub } = job;
  const ledger = inLedger(world, job);
  const facts = { jobId, model, status: undefined, state, ledger, cost: { priceRub } };
  await (flags.json ? out.json(jobJson(facts)) : out.line(jobId));
}

function inLedger({ ledger }: JobWorld, job: Begun): LedgerJob | undefined {
  return ledger.jobs().find(({ intent }) => intent === job.intent);
}

/** @param onState told of each status that is not the last. */
async function watched(
  world: JobWorld,
  job: Begun,
  onState: (status: JobStatus) => void,
): Promise<JobStatus> {
  const { context } = world;
  const { jobId, startedAtMs: sinceMs } = job;
  const patienceMs = context.flags.timeoutMs ?? usualPatienceMs;
  const say = sayer(context);
  const spinner = await startJobSpinner(world, { ...job, sinceMs });
  let said = '';
  try {
    return await watchJob(world, job, {
      deadlineMs: sinceMs + patienceMs - context.clock.now(),
      onState: (status) => {
        onState(status);
        spinner.state(status);
        const words = uncertaintyWords(status) ?? '';
        if (words !== '' && words !== said) say(`${jobId}: ${words}`);
        said = words;
      },
      onTrouble: (error) => spinner.trouble(error),
    });
  } finally {
    spinner.stop();
  }
}

/** The balance is asked for where somebody will see it. */
async function costFor({ context, client }: JobWorld): Promise<Cost> {
  const { flags, out } = context;
  const isSeen = flags.json || (out.isErrorTerminal && !flags.quiet);
  return isSeen ? costOf(client, undefined) : {};
}
