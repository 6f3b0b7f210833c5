/** The attempts of one call: sends, waits and sends again, until an answer stands or time is up. */
import type { RetryClass } from '../contract/endpoint.js';
import { Deadline, hasLeft, type Limited } from './deadline.js';
import { retryAfterMs } from './retry-after.js';
import type { Decision, Outcome } from './retry.js';
import {
  AttemptFailed,
  BodyCut,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from './types.js';

export interface Sending<Result> extends Limited {
  readonly transport: Transport;
  /** Its `signal` is set here. */
  readonly request: HttpRequest;
  readonly retry: RetryClass;
  /** Whether an answer that does not stand leaves open that its attempt was carried out; reads it. */
  readonly leavesOpen?: (response: HttpResponse) => Promise<boolean>;
  /**
   * Takes the answer that stands, whatever its status. Reading is part of the attempt: a `BodyCut`
   * thrown here is a failed one. Who hands on a body that is still to be read has to pour or discard
   * it: until then the deadline holds.
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
  } catch (error) {
    deadline.end();
    throw error;
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
      await this.deadline.wait(ended.wait, this.#isUncertain);
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
      if (decision.kind === 'stop') {
        return { result: await read(this.deadline.over(response), this.#isUncertain) };
      }
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
    return this.deadline.decide({ retry: this.sending.retry, attempt, outcome });
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
