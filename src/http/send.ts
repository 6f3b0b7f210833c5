/** The attempts of one call: sends, waits and repeats until an answer is final or time is up. */
import type { RetryClass } from '../contract/endpoint.js';
import { Deadline, type Limited } from './deadline.js';
import { retryAfterMs } from './retry.js';
import { AttemptFailed } from './types.js';
import type { HttpRequest, HttpResponse, Transport, Wait } from './types.js';

export interface Sending<Result> extends Limited {
  readonly transport: Transport;
  readonly request: HttpRequest;
  readonly retry: RetryClass;
  /** A rejected answer, to be read again, if it leaves open that the call was carried out. */
  readonly leavesOpen?: (response: HttpResponse) => Promise<HttpResponse | undefined>;
  /** Takes the final answer. @param isUncertain an earlier attempt may have been carried out. */
  readonly read: (response: HttpResponse, isUncertain: boolean) => Promise<Result>;
}

/** @throws AttemptFailed for the last attempt; `sent` when any may have arrived. */
export async function send<Result>(sending: Sending<Result>): Promise<Result> {
  const { clock, leavesOpen, observe, read, retry, transport } = sending;
  const deadline = new Deadline(sending);
  const request = { ...sending.request, signal: deadline.signal ?? sending.signal };
  let isUncertain = false;
  try {
    if (deadline.isOver)
      throw new AttemptFailed('deadline', false, 'the time limit passed before it was sent');
    for (let attempt = 1; ; attempt += 1) {
      const startedAt = clock.now();
      let wait: Wait | undefined;
      observe?.({ kind: 'request', request, attempt });
      try {
        const response = await transport(request);
        const { status, headers } = response;
        observe?.({ kind: 'answer', status, elapsedMs: clock.now() - startedAt });
        const asked = retryAfterMs(headers['retry-after'], clock.now());
        wait = deadline.decide(retry, attempt, { status, retryAfterMs: asked });
        if (!wait) return await read(deadline.over(response), isUncertain);
        const open = await leavesOpen?.(response);
        // Only the service's own 429 says that nothing was done.
        if (open && retry === 'never') return await read(deadline.over(open), isUncertain);
        isUncertain ||= open !== undefined;
        response.discard();
      } catch (error) {
        if (!(error instanceof AttemptFailed)) throw error;
        const failure = deadline.failure(error);
        const { cause, message, reason, sent } = failure;
        observe?.({ kind: 'failure', message, elapsedMs: clock.now() - startedAt });
        wait = deadline.decide(retry, attempt, { failure });
        if (!wait) {
          // An unsent attempt does not undo one that was sent.
          throw isUncertain && !sent ? new AttemptFailed(reason, true, message, cause) : failure;
        }
        isUncertain ||= sent;
      }
      await deadline.wait(wait, isUncertain);
    }
  } catch (error) {
    deadline.end();
    throw error;
  }
}
