/** The paid work of a command: sent once, found again by the same command, closed when it is shown. */
import { newOnceKey, type OnceKey } from '../api/beyond-spec.js';
import type { Client } from '../api/client.js';
import type { Endpoint } from '../contract/endpoint.js';
import type { TakenName } from '../jobs/collect.js';
import { acceptedJob, note, type JobEnv, type OwnJob } from '../jobs/job.js';
import { closeRun, reportResuming, runToResume, sendOnce } from '../jobs/once.js';
import type { Candidates, UnknownOutcome } from '../jobs/once.js';
import type { LedgerEvent, LedgerJob, WantedEvent } from '../state/ledger-job.js';

/** What tells paid work from other work, and how it is found again. */
export interface PaidWork {
  readonly kind: WantedEvent['kind'];
  readonly model: string;
  readonly row: Endpoint;
  /** Equal for equal requests. */
  readonly hash: string;
  readonly body?: string;
  /** The number of its requests. The results of several are kept in a folder, and found there. */
  readonly requests?: number;
  /** --new: pays for another run instead of resuming one. */
  readonly isNew: boolean | undefined;
  /** The name of -o, if a file has it. */
  readonly taken?: TakenName | undefined;
  /** Looks for what a lost answer may have been about. */
  readonly lookFor?: (lost: UnknownOutcome) => Promise<Candidates>;
}

type Sending<Reply> = (client: Client, key: OnceKey) => Promise<Reply>;
type OfRun<Event> = Event extends { readonly intent: string }
  ? Omit<Event, 'atMs' | 'intent'>
  : never;

/** One run of paid work, from the search for an earlier one until all of it has been shown. */
export class PaidRun {
  /** The run of an earlier command that this one resumes. */
  readonly earlier: LedgerJob | undefined;
  readonly #env: JobEnv;
  readonly #work: PaidWork;
  #intent: string | undefined;

  private constructor(env: JobEnv, work: PaidWork, earlier: LedgerJob | undefined) {
    this.#env = env;
    this.#work = work;
    this.earlier = earlier;
    this.#intent = earlier?.intent;
  }

  /** @throws LocalFileError where a file of another run has the name */
  static async open(env: JobEnv, work: PaidWork): Promise<PaidRun> {
    const isOne = work.requests === undefined || work.requests === 1;
    env.client.spending?.expectMore(!isOne);
    return new PaidRun(env, work, isOne ? await runToResume(env, work) : undefined);
  }

  /** Sends a request of the work; a single one with the key of the run. @throws OutcomeUnknown */
  async send<Reply>(send: Sending<Reply>, client = this.#env.client): Promise<Reply> {
    if ((this.#work.requests ?? 1) > 1) return send(client, newOnceKey());
    return (await this.sendAs(send, client)).reply;
  }

  /** The same for a single request, with the key in the ledger. @param quotedRub its agreed price */
  async sendAs<Reply>(
    send: Sending<Reply>,
    client = this.#env.client,
    quotedRub?: number,
  ): Promise<{ readonly intent: string; readonly reply: Reply }> {
    const request = { ...this.#work, quotedRub, send: (key: OnceKey) => send(client, key) };
    const sent = await sendOnce({ ...this.#env, client }, request, this.earlier);
    this.#intent = sent.intent;
    return sent;
  }

  /** Records what has come of it, so that it is found again. */
  note(event: OfRun<LedgerEvent>): void {
    if (this.#intent !== undefined) note(this.#env, { ...event, intent: this.#intent });
  }

  /** The job of the earlier run, if its id is known: says that it is resumed. */
  resumedJob(): OwnJob | undefined {
    const job = acceptedJob(this.earlier);
    // The key of an image stands for its id where that is not known.
    if (job === undefined || job.jobId === job.intent) return undefined;
    this.reportResuming();
    return job;
  }

  /** Says that the results of the earlier run are used. */
  reportResuming(): void {
    if (this.earlier) reportResuming(this.#env, this.earlier);
  }

  /** Everything has been shown: from now on the same command starts another run. */
  close(): void {
    if (this.#intent !== undefined) closeRun(this.#env, this.#intent);
  }
}
