/** Sends a media job once: the same key and the same bytes, however often it takes (section 3.1). */
import * as z from 'zod/mini';
import { generateMedia, JobId } from '../../contract/media.js';
import { ApiError, OutcomeUnknown } from '../../errors.js';
import { AttemptFailed, type Transport } from '../../http/types.js';
import { numberOf, textOf, type JsonRecord } from '../../lib/json.js';
import { call } from '../call.js';
import type { Client } from '../client.js';
import { howToFindOut } from '../failure.js';
import type { Payload } from '../prepare.js';

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

/** What is known of a job that was taken on; of its reply no more than the id is sure to be readable. */
export interface Accepted {
  readonly jobId: string;
  readonly status?: string;
  readonly priceRub?: number;
  readonly reply: JsonRecord;
}

/**
 * What came of it. `refused`: there is no job, and a new key may be taken. `not_sent`: no byte left
 * this time. `uncertain`: the service may have it, so only the same key may be sent again.
 */
export type Submitted =
  | { readonly outcome: 'accepted'; readonly reply: Accepted }
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
    const isAnswered = error instanceof ApiError && !error.outcomeUnknown && !error.earlierUnknown;
    return { outcome: 'uncertain', error: uncertain(error), isUnanswered: !isAnswered };
  }
}

/**
 * Its body is checked where it is made; here it is bytes, perhaps from another day. A reply without
 * an id is of no use; whatever else is wrong with it, the job is paid for.
 */
const asItIs = { ...generateMedia, body: undefined, returns: z.looseObject({ jobId: JobId }) };

function acceptedIn(reply: JsonRecord & { readonly jobId: string }): Accepted {
  const { jobId, status, priceRub } = reply;
  return { jobId, status: textOf(status), priceRub: numberOf(priceRub), reply };
}

interface Watch {
  readonly transport: Transport;
  /** Whether a byte of any attempt may have left. */
  hasLeft(): boolean;
}

function watched(transport: Transport): Watch {
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

/** Says so, where the error itself does not. */
function uncertain(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.outcomeUnknown) return error;
  return new OutcomeUnknown(`${error.message}; it may have been accepted and charged`, {
    code: error.code,
    hint: howToFindOut(generateMedia),
    cause: error,
  });
}
