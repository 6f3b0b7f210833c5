/**
 * A media request: its body, what it costs, and sending it once, the same key and the same bytes,
 * however often it takes (sections 2.11, 3.1 and 3.5).
 */
import * as z from 'zod/mini';
import type { extendTiers } from '../../contract/enums.js';
import {
  extendVideo as extendVideoRow,
  generateMedia,
  JobId,
  quoteExtendPrice,
  quotePrice,
  quotePublicPrice,
  type ExtendRequest,
  type MediaRequest,
} from '../../contract/media.js';
import { ApiError, OutcomeUnknown } from '../../errors.js';
import { jsonBody, type Base64Sources } from '../../http/request-body.js';
import { AttemptFailed, type Transport } from '../../http/types.js';
import { numberOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { call } from '../call.js';
import type { Client } from '../client.js';
import { withKey, type OnceKey } from '../beyond-spec.js';
import { howToFindOut } from '../failure.js';
import type { Payload } from '../prepare.js';
import { routeOf } from './follow.js';

export type MediaBody = z.input<typeof MediaRequest>;

const contentType = 'application/json';

/**
 * The body as it travels: text, or pieces when it holds sources.
 * @param sources each placeholder stands in the body as the whole value of one field.
 */
export function payloadOf(body: MediaBody, sources: Base64Sources = new Map()): Payload {
  return { contentType, body: jsonBody(JSON.stringify(body), sources) };
}

/** How many bytes a payload has. */
export function payloadBytes({ body }: Payload): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

/** The pieces of any payload, to write them down. */
export async function* piecesOf({ body }: Payload): AsyncGenerator<Uint8Array, void, undefined> {
  if (typeof body === 'string') yield Buffer.from(body);
  else if (body instanceof Uint8Array) yield body;
  else yield* body.open();
}

export type Quote = Awaited<ReturnType<typeof askPrice>>;

/**
 * Asks for the price of a body: with the client's key, or the public one without a key.
 * @param payload the body as it travels.
 * @throws what `call` throws.
 */
export async function askPrice(client: Client, body: MediaBody, payload: Payload) {
  const row = client.key === undefined ? quotePublicPrice : quotePrice;
  const { data } = await call(client, row, { body }, { payload });
  return {
    /** Undefined when the service names none. */
    priceRub: data.priceRub ?? undefined,
    isEstimate: data.isEstimate ?? false,
    estimateReason: data.estimateReason ?? undefined,
    breakdown: data.breakdown ?? {},
    quoteId: data.quoteId ?? undefined,
    expiresAt: data.expiresAt ?? undefined,
    /** The reply as it came. */
    reply: data,
  };
}

/**
 * Whether a refusal means that the quote no longer holds: stale, used or moved (409, 422), or that
 * the price has risen above the ceiling that the quote set.
 */
export function isQuoteRefused(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error.outcomeUnknown) return false;
  const words = `${error.code ?? ''} ${error.message}`;
  if (error.code === 'media_max_price_exceeded') return true;
  if (error.status === 409) return !/idempot/i.test(words);
  return error.status === 422 && /quote/i.test(words);
}

export interface Submission {
  /** The Idempotency-Key. */
  readonly key: string;
  readonly payload: Payload;
  /** More headers, as `call` takes them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The same bytes went out before, and nobody knows what became of them. */
  readonly isResend?: boolean;
  /** They went out so lately that they may still be being worked on. */
  readonly wasSentJustNow?: boolean;
}

/**
 * What came of it. `refused`: there is no job, and a new key may be taken. `not_sent`: no byte left
 * this time. `uncertain`: the service may have it, so only the same key may be sent again.
 */
export type Submitted =
  | { readonly outcome: 'accepted'; readonly reply: ReturnType<typeof acceptedIn> }
  | { readonly outcome: 'refused' | 'not_sent'; readonly error: unknown }
  | {
      readonly outcome: 'uncertain';
      readonly error: unknown;
      /** An attempt went out just now and brought no answer that says what became of it. */
      readonly isUnanswered: boolean;
    };

/** Never rejects: what went wrong is in the answer, with what it means for the job. */
export async function submit(client: Client, submission: Submission): Promise<Submitted> {
  const { key, payload, headers } = submission;
  const watch = watched(client.transport);
  try {
    const { data } = await call(
      { ...client, transport: watch.transport },
      asItIs,
      {},
      { payload, headers: { ...headers, 'idempotency-key': key } },
    );
    return { outcome: 'accepted', reply: acceptedIn(data) };
  } catch (error) {
    if (!watch.hasLeft()) return { outcome: 'not_sent', error };
    if (isDefinite(error, submission)) return { outcome: 'refused', error };
    if (!(error instanceof ApiError) || error.outcomeUnknown) {
      return { outcome: 'uncertain', error, isUnanswered: true };
    }
    // The error itself does not say so.
    const message = `${error.message}; it may have been accepted and charged`;
    const details = { code: error.code, hint: howToFindOut(generateMedia), cause: error };
    const isUnanswered = error.earlierUnknown;
    return { outcome: 'uncertain', error: new OutcomeUnknown(message, details), isUnanswered };
  }
}

/**
 * Its body is checked where it is made; here it is bytes, perhaps from another day. A reply without
 * an id is of no use; whatever else is wrong with it, the job is paid for.
 */
const asItIs = { ...generateMedia, body: undefined, returns: z.looseObject({ jobId: JobId }) };

/** Of the reply no more than the id is sure to be readable. */
function acceptedIn(reply: JsonRecord & { readonly jobId: string }) {
  const { jobId, status, priceRub } = reply;
  return { jobId, status: textOf(status), priceRub: numberOf(priceRub), reply };
}

/** @returns also whether a byte of any attempt may have left. */
function watched(transport: Transport): { transport: Transport; hasLeft: () => boolean } {
  let left = false;
  return {
    hasLeft: () => left,
    transport: async (request) => {
      try {
        const response = await transport(request);
        left = true;
        return response;
      } catch (error) {
        // What is no failure of an attempt, as a dry run, sent nothing.
        if (error instanceof AttemptFailed && error.sent) left = true;
        throw error;
      }
    },
  };
}

/**
 * Whether a refusal means that there is no job. Of an earlier attempt that brought no answer only
 * a refusal of the request itself says anything: that one would have met it too.
 */
function isDefinite(
  error: unknown,
  { isResend = false, wasSentJustNow = false }: Submission,
): error is ApiError {
  if (!(error instanceof ApiError) || error.outcomeUnknown) return false;
  if (!isResend && !error.earlierUnknown) return true;
  if (!ofTheRequest.has(error.status)) return false;
  const words = `${error.code ?? ''} ${error.message}`;
  if (/idempot/i.test(words)) return false;
  // The earlier attempt may be the one that has taken the quote.
  const isOfTheQuote = error.status === 409 || /quote/i.test(words);
  return !(isOfTheQuote && (wasSentJustNow || error.earlierUnknown));
}

const ofTheRequest: ReadonlySet<number> = new Set([400, 409, 422]);

/**
 * What an extension costs; undefined where the reply, which section 4.3 does not show, names it in a
 * way that is not known. @throws what `call` throws.
 */
export async function askExtendPrice(client: Client, tier: (typeof extendTiers)[number]) {
  const { data } = await call(client, quoteExtendPrice, { body: { tier } });
  return { priceRub: priceIn(data), reply: data };
}

/**
 * Starts the extension, once for a key.
 * @throws what `call` throws; ApiError with an unknown outcome when the reply names no job.
 */
export async function extendVideo(
  client: Client,
  body: z.input<typeof ExtendRequest>,
  key: OnceKey,
) {
  const { row, headers } = withKey(extendVideoRow, key);
  const { data, status, ids } = await call(client, row, { body }, { headers });
  const named = fieldIn(data, ['jobId', 'job_id', 'id', 'taskId', 'task_id'], jobIdOf);
  const jobId = named ?? jobIdOf(ids['media-job-id']);
  if (jobId === undefined) {
    throw new ApiError('the service accepted the extension and named no job', {
      status,
      code: 'invalid_reply',
      hint: howToFindOut(extendVideoRow),
      outcomeUnknown: true,
    });
  }
  return {
    jobId,
    status: fieldIn(data, ['status'], textOf),
    priceRub: priceIn(data),
    route: holdersIn(data)
      .map(routeOf)
      .reduce((all, one) => ({ ...one, ...all })),
  };
}

/** Nothing costs less than nothing. */
function priceOf(value: unknown): number | undefined {
  const price = numberOf(value);
  return price !== undefined && price >= 0 ? price : undefined;
}

const jobIdOf = (value: unknown) => JobId.safeParse(value).data;

function priceIn(reply: unknown): number | undefined {
  return fieldIn(reply, ['priceRub', 'price_rub', 'costRub', 'cost_rub', 'price'], priceOf);
}

/** A reply, and what it may wrap. */
function holdersIn(reply: unknown): JsonRecord[] {
  const whole = recordOf(reply);
  return [whole, recordOf(whole['data']), recordOf(whole['job'])];
}

/** A field of a reply, or of what it wraps. */
function fieldIn<Value>(
  reply: unknown,
  names: readonly string[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  for (const holder of holdersIn(reply)) {
    for (const name of names) {
      const value = read(holder[name]);
      if (value !== undefined) return value;
    }
  }
  return undefined;
}
