/** The attempts of one call: sends, waits and sends again, until an answer stands or time is up. */
import type { RetryClass } from '../contract/endpoint.js';
import type { Clock } from '../lib/clock.js';
import { Deadline, hasLeft } from './deadline.js';
import type { Observe } from './observe.js';
import { retryAfterMs } from './retry-after.js';
import { decideRetry, type Decision, type Outcome } from './retry.js';
import {
  AttemptFailed,
  BodyCut,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from './types.js';

export interface Sending<Result> {
  readonly transport: Transport;
  /** Its `signal` is set here. */
  readonly request: HttpRequest;
  readonly retry: RetryClass;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Total time of all attempts and waits, until `read` is done; undefined is no limit. */
  readonly deadlineMs?: number;
  readonly observe?: Observe;
  /** Whether an answer that does not stand leaves open that its attempt was carried out; reads it. */
  readonly leavesOpen?: (response: HttpResponse) => Promise<boolean>;
  /**
   * Takes the answer that stands, whatever its status. Reading is part of the attempt: a `BodyCut`
   * thrown here is a failed one. A stream is not read here but handed on: then the deadline ends
   * with the head.
   * @param isUncertain an earlier attempt may have been carried out.
   */
  readonly read: (response: HttpResponse, isUncertain: boolean) => Promise<Result>;
}

/**
 * What `read` makes of the answer.
 * @throws AttemptFailed or BodyCut for the last attempt; `sent` is true when any attempt may have
 * arrived. What the transport or `read` throw besides passes through.
 */
export async function send<Result>(sending: Sending<Result>): Promise<Result> {
  const deadline = new Deadline(sending);
  try {
    return await new Call(sending, deadline).run();
  } finally {
    deadline.end();
  }
}

class Call<Result> {
  #isUncertain = false;

  constructor(
    private readonly sending: Sending<Result>,
    private readonly deadline: Deadline,
  ) {}

  async run(): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      const ended = await this.#attempt(attempt);
      if ('result' in ended) return ended.result;
      await this.#wait(ended.wait);
    }
  }

  async #attempt(attempt: number): Promise<{ result: Result } | { wait: Waiting }> {
    const { clock, leavesOpen, observe, read, signal, transport } = this.sending;
    const request = { ...this.sending.request, signal: this.deadline.signal ?? signal };
    const startedAt = clock.now();
    observe?.({ kind: 'request', request, attempt });
    try {
      const response = await transport(request);
      const { status, headers } = response;
      observe?.({ kind: 'answer', status, elapsedMs: clock.now() - startedAt });
      const asked = retryAfterMs(headers['retry-after'], clock.now());
      const decision = this.#decide(attempt, { status, retryAfterMs: asked });
      if (decision.kind === 'stop') return { result: await read(response, this.#isUncertain) };
      this.#isUncertain ||= (await leavesOpen?.(response)) ?? false;
      response.discard();
      return { wait: decision };
    } catch (error) {
      if (!(error instanceof AttemptFailed || error instanceof BodyCut)) throw error;
      const failure = this.deadline.isOver ? this.deadline.failure(error) : error;
      const { message } = failure;
      observe?.({ kind: 'failure', message, elapsedMs: clock.now() - startedAt });
      const decision = this.#decide(attempt, { failure });
      if (decision.kind === 'stop') throw this.#final(failure);
      this.#isUncertain ||= hasLeft(failure);
      return { wait: decision };
    }
  }

  #decide(attempt: number, outcome: Outcome): Decision {
    const { clock, retry } = this.sending;
    const { remainingMs } = this.deadline;
    return decideRetry({ retry, attempt, outcome, remainingMs, random: clock.random() });
  }

  async #wait({ delayMs, why }: Waiting): Promise<void> {
    const { clock, observe, signal } = this.sending;
    observe?.({ kind: 'wait', delayMs, why });
    try {
      await clock.sleep(delayMs, signal);
    } catch (cause) {
      throw new AttemptFailed('aborted', this.#isUncertain, 'aborted', cause);
    }
  }

  /** An attempt that never left does not undo one that did. */
  #final(failure: AttemptFailed | BodyCut): Error {
    if (!this.#isUncertain || hasLeft(failure) || !(failure instanceof AttemptFailed)) {
      return failure;
    }
    return new AttemptFailed(failure.reason, true, failure.message, failure.cause);
  }
}

type Waiting = Extract<Decision, { kind: 'wait' }>;
