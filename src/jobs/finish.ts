/** Ends the run of a job that has just started: its results, or its id, and what it cost. */
import { costOf } from '../api/cost.js';
import { resultLinks, routeOf } from '../api/media/follow.js';
import { jobState } from '../api/media/state.js';
import { GenerateReply, Job as JobReply } from '../contract/media.js';
import {
  ApiError,
  Incomplete,
  LocalFileError,
  NetworkError,
  Pending,
  PriceTooHigh,
  SvcError,
  TimeoutError,
} from '../errors.js';
import { holdName } from '../files/part-file.js';
import { comparing, formatRub } from '../lib/amounts.js';
import { formatElapsed } from '../lib/duration.js';
import { fieldText } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { priceTooHigh } from '../spending/purse.js';
import { collect, type Destination } from './collect.js';
import { isCostSeen, writeCost } from './cost.js';
import { waitCommand, follow, onInterrupt, startJobSpinner, resumeHint } from './follow.js';
import { progressWriter, type Job, type JobEnv, type OwnJob } from './job.js';
import { closeRun } from './once.js';
import { defaultWaitMs } from './options.js';
import { openResult, showFile } from './show-file.js';

export interface RunOptions {
  readonly destination: Destination;
  readonly open?: boolean;
  readonly preview?: boolean;
  readonly wait?: boolean;
  /** When the command started: its time limit counts from there. */
  readonly startedAtMs: number;
}

/** Makes a job, waits for it unless told otherwise, and shows its results. */
export async function runJob(env: JobEnv, options: RunOptions, make: () => Promise<OwnJob>) {
  const run = async (destination: Destination) => {
    const job = await make();
    env.atWork.jobId = job.jobId;
    const { acceptedAtMs = Infinity } = inLedger(env, job).ledger ?? {};
    const isNew = acceptedAtMs >= options.startedAtMs;
    // On a terminal the spinner shows the id.
    const { out } = env.context;
    if (options.wait && isNew && !out.isErrorTerminal) {
      const price = job.priceRub === undefined ? '' : `, ${formatRub(job.priceRub, out.language)}`;
      progressWriter(env.context)(`job ${job.jobId} accepted${price}`);
    }
    await assertPrice(env, job, isNew);
    if (options.wait) await showEnd(env, job, { ...options, destination });
    else await writeId(env, job);
    closeRun(env, job.intent);
  };
  await onInterrupt(env, () => holdName(options.destination, run));
}

async function showEnd(env: JobEnv, job: OwnJob, options: RunOptions): Promise<void> {
  const { clock, flags, out, signal, timeLimit } = env.context;
  const { startedAtMs, destination } = options;
  let known: Job = job;
  try {
    const spinner = await startJobSpinner(env, job, startedAtMs);
    const deadlineMs = timeLimit?.leftMs() ?? startedAtMs + defaultWaitMs - clock.now();
    known = await follow(env, job, deadlineMs, spinner).finally(spinner.stop);
    if (known.error) throw known.error;
    const links = resultLinks(env.client, known.status?.resultUrls ?? []);
    known = { ...known, files: await collect(env, job, links, destination) };
  } catch (error) {
    // What is known of the job is data; why that is not all goes to stderr.
    if (flags.json && !signal.aborted) await writeId(env, known);
    else if (error instanceof Pending) await out.line(job.jobId);
    throw paidFor(env, job.jobId, error, known.status?.state === 'success');
  }
  const { balanceRub } = isCostSeen(env.context) ? await costOf(env.client, []) : {};
  await showResults(env, known, options, balanceRub);
}

/** The id of a job that continues without svc: alone, so that a script can keep it. */
export async function writeId(env: JobEnv, job: Job): Promise<void> {
  const { out, flags } = env.context;
  await (flags.json ? out.json(runJson(env, job)) : out.line(job.jobId));
}

/** The job of this run, which may have been started by an earlier one. */
function runJson(env: JobEnv, job: Job, balanceRub?: number) {
  return { ...jobJson(inLedger(env, job), balanceRub), resumed: env.atWork.isResumed };
}

function inLedger({ ledger }: JobEnv, job: Job): Job {
  return { ...job, ledger: ledger.job(job.intent) };
}

const known = new Set([GenerateReply, JobReply].flatMap(({ shape }) => Object.keys(shape)));

/** What the service says of a job beyond the specification. */
function unknownIn(reply: object = {}) {
  return Object.fromEntries(Object.entries(reply).filter(([name]) => !known.has(name)));
}

/** The object of --json. Fields are added, never changed. */
export function jobJson(
  { jobId, ids, model, priceRub, reply: accepted, status, state, ledger, files }: Job,
  balanceRub?: number,
): Record<string, unknown> {
  const reply = status?.reply;
  const route = { ...ledger?.route, ...routeOf(reply) };
  return {
    ...unknownIn(accepted),
    ...unknownIn(reply),
    id: jobId,
    state: jobState(status?.state ?? state),
    status: status?.state ?? state,
    model: reply?.model ?? accepted?.['model'] ?? model,
    requestedModel: model,
    ...route,
    stage: status?.stage,
    charged: status?.charged,
    errorCode: status ? status.code : ledger?.code,
    failMsg: status?.message,
    retryGuidance: status ? status.guidance : ledger?.guidance,
    results: status?.resultUrls.length,
    resultsExpireAt: reply?.resultsExpireAt ?? undefined,
    resultText: reply?.resultText ?? undefined,
    resultMeta: reply?.resultMeta ?? undefined,
    files: files?.map(({ index, path, bytes, mediaType }) => ({ index, path, bytes, mediaType })),
    cost: { priceRub: status?.priceRub ?? priceRub, balanceRub },
    ids,
  };
}

export function outcomesJson(jobs: readonly Job[]): object[] {
  return jobs.map(({ error, ...job }) => ({
    ...jobJson(job),
    error: error && { code: error.code, message: error.message },
  }));
}

/** The error to end with if some failed; `pending` is the hint if all are still in progress. */
export function failureOf(
  jobs: readonly Job[],
  { what, hint, pending }: { what: string; hint?: string; pending?: string },
): SvcError | undefined {
  const errors = jobs.flatMap(({ error }) => error ?? []);
  if (errors.length === 0 || jobs.length === 1) return errors[0];
  const count = `${String(errors.length)} of ${String(jobs.length)} jobs`;
  if (pending !== undefined && errors.every((error) => error instanceof Pending)) {
    return new Pending(`${count} are still in progress`, { hint: pending });
  }
  const list = errors.map(({ message }) => `  ${message}`).join('\n');
  const firstHint = errors.find((error) => error.hint !== undefined)?.hint;
  return new Incomplete(`${count} ${what}:\n${list}`, {
    code: 'some_failed',
    hint: hint ?? firstHint,
  });
}

/** What the service says of a result: `1024 × 1024 · seed 0` for people, else a line for each fact. */
export function metaLines(meta: object | null | undefined, isForPeople: boolean): string[] {
  const fields = meta ?? {};
  const facts = Object.keys(fields).map(
    (name) => [plainText(name, 60), plainText(fieldText(fields, name), 300)] as const,
  );
  if (!isForPeople || facts.length === 0) return facts.map((fact) => fact.join(': '));
  const { width, height, ...rest } = Object.fromEntries(facts);
  if (width === undefined || height === undefined) return [facts.map(words).join(' · ')];
  return [[`${width} × ${height}`, ...Object.entries(rest).map(words)].join(' · ')];
}

/** `frames per second 24` for framesPerSecond. */
const words = ([name = '', value = '']: readonly string[]) =>
  `${name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${value}`;

/** Text first, then pictures where the terminal shows them, then the paths: the last line is a path. */
export async function showResults(
  env: JobEnv,
  job: Job,
  { destination, open, preview, startedAtMs }: RunOptions,
  balanceRub: number | undefined,
): Promise<void> {
  const { context } = env;
  const { out, flags, clock } = context;
  const { files = [] } = job;
  const priceRub = job.status?.priceRub ?? job.priceRub;
  if (flags.json) await out.json(runJson(env, job, balanceRub));
  else {
    const { resultText, resultMeta } = job.status?.reply ?? {};
    const text = resultText ?? '';
    // Stdout holds the bytes of the result and nothing else.
    if (destination.kind === 'stream') {
      if (text !== '') out.note(text);
    } else {
      if (text !== '') await out.text(text.endsWith('\n') ? text : `${text}\n`);
      for (const { path } of files) if (path !== undefined) await showFile(context, path, preview);
    }
    if (text === '' && files.length === 0) {
      out.warn(`${plainText(job.jobId, 100)} succeeded, but the service returned no result`);
    }
    for (const line of metaLines(resultMeta, out.isErrorTerminal)) out.dim(line);
    const price = priceRub === undefined ? [] : [formatRub(priceRub, out.language)];
    const took = formatElapsed(clock.now() - startedAtMs);
    await writeCost(context, { balanceRub }, () => [...price, took]);
  }
  const path = files.find((file) => file.path !== undefined)?.path;
  if (open && path !== undefined) await openResult(context, path);
}

/** The error to end with, which points back to the job: running the command again would pay twice. */
export function paidFor(
  { context }: JobEnv,
  jobId: string | undefined,
  error: unknown,
  isMade: boolean,
): unknown {
  if (!(error instanceof SvcError) || context.signal.aborted) return error;
  // A file name may also contain the id, but does not point to the job.
  const isOfFile = error instanceof LocalFileError || error instanceof Incomplete;
  const words = `${isOfFile ? '' : error.message} ${error.hint ?? ''}`;
  if (jobId !== undefined && words.includes(jobId)) return error;
  const [what, command] =
    jobId === undefined
      ? ['is finished; to find its job', 'svc image list']
      : resumeHint(jobId, isMade);
  const details = { hint: `the job is paid for: ${command}`, cause: error };
  if (error instanceof LocalFileError) return new LocalFileError(error.message, details);
  if (error instanceof Incomplete) return new Incomplete(error.message, details);
  const name = jobId ?? 'the image';
  // The exit code alone would have a script run the command again.
  const saysRunAgain =
    error instanceof ApiError
      ? error.status === 429 || error.status >= 500
      : error instanceof NetworkError || error instanceof TimeoutError;
  if (saysRunAgain) {
    return new Incomplete(`${name} is finished, but was not downloaded: ${error.message}`, details);
  }
  context.out.warn(context.commandHint(`${name} ${what}: ${command}`));
  return error;
}

/** Before a request at a price that is known. @throws PriceTooHigh */
export function assertBelow(priceRub: number, maxCostRub = Infinity): void {
  if (priceRub <= maxCostRub) return;
  const rub = comparing(priceRub, maxCostRub);
  const details = { code: 'max_cost', hint: 'raise --max-cost' } as const;
  const limit = `--max-cost ${rub(maxCostRub)}`;
  throw priceTooHigh('this request may cost', rub(priceRub), limit, details);
}

/** Warns of a price above the quote. @throws PriceTooHigh above --max-cost: the job is paid for */
async function assertPrice(env: JobEnv, job: OwnJob, isNew: boolean): Promise<void> {
  const { maxCostRub = Infinity } = env.context.flags;
  const { jobId, priceRub = 0, agreedRub = Infinity } = job;
  const above = (what: string, limitRub: number) => {
    const rub = comparing(priceRub, limitRub);
    return `${jobId} was accepted at ${rub(priceRub)}, above ${what} ${rub(limitRub)}`;
  };
  if (isNew && priceRub > maxCostRub) {
    await writeId(env, job);
    throw new PriceTooHigh(above('--max-cost', maxCostRub), {
      code: 'max_cost_passed',
      hint: `it is paid for and continues: \`${waitCommand(jobId)}\``,
    });
  }
  if (priceRub > agreedRub) {
    env.context.out.warn(above('the quote of', agreedRub));
  }
}
