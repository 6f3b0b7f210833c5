/** A repeated command does not pay again: it resumes a run that did not end. */
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { supportsIdempotencyKeys, type OnceKey } from '../api/beyond-spec.js';
import { outcomeHint, outcomeIsUnknown } from '../api/failure.js';
import type { Endpoint } from '../contract/endpoint.js';
import { ApiError, isRefusal, LocalFileError, OutcomeUnknown, SvcError } from '../errors.js';
import { stateOf } from '../files/owner.js';
import { formatAge } from '../lib/duration.js';
import { canonicalJson } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import type { WantedEvent, LedgerJob } from '../state/ledger-job.js';
import { withLock } from '../state/lock.js';
import type { TakenName } from './collect.js';
import { append, note, noteFailure, progressWriter, type JobEnv } from './job.js';

export function requestHash(request: object): string {
  return createHash('sha256').update(canonicalJson(request)).digest('hex').slice(0, 32);
}

/** The earlier run of this request to resume, claimed by this one. @throws LocalFileError */
export async function runToResume(
  env: JobEnv,
  { hash, isNew = false, taken }: { hash: string; isNew: boolean | undefined; taken?: TakenName },
): Promise<LedgerJob | undefined> {
  if (isNew) for (const { intent } of openRuns(env, hash)) closeRun(env, intent);
  const job = isNew ? undefined : await claimedRun(env, hash);
  if (taken && !job?.saved.some(({ path }) => path === taken.path)) throw taken.refusal;
  return job;
}

export function reportResuming(env: JobEnv, { jobId, wantedAtMs }: LedgerJob): void {
  const { atWork, context } = env;
  const age = formatAge(context.clock.now() - wantedAtMs);
  const what = jobId ?? unanswered;
  atWork.isResumed = true;
  const note = 'nothing is paid twice; use --new to start another';
  context.out.note(`resuming ${what} (started ${age} ago): ${note}`);
}

const unanswered = 'a request without an answer';

/** Its run succeeded: from now on the same command starts another. */
export function closeRun(env: JobEnv, intent: string): void {
  try {
    append(env, { type: 'closed', intent });
  } catch (error) {
    // The same command would find its result again: nothing is lost.
    if (!(error instanceof LocalFileError)) throw error;
  }
}

/** Newest first: its results expire last. */
function openRuns(env: JobEnv, hash: string): LedgerJob[] {
  return env.ledger.openJobsOfRequest(hash, env.account).reverse();
}

async function claimedRun(env: JobEnv, hash: string): Promise<LedgerJob | undefined> {
  const earlier = await abandonedRun(env, hash);
  if (!earlier) return undefined;
  const { clock, out, paths, prompts, signal } = env.context;
  const started = new Date(earlier.wantedAtMs);
  const isOfToday = started.toDateString() === new Date(clock.now()).toDateString();
  if (!isOfToday && env.context.prompts.canAsk) {
    const what = `${earlier.jobId ?? unanswered} of ${started.toLocaleString()}`;
    const message = `Resume ${what}, which has not been downloaded yet?`;
    if (!(await prompts.confirm({ message, default: true }))) return undefined;
  }
  // Of several parallel reruns, one resumes it.
  const job = await withLock(join(paths.data, 'resume.lock'), { clock, signal }, async () => {
    const job = await abandonedRun(env, hash);
    const { owner, output } = env;
    if (job) append(env, { type: 'resumed', intent: job.intent, owner, output });
    return job;
  });
  if (job?.owner && (await stateOf(job.owner)) === 'unknown') {
    const which = `the run of ${formatAge(clock.now() - job.wantedAtMs)} ago on ${plainText(job.owner.host, 60)}`;
    const only = 'nothing is paid twice unless --new is given';
    out.warn(`whether ${which} has ended cannot be known here; ${only}`);
  }
  return job;
}

/** A run that a process certainly uses is not resumed: the same command may run twice on purpose. */
async function abandonedRun(env: JobEnv, hash: string): Promise<LedgerJob | undefined> {
  for (const job of openRuns(env, hash)) {
    const isAbandoned = job.state === 'uncertain' || (await stateOf(job.owner)) !== 'running';
    // Its process may have ended it, and then itself, since the ledger was read.
    const isOpenStill = () => openRuns(env, hash).some(({ intent }) => intent === job.intent);
    if (isAbandoned && isOpenStill()) return job;
  }
  return undefined;
}

type Wanted = Pick<WantedEvent, 'kind' | 'model' | 'hash' | 'body' | 'quotedRub'>;

interface OnceRequest<Reply> extends Wanted {
  readonly row: Endpoint;
  readonly send: (key: OnceKey) => Promise<Reply>;
  readonly lookFor?: (lost: UnknownOutcome) => Promise<Candidates>;
}

/** Describes the candidates; `none` when nothing in the list can be it. */
export type Candidates = { readonly words: string } | 'none' | undefined;

export type UnknownOutcome = Pick<LedgerJob, 'intent' | 'model' | 'wantedAtMs'>;

/** Not listed for so long, it was never created. */
const listingLimitMs = 10 * 60_000;

/** Whether a request certainly had no effect, which is then recorded. */
export function hadNoEffect(env: JobEnv, candidates: Candidates, lost: UnknownOutcome): boolean {
  const { intent, wantedAtMs } = lost;
  const isOver = candidates === 'none' && env.context.clock.now() - wantedAtMs >= listingLimitMs;
  if (isOver) note(env, { type: 'dropped', intent, why: 'refused', code: 'not_listed' });
  return isOver;
}

/** Sends a request, or resumes what an earlier run has sent. @throws OutcomeUnknown */
export async function sendOnce<Reply>(
  env: JobEnv,
  request: OnceRequest<Reply>,
  earlier?: LedgerJob,
): Promise<{ readonly intent: string; readonly reply: Reply }> {
  const isRepeated = earlier !== undefined && (await mayRepeat(env, request, earlier));
  const intent = isRepeated ? earlier.intent : `${request.kind}-${randomUUID()}`;
  const wantedAtMs = env.context.clock.now();
  env.atWork.key = intent;
  if (isRepeated) reportResuming(env, earlier);
  else {
    const { kind, model, hash, body, quotedRub } = request;
    const { account, owner, output } = env;
    const facts = { kind, model, hash, headers: {}, body, quotedRub };
    append(env, { type: 'wanted', intent, account, owner, output, ...facts });
  }
  try {
    return { intent, reply: await sent(env, request, { key: intent, isKnown: isRepeated }) };
  } catch (error) {
    // Any error that is not svc's own ended the run at an unknown point.
    const isUncertain = isRepeated
      ? !isRefusal(error, ...ofTheRequest)
      : outcomeIsUnknown(error) || !(error instanceof SvcError);
    const why = error instanceof ApiError ? 'refused' : 'not_sent';
    noteFailure(env, intent, { outcome: isUncertain ? 'uncertain' : why, error });
    if (!isUncertain || isRepeated || env.context.signal.aborted) throw error;
    const candidates = await request.lookFor?.({ intent, model: request.model, wantedAtMs });
    if (typeof candidates !== 'object' || !(error instanceof SvcError)) throw error;
    const { hint } = error;
    throw new OutcomeUnknown(`${error.message}; ${candidates.words}`, { hint, cause: error });
  }
}

/** @returns false when the earlier run certainly had no effect. @throws OutcomeUnknown */
async function mayRepeat<Reply>(
  env: JobEnv,
  { row, lookFor }: OnceRequest<Reply>,
  earlier: LedgerJob,
): Promise<boolean> {
  if (await supportsIdempotencyKeys(env.client, row)) return true;
  const candidates = await lookFor?.(earlier);
  if (hadNoEffect(env, candidates, earlier)) return false;
  const age = formatAge(env.context.clock.now() - earlier.wantedAtMs);
  const which = typeof candidates === 'object' ? `: ${candidates.words}` : '';
  throw new OutcomeUnknown(
    `an earlier run of this request, ${age} ago, may have been carried out and charged${which}`,
    { code: 'earlier_run_unknown', hint: `${outcomeHint(row)}; to pay for another, use --new` },
  );
}

/** A lost answer is requested again where the service supports the key. */
async function sent<Reply>(env: JobEnv, { send, row }: OnceRequest<Reply>, key: OnceKey) {
  try {
    return await send(key);
  } catch (error) {
    const isLost = outcomeIsUnknown(error) && !key.isKnown && !env.context.signal.aborted;
    if (!isLost || !(await supportsIdempotencyKeys(env.client, row))) throw error;
    progressWriter(env.context)(`${error.message}; trying again with the same key`);
    return send({ ...key, isKnown: true }).catch((later: unknown) => {
      // What was not sent says nothing about the attempt before it.
      throw later instanceof ApiError || outcomeIsUnknown(later) ? later : error;
    });
  }
}

/** Refusals that the earlier attempt would have met too, so it had no effect. */
const ofTheRequest = [400, 402, 404, 409, 413, 422];
