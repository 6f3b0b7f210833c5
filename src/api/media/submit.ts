/** A media request: its body, its price, and sending it once (sections 2.11, 3.1 and 3.5). */
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
  type PriceQuote,
} from '../../contract/media.js';
import { ApiError, OutcomeUnknown, type RequestIds } from '../../errors.js';
import { AttemptFailed, type Transport } from '../../http/types.js';
import { numberOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { withKey, type OnceKey } from '../beyond-spec.js';
import { call } from '../call.js';
import type { Client } from '../client.js';
import { outcomeHint } from '../failure.js';
import type { Payload } from '../prepare.js';
import { routeOf, type JobRoute } from './follow.js';

export type MediaBody = z.input<typeof MediaRequest>;

export type Quote = z.output<typeof PriceQuote>;

/** Asks for the price of a body: the public one without a key. @throws what `call` throws. */
export async function askPrice(client: Client, body: MediaBody, payload: Payload): Promise<Quote> {
  const row = client.key === undefined ? quotePublicPrice : quotePrice;
  return (await call(client, row, { body }, { payload })).data;
}

/** Whether the quote is no longer valid (409, 422), or its ceiling was exceeded. */
export function isQuoteRefused(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error.outcomeUnknown || error.isForeign) return false;
  const words = `${error.code ?? ''} ${error.message}`;
  if (error.code === 'media_max_price_exceeded') return true;
  if (error.status === 409) return !/idempot/i.test(words);
  return error.status === 422 && /quote/i.test(words);
}

export interface Submission {
  readonly key: string;
  readonly payload: Payload;
  readonly headers?: Readonly<Record<string, string>>;
  /** The same bytes were sent before, with an unknown outcome. */
  readonly isResend?: boolean;
  /** They were sent so recently that they may still be processed. */
  readonly wasSentJustNow?: boolean;
}

/** The body was checked where it was made; a reply with an id is a job that is paid for. */
const asItIs = { ...generateMedia, body: undefined, returns: z.looseObject({ jobId: JobId }) };

/** Only its id is certain. */
export interface AcceptedJob {
  readonly jobId: string;
  readonly status: string | undefined;
  readonly priceRub: number | undefined;
  readonly route: JobRoute;
  readonly reply: JsonRecord | undefined;
  readonly ids: RequestIds;
}

/** `refused`: there is no job. `not_sent`: no byte was sent. `uncertain`: only this key may be sent again. */
export type SubmitOutcome =
  | { readonly outcome: 'accepted'; readonly job: AcceptedJob }
  | {
      readonly outcome: 'refused' | 'not_sent' | 'uncertain';
      readonly error: unknown;
      /** Uncertain, without an answer about its outcome. */
      readonly isUnanswered?: boolean;
    };

/** Never throws: the answer says what went wrong, and what that means for the job. */
export async function submit(client: Client, submission: Submission): Promise<SubmitOutcome> {
  const sent = { hasLeft: false };
  const transport: Transport = async (request) => {
    try {
      const response = await client.transport(request);
      sent.hasLeft = true;
      return response;
    } catch (error) {
      // What is not a failed attempt, such as a dry run, sent nothing.
      if (error instanceof AttemptFailed && error.sent) sent.hasLeft = true;
      throw error;
    }
  };
  const { key, payload } = submission;
  const headers = { ...submission.headers, 'idempotency-key': key };
  try {
    const { data, ids } = await call({ ...client, transport }, asItIs, {}, { payload, headers });
    const job = acceptedIn([data], data.jobId, numberOf(data['priceRub']));
    return { outcome: 'accepted', job: { ...job, ids } };
  } catch (error) {
    if (!sent.hasLeft) return { outcome: 'not_sent', error };
    if (isDefinite(error, submission)) return { outcome: 'refused', error };
    if (!(error instanceof ApiError) || error.outcomeUnknown) {
      return { outcome: 'uncertain', error, isUnanswered: true };
    }
    // The error itself does not say so.
    const message = `${error.message}; it may have been accepted and charged`;
    const details = { hint: outcomeHint(generateMedia), cause: error };
    const isUnanswered = error.earlierUnknown;
    return { outcome: 'uncertain', error: new OutcomeUnknown(message, details), isUnanswered };
  }
}

/** Whether there is certainly no job: after a lost attempt only some refusals say so. */
function isDefinite(error: unknown, { isResend = false, wasSentJustNow = false }: Submission) {
  if (!(error instanceof ApiError) || error.outcomeUnknown) return false;
  if (!isResend && !error.earlierUnknown) return true;
  const words = `${error.code ?? ''} ${error.message}`;
  if (![400, 409, 422].includes(error.status) || /idempot/i.test(words)) return false;
  // The earlier attempt may be the one that has taken the quote.
  const isOfTheQuote = error.status === 409 || /quote/i.test(words);
  return !(isOfTheQuote && (wasSentJustNow || error.earlierUnknown));
}

export async function askExtendPrice(client: Client, tier: (typeof extendTiers)[number]) {
  const { data } = await call(client, quoteExtendPrice, { body: { tier } });
  return { priceRub: priceIn(data), reply: data };
}

export async function extendVideo(
  client: Client,
  body: z.input<typeof ExtendRequest>,
  key: OnceKey,
) {
  const { row, headers } = withKey(extendVideoRow, key);
  const { data, status, ids } = await call(client, row, { body }, { headers });
  const holders = holdersIn(data);
  const id = fieldIn(holders, ['jobId', 'job_id', 'id', 'taskId', 'task_id'], jobIdOf);
  const jobId = id ?? jobIdOf(ids.jobId);
  if (jobId === undefined) {
    throw new ApiError('the service accepted the extension without naming a job', {
      status,
      code: 'invalid_reply',
      hint: outcomeHint(extendVideoRow),
      outcomeUnknown: true,
    });
  }
  return { ...acceptedIn(holders, jobId, priceIn(data)), ids };
}

function acceptedIn(holders: readonly JsonRecord[], jobId: string, priceRub?: number) {
  const route = holders.map(routeOf).reduce((all, one) => ({ ...one, ...all }));
  const [reply] = holders;
  return { jobId, status: fieldIn(holders, ['status'], textOf), priceRub, route, reply };
}

export const jobIdOf = (value: unknown) => JobId.safeParse(value).data;

export function priceIn(reply: unknown): number | undefined {
  const names = ['priceRub', 'price_rub', 'costRub', 'cost_rub', 'price'];
  return fieldIn(holdersIn(reply), names, (value) => {
    const price = numberOf(value);
    // No price is negative.
    return price !== undefined && price >= 0 ? price : undefined;
  });
}

/** What a reply says that was charged, in RUB. */
export function chargeIn(reply: unknown): number | undefined {
  const { amount, currency } = recordOf(recordOf(reply)['charged']);
  return currency === 'RUB' ? numberOf(amount) : priceIn(reply);
}

/** A reply, and what it may wrap. */
function holdersIn(reply: unknown) {
  const whole = recordOf(reply);
  return [whole, recordOf(whole['data']), recordOf(whole['job'])];
}

/** The first of these fields that can be read, in the first of these that has one. */
export function fieldIn<Value>(
  holders: readonly JsonRecord[],
  names: readonly string[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  for (const holder of holders) {
    for (const name of names) {
      const value = read(holder[name]);
      if (value !== undefined) return value;
    }
  }
  return undefined;
}
