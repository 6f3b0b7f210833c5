/** The one loop of attempts, for calls and downloads: tries until it is settled or time is up. */
import type { Deadline, Limited } from './deadline.js';
import { AttemptFailed } from './types.js';
import type { HttpRequest, HttpResponse, Transport, Wait } from './types.js';

/** What an attempt came to: the result, a wait before the next one, or the next one at once. */
export type Next<Result> = { readonly result: Result } | Wait | undefined;

export interface Repeated<Result> {
  readonly tryOnce: (attempt: number) => Promise<Next<Result>>;
  /** The wait after an attempt that failed. @throws the failure where no other attempt follows */
  readonly afterFailure: (failure: AttemptFailed, attempt: number) => Wait | Promise<Wait>;
  /** Whether any attempt may have arrived. */
  readonly hasLeft: () => boolean;
}

export async function repeat<Result>(
  { clock, observe }: Limited,
  deadline: Deadline,
  { tryOnce, afterFailure, hasLeft }: Repeated<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const startedAt = clock.now();
    let next: Next<Result>;
    try {
      next = await tryOnce(attempt);
      if (next && 'result' in next) return next.result;
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      const failure = deadline.failure(error);
      const elapsedMs = clock.now() - startedAt;
      observe?.({ kind: 'failure', message: failure.message, elapsedMs });
      next = await afterFailure(failure, attempt);
    }
    if (next) await deadline.wait(next, hasLeft());
  }
}

interface Observing extends Limited {
  readonly transport: Transport;
}

/** Sends a request and reports it, and the head of its answer. @throws AttemptFailed */
export async function observed(
  { clock, observe, transport }: Observing,
  request: HttpRequest,
  attempt: number,
): Promise<HttpResponse> {
  const startedAt = clock.now();
  observe?.({ kind: 'request', request, attempt });
  const response = await transport(request);
  observe?.({ kind: 'answer', status: response.status, elapsedMs: clock.now() - startedAt });
  return response;
}
