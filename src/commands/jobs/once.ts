/**
 * Requests that may be paid for and have no key that the specification names: written down before
 * they are sent, sent once, and once more only to a service that says that it knows their key.
 */
import { randomUUID } from 'node:crypto';
import { outcomeIsUnknown } from '../../api/failure.js';
import { howToFindOut } from '../../api/hints.js';
import { knowsKeys, type OnceKey } from '../../api/idempotency.js';
import type { Endpoint } from '../../contract/endpoint.js';
import { ApiError, OutcomeUnknown, SvcError } from '../../errors.js';
import { formatAge } from '../../lib/duration.js';
import type { WantedEvent } from '../../state/ledger-events.js';
import type { LedgerJob } from '../../state/ledger-fold.js';
import { tellResuming } from './resume.js';
import { sayer } from './sayer.js';
import { note, now, type JobWorld } from './world.js';

export interface OnceRequest<Reply> extends Pick<
  WantedEvent,
  'kind' | 'model' | 'wish' | 'body' | 'quotedRub'
> {
  readonly row: Endpoint;
  readonly send: (key: OnceKey) => Promise<Reply>;
  /**
   * Looks for what the service made of a request that it may have carried out: words for what it may
   * be, `none` when all that is listed is something else.
   */
  readonly lookFor?: (lost: Lost) => Promise<Found>;
  /** Told of the key before anything is sent with it. */
  readonly onKey?: (key: string) => void;
}

export type Found = { readonly words: string } | 'none' | undefined;

/** Not listed for so long, it never came to be. */
const patienceMs = 10 * 60_000;

/** Whether a request surely came to nothing. */
export function isNothing({ context }: JobWorld, found: Found, { wantedAtMs }: Lost): boolean {
  return found === 'none' && context.clock.now() - wantedAtMs >= patienceMs;
}

export type Lost = Pick<LedgerJob, 'intent' | 'model' | 'wantedAtMs'>;

/**
 * Sends a request, or goes on with what an earlier run has sent.
 * @param earlier as `resumable` gives it.
 * @throws LocalFileError before anything is sent when it cannot be written down; OutcomeUnknown when
 * nobody can tell what became of it; what `send` throws.
 */
export async function sendOnce<Reply>(
  world: JobWorld,
  request: OnceRequest<Reply>,
  earlier?: LedgerJob,
): Promise<{ readonly intent: string; readonly reply: Reply }> {
  const goesOn = earlier !== undefined && (await mayRepeat(world, request, earlier));
  const intent = goesOn ? earlier.intent : `${request.kind}-${randomUUID()}`;
  const wantedAtMs = world.context.clock.now();
  request.onKey?.(intent);
  if (goesOn) tellResuming(world, earlier);
  else writeDown(world, request, intent);
  try {
    return { intent, reply: await sent(world, request, { key: intent, isKnown: goesOn }) };
  } catch (error) {
    const isUncertain = goesOn ? !isOfTheRequest(error) : mayHaveBeenDone(error);
    writeOutcome(world, intent, error, isUncertain);
    if (!isUncertain || goesOn || world.context.signal.aborted) throw error;
    throw await explained(error, request, { intent, model: request.model, wantedAtMs });
  }
}

/** @returns false when the earlier run surely came to nothing. @throws OutcomeUnknown */
async function mayRepeat<Reply>(
  world: JobWorld,
  { row, lookFor }: OnceRequest<Reply>,
  earlier: LedgerJob,
): Promise<boolean> {
  if (await knowsKeys(world.client, row)) return true;
  const found = await lookFor?.(earlier);
  if (isNothing(world, found, earlier)) {
    note(world, { type: 'dropped', intent: earlier.intent, why: 'refused', code: 'not_listed' });
    return false;
  }
  const age = formatAge(world.context.clock.now() - earlier.wantedAtMs);
  const which = typeof found === 'object' ? `: ${found.words}` : '';
  throw new OutcomeUnknown(
    `an earlier run of this, ${age} ago, may have been carried out and charged${which}`,
    { code: 'earlier_run_unknown', hint: `${howToFindOut(row)}; to pay for another, give --new` },
  );
}

function writeDown<Reply>(world: JobWorld, request: OnceRequest<Reply>, intent: string): void {
  const { kind, model, wish, body, quotedRub } = request;
  const { account, owner } = world;
  const wanted = { kind, account, owner, model, wish, headers: {}, body, quotedRub };
  world.ledger.append(now(world, { type: 'wanted', intent, ...wanted }));
}

/** A lost answer is asked for again where the service knows the key. */
async function sent<Reply>(
  world: JobWorld,
  { send, row }: OnceRequest<Reply>,
  key: OnceKey,
): Promise<Reply> {
  try {
    return await send(key);
  } catch (error) {
    const isLost = outcomeIsUnknown(error) && !key.isKnown && !world.context.signal.aborted;
    if (!isLost || !(await knowsKeys(world.client, row))) throw error;
    sayer(world.context)(`${error.message}; asking again with the same key`);
    return send({ ...key, isKnown: true });
  }
}

/** Whatever is no error of svc's own broke off at an unknown point. */
function mayHaveBeenDone(error: unknown): boolean {
  return outcomeIsUnknown(error) || !(error instanceof SvcError);
}

/** Whether a refusal would have met the earlier attempt too, so that there is nothing. */
function isOfTheRequest(error: unknown): boolean {
  return error instanceof ApiError && [400, 402, 404, 409, 413, 422].includes(error.status);
}

function writeOutcome(world: JobWorld, intent: string, error: unknown, isUncertain: boolean): void {
  const message = error instanceof Error ? error.message : undefined;
  if (isUncertain) {
    note(world, { type: 'uncertain', intent, isUnanswered: true, message });
    return;
  }
  const why = error instanceof ApiError ? 'refused' : 'not_sent';
  const code = error instanceof SvcError ? error.code : undefined;
  note(world, { type: 'dropped', intent, why, code, message });
}

/** The error, with what the request may have become. */
async function explained<Reply>(
  error: unknown,
  { lookFor }: OnceRequest<Reply>,
  lost: Lost,
): Promise<unknown> {
  const found = await lookFor?.(lost);
  if (typeof found !== 'object' || !(error instanceof SvcError)) return error;
  const { code, hint } = error;
  return new OutcomeUnknown(`${error.message}; ${found.words}`, { code, hint, cause: error });
}
