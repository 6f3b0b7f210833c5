/** One call: its attempts, and the reading of the answer that is final. */
import type { RetryClass } from '../contract/endpoint.js';
import { Deadline, type Limited } from './deadline.js';
import { observed, repeat } from './repeat.js';
import { retryAfterMs } from './retry.js';
import { AttemptFailed, type HttpRequest, type HttpResponse, type Transport } from './types.js';

export interface Call<Result> extends Limited {
  readonly transport: Transport;
  readonly request: HttpRequest;
  readonly retry: RetryClass;
  /** A rejected answer, to be read again, if it leaves open that the call was carried out. */
  readonly leavesOpen?: (response: HttpResponse) => Promise<HttpResponse | undefined>;
  /** Takes the final answer. @param isUncertain an earlier attempt may have been carried out. */
  readonly read: (response: HttpResponse, isUncertain: boolean) => Promise<Result>;
}

/** @throws AttemptFailed for the last attempt; `sent` when any may have arrived. */
export async function send<Result>(options: Call<Result>): Promise<Result> {
  const { clock, leavesOpen, read, retry } = options;
  const deadline = new Deadline(options);
  const request = { ...options.request, signal: deadline.signal ?? options.signal };
  let isUncertain = false;
  const tryOnce = async (attempt: number) => {
    const response = await observed(options, request, attempt);
    const { status, headers } = response;
    const requestedMs = retryAfterMs(headers['retry-after'], clock.now());
    const wait = deadline.decide(retry, attempt, { status, retryAfterMs: requestedMs });
    if (!wait) return { result: await read(deadline.over(response), isUncertain) };
    const open = await leavesOpen?.(response);
    // Only the service's own 429 says that nothing was done.
    if (open && retry === 'never') return { result: await read(deadline.over(open), isUncertain) };
    isUncertain ||= open !== undefined;
    response.discard();
    return wait;
  };
  const afterFailure = (failure: AttemptFailed, attempt: number) => {
    const { cause, message, reason, sent } = failure;
    const wait = deadline.decide(retry, attempt, { failure });
    // An unsent attempt does not undo one that was sent.
    if (!wait && isUncertain && !sent) throw new AttemptFailed(reason, true, message, cause);
    if (!wait) throw failure;
    isUncertain ||= sent;
    return wait;
  };
  try {
    if (deadline.isOver)
      throw new AttemptFailed('deadline', false, 'the time limit passed before it was sent');
    return await repeat(options, deadline, { tryOnce, afterFailure, hasLeft: () => isUncertain });
  } catch (error) {
    deadline.end();
    throw error;
  }
}
