/** Extends a finished video (section 4.3). The replies are not shown: what is known is found in them. */
import type * as z from 'zod/mini';
import { extendVideo, quoteExtendPrice, type ExtendRequest, JobId } from '../../contract/media.js';
import type { extendTiers } from '../../contract/enums.js';
import { ApiError } from '../../errors.js';
import { numberOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { call } from '../call.js';
import type { Client } from '../client.js';
import { howToFindOut } from '../failure.js';
import { withKey, type OnceKey } from '../beyond-spec.js';
import { routeOf } from './follow.js';

/** Its price is undefined where the reply names it in a way that is not known. @throws what `call` throws. */
export async function askExtendPrice(client: Client, tier: (typeof extendTiers)[number]) {
  const { data } = await call(client, quoteExtendPrice, { body: { tier } });
  return { priceRub: priceIn(data), reply: data };
}

/**
 * Starts the extension, once for a key.
 * @throws what `call` throws; ApiError with an unknown outcome when the reply names no job.
 */
export async function extend(client: Client, body: z.input<typeof ExtendRequest>, key: OnceKey) {
  const { row, headers } = withKey(extendVideo, key);
  const { data, status, ids } = await call(client, row, { body }, { headers });
  const named = fieldIn(data, ['jobId', 'job_id', 'id', 'taskId', 'task_id'], jobIdOf);
  const jobId = named ?? jobIdOf(ids['media-job-id']);
  if (jobId === undefined) {
    throw new ApiError('the service accepted the extension and named no job', {
      status,
      code: 'invalid_reply',
      hint: howToFindOut(extendVideo),
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
