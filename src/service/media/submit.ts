/** Takes a job on: its row, its money, its quote and its Idempotency-Key in one transaction. */
import type { House } from '../call.js';
import { ServiceFailure } from '../failure.js';
import { toRub } from '../money.js';
import { balanceMicroRub } from '../store/accounts.js';
import {
  addJob,
  findJob,
  jobByIdempotencyKey,
  type Job,
  type NewJob,
} from '../store/media-jobs.js';
import { consumeQuote, findQuote } from '../store/media-quotes.js';
import { take } from '../store/usage.js';

/** When a job is paid: `atEnd` only when it succeeds, `never` when it does not really run. */
export type Payment = 'now' | 'atEnd' | 'never';

export interface Submission {
  readonly job: Omit<NewJob, 'usageId' | 'movesMoney'>;
  readonly payment: Payment;
  /** The quote that it is made at, and what that must have been given for. */
  readonly quote?: { readonly id: string; readonly orderHash: string };
}

/**
 * Takes a job on, or finds the one that the same Idempotency-Key began.
 * @throws ServiceFailure 402, 409 or 422; nothing is changed then
 */
export function submit(house: House, submission: Submission): Job {
  const { store } = house;
  const { job, payment, quote } = submission;
  return store.transaction(() => {
    const known = begun(house, job);
    if (known) return known;
    if (quote) useQuote(house, job, quote);
    const usageId = payment === 'now' ? pay(house, job) : undefined;
    if (payment === 'atEnd') demandBalance(house, job);
    const movesMoney = payment === 'atEnd' || job.channel === 'failing';
    addJob(store, { ...job, usageId, movesMoney });
    const added = findJob(store, job.accountId, job.id);
    if (!added) throw new Error('the job that was just added is not there');
    return added;
  });
}

/**
 * The job that an earlier call with the same Idempotency-Key began.
 * @throws ServiceFailure 409 when that call asked for something else
 */
export function begun(
  { store }: House,
  call: Pick<NewJob, 'accountId' | 'idempotencyKey' | 'requestHash'>,
): Job | undefined {
  const { accountId, idempotencyKey, requestHash } = call;
  if (idempotencyKey === undefined) return undefined;
  const known = jobByIdempotencyKey(store, accountId, idempotencyKey);
  if (!known || known.requestHash === requestHash) return known;
  throw new ServiceFailure(
    409,
    'idempotency_key_reused',
    'this Idempotency-Key began another job, with another request: take a new key',
  );
}

type Ordered = Submission['job'];

function useQuote(
  { store, clock }: House,
  job: Ordered,
  { id, orderHash }: { id: string; orderHash: string },
): void {
  const quote = findQuote(store, job.accountId, id);
  if (!quote) {
    throw new ServiceFailure(422, 'quote_unknown', 'this account was given no such quote');
  }
  if (quote.jobId !== undefined) {
    throw new ServiceFailure(409, 'quote_used', 'this quote was used by another job');
  }
  if (quote.expiresAtMs <= clock.now()) {
    throw new ServiceFailure(409, 'quote_stale', 'this quote has expired: ask for a new one');
  }
  if (quote.orderHash !== orderHash) {
    throw new ServiceFailure(
      422,
      'quote_mismatch',
      'this quote was given for another model, prompt or options',
    );
  }
  if (quote.channel !== job.channel || quote.priceMicroRub !== job.priceMicroRub) {
    throw new ServiceFailure(
      409,
      'quote_moved',
      'the route or its price is no longer the one that was quoted: ask for a new quote',
    );
  }
  consumeQuote(store, id, job.id);
}

function pay(house: House, job: Ordered): string {
  const id = `gen_${house.newId()}`;
  const usage = {
    id,
    model: job.model,
    route: `:${job.channel}`,
    promptTokens: 0,
    completionTokens: 0,
    priceMicroRub: job.priceMicroRub,
    createdAtMs: job.createdAtMs,
  };
  if (!take(house.store, job, usage)) throw tooLittle(house, job);
  return id;
}

function demandBalance(house: House, job: Ordered): void {
  if (balanceMicroRub(house.store, job.accountId) < job.priceMicroRub) throw tooLittle(house, job);
}

function tooLittle({ store }: House, { accountId, priceMicroRub }: Ordered): ServiceFailure {
  const [price, balance] = [toRub(priceMicroRub), toRub(balanceMicroRub(store, accountId))];
  return new ServiceFailure(
    402,
    'insufficient_balance',
    `the balance of ${balance} RUB is too low: this job costs ${price} RUB`,
    { fields: { price_rub: price, balance_rub: balance } },
  );
}
