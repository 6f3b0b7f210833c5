/** Ends the run of a job that has just begun: its results, or its id, and what it cost. */
import { readFile } from 'node:fs/promises';
import { costOf, type Cost } from '../api/cost.js';
import { resultLinks, routeOf } from '../api/media/follow.js';
import { warnIfLow } from './cost.js';
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
import { formatElapsed } from '../lib/duration.js';
import { fileKindOf, mediaTypeOfExtension } from '../lib/file-kind.js';
import { splitExtension } from '../lib/file-name.js';
import { formatRub } from '../lib/amounts.js';
import { plainText } from '../lib/plain-text.js';
import { shellWord } from '../lib/names.js';
import { inlineImage, maxInlineBytes, showInViewer } from '../terminal/viewer.js';
import { collect, type Collected } from './collect.js';
import type { Destination } from './destination.js';
import { comeBack, followToSuccess, startJobSpinner } from './follow.js';
import type { Job, JobEnv } from './job.js';
import { closeRun } from './once.js';
import { usualPatienceMs } from './options.js';

export interface Finishing {
  /** Else its id is all that is told. */
  readonly wait: boolean;
  readonly destination: Destination;
  /** Show the first result with the system's viewer. */
  readonly open?: boolean;
  /** When the command began: its patience counts from there. */
  readonly startedAtMs: number;
}

/**
 * Waits for a job, fetches its results and shows what came of it: then its run has ended well.
 * @throws Pending when the time is over, JobFailed, what fetching throws. Under --json the job is
 * told on stdout whatever came of it.
 */
export async function finishJob(
  world: JobEnv,
  job: Job & { readonly intent: string },
  finishing: Finishing,
): Promise<void> {
  if (finishing.wait) await showEnd(world, job, finishing);
  else await writeId(world, job);
  closeRun(world, job.intent);
}

async function showEnd(world: JobEnv, job: Job, finishing: Finishing): Promise<void> {
  const { context, client } = world;
  const { clock, flags, out } = context;
  const { startedAtMs, destination } = finishing;
  let known = job;
  let files: readonly Collected[] | undefined;
  try {
    const spinner = await startJobSpinner(world, job, startedAtMs);
    const patienceMs = flags.timeoutMs ?? usualPatienceMs;
    const { resultUrls } = await followToSuccess(world, job, {
      deadlineMs: startedAtMs + patienceMs - clock.now(),
      spinner,
      onStatus: (status) => {
        known = { ...job, status };
      },
    }).finally(() => {
      spinner.stop();
    });
    files = await collect(world, job, resultLinks(client, resultUrls), destination);
  } catch (error) {
    // What there is of the job is data; why it is not all is told on stderr.
    if (flags.json && !context.signal.aborted) await out.json(jobJson(inLedger(world, known)));
    else if (error instanceof Pending) await out.line(job.jobId);
    throw paidFor(world, job.jobId, { error, hasResults: known.status?.state === 'success' });
  }
  // The balance is asked for where somebody will see it.
  const isSeen = flags.json || (out.isErrorTerminal && !flags.quiet);
  const { balanceRub }: Cost = isSeen ? await costOf(client, undefined) : {};
  await showResults(world, inLedger(world, known), { ...finishing, files, balanceRub });
}

/** The id of a job that nobody waits for: alone, so that a script can keep it. */
export async function writeId(world: JobEnv, job: Job): Promise<void> {
  const { out, flags } = world.context;
  await (flags.json ? out.json(jobJson(inLedger(world, job))) : out.line(job.jobId));
}

function inLedger({ ledger }: JobEnv, job: Job): Job {
  return { ...job, ledger: ledger.jobs().find(({ intent }) => intent === job.intent) };
}

/** The object of --json. Fields are added, never changed. */
export function jobJson(
  { jobId, model, priceRub, status, state, ledger }: Job,
  files?: readonly Collected[],
  balanceRub?: number,
): Record<string, unknown> {
  const reply = status?.reply;
  const route = { ...ledger?.route, ...routeOf(reply) };
  return {
    job: jobId,
    status: status?.state ?? state,
    model: route.effectiveModel ?? reply?.model ?? model,
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
  };
}

/** The rows of `resultMeta`, in the order in which it came. */
export function metaLines(meta: object): string[] {
  return Object.entries(meta).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${plainText(name, 60)}: ${plainText(text, 300)}`;
  });
}

interface Showing extends Omit<Finishing, 'wait'> {
  readonly files: readonly Collected[];
  readonly balanceRub: number | undefined;
}

/** Text first, then pictures where the terminal can, then the paths: the last line is a path. */
export async function showResults(
  { context }: JobEnv,
  job: Job,
  { files, balanceRub, destination, open, startedAtMs }: Showing,
): Promise<void> {
  const { out, flags, clock } = context;
  if (flags.json) {
    await out.json(jobJson(job, files, balanceRub));
  } else {
    const { resultText, resultMeta } = job.status?.reply ?? {};
    const text = resultText ?? '';
    // Where stdout holds the bytes of the result, nothing else may go there.
    if (destination.kind === 'stdout') {
      if (text !== '') out.note(text);
    } else {
      if (text !== '') await out.text(text.endsWith('\n') ? text : `${text}\n`);
      for (const file of files) await showFile(context, file);
    }
    if (text === '' && files.length === 0) {
      out.warn(`${plainText(job.jobId, 100)} succeeded, but the service named no result`);
    }
    for (const line of metaLines(resultMeta ?? {})) out.note(line);
    const priceRub = job.status?.priceRub ?? job.priceRub;
    const facts = [
      ...(priceRub === undefined ? [] : [formatRub(priceRub)]),
      formatElapsed(clock.now() - startedAtMs),
      ...(balanceRub === undefined ? [] : [`balance ${formatRub(balanceRub)}`]),
    ];
    if (out.isErrorTerminal) out.dim(facts.join(' · '));
    warnIfLow(context, balanceRub);
  }
  const path = files.find((file) => file.path !== undefined)?.path;
  if (open && path !== undefined) await openFile(context, path);
}

async function showFile(
  { out, env }: JobEnv['context'],
  { path, bytes }: Collected,
): Promise<void> {
  if (path === undefined) return;
  if (out.isTerminal && bytes <= maxInlineBytes) {
    const content = await readFile(path).catch(() => undefined);
    const mediaType = content && fileKindOf(content)?.mediaType;
    const image = content && mediaType && inlineImage(env, content, mediaType);
    if (image) await out.bytes(image);
  }
  await out.line(path);
}

async function openFile({ out, env }: JobEnv['context'], path: string): Promise<void> {
  // A viewer goes by the name, and some names are run: where the content is not known, the
  // service chose its ending.
  const mediaType = mediaTypeOfExtension(splitExtension(path)[1].slice(1)) ?? '';
  const isMedia = /^(?:image|audio|video|model)\//.test(mediaType);
  const failure = isMedia
    ? await showInViewer(path, env)
    : `${path} is no picture, sound, video or 3D model; it was not opened`;
  if (failure !== undefined) out.warn(failure);
}

/**
 * The error to end with, which leads back to the job: to run the command again would pay twice.
 * Where the error itself has to stay, it is said on stderr.
 * @param jobId undefined of an image whose answer named no job.
 * @param hasResults whether the service has told that it succeeded.
 */
export function paidFor(
  { context }: JobEnv,
  jobId: string | undefined,
  { error, hasResults }: { error: unknown; hasResults: boolean },
): unknown {
  if (!(error instanceof SvcError) || context.signal.aborted) return error;
  // The name of a file may hold the id too, and leads nowhere.
  const isOfFile = error instanceof LocalFileError || error instanceof Incomplete;
  const words = `${isOfFile ? '' : error.message} ${error.hint ?? ''}`;
  if (jobId !== undefined && words.includes(jobId)) return error;
  let what = 'is made; look for its job';
  let command = 'svc image list';
  if (jobId !== undefined) {
    what = hasResults ? 'is made; fetch its results' : 'goes on without svc; come back';
    command = hasResults ? `svc jobs download ${shellWord(jobId)}` : comeBack(jobId);
  }
  const details = { code: error.code, hint: `the job is paid for: ${command}`, cause: error };
  if (error instanceof LocalFileError) return new LocalFileError(error.message, details);
  if (error instanceof Incomplete) return new Incomplete(error.message, details);
  const name = jobId ?? 'the image';
  // The exit code alone would have a script run the command again.
  const saysRunAgain =
    error instanceof ApiError
      ? error.status === 429 || error.status >= 500
      : error instanceof NetworkError || error instanceof TimeoutError;
  if (saysRunAgain) {
    return new Incomplete(`${name} is made, but not fetched: ${error.message}`, details);
  }
  context.out.warn(context.commandHint(`${name} ${what}: ${command}`));
  return error;
}

/** @throws PriceTooHigh before anything is submitted. */
export function assertBelow(priceRub: number, maxPriceRub: number | undefined): void {
  if (maxPriceRub === undefined || priceRub <= maxPriceRub) return;
  throw new PriceTooHigh(
    `it costs ${formatRub(priceRub)}, more than --max-price ${formatRub(maxPriceRub)}; nothing was submitted`,
    { code: 'max_price', hint: 'change the request, or allow more with --max-price' },
  );
}

/**
 * Warns of a job that the service took on at a higher price than it had quoted.
 * @throws PriceTooHigh when that is above --max-price: it is paid for, and its id is on stdout.
 */
export async function assertPrice(
  world: JobEnv,
  job: Job,
  { agreedRub, maxPriceRub = Infinity }: { agreedRub?: number; maxPriceRub?: number },
): Promise<void> {
  const { jobId, priceRub = 0 } = job;
  if (priceRub > maxPriceRub) {
    await writeId(world, job);
    throw new PriceTooHigh(
      `${jobId} was accepted at ${formatRub(priceRub)}, more than --max-price ${formatRub(maxPriceRub)}`,
      { code: 'max_price_passed', hint: `it is paid for and goes on: \`${comeBack(jobId)}\`` },
    );
  }
  if (agreedRub !== undefined && priceRub > agreedRub) {
    const prices = `${formatRub(priceRub)}, more than the ${formatRub(agreedRub)} that were quoted`;
    world.context.out.warn(`${jobId} was accepted at ${prices}`);
  }
}
