/** Takes a job on: its row, its money, its quote and its Idempotency-Key in one transaction. */
import type { House } from '../call.js';
import { charge, jobUsage, tooLittle } from '../charge.js';
import { ServiceFailure } from '../failure.js';
import { earlier, once, type Claim } from '../idempotency.js';
import { balanceMicroRub } from '../store/accounts.js';
import { addJob, findJob, type Job, type NewJob } from '../store/media-jobs.js';
import { consumeQuote, findQuote } from '../store/media-quotes.js';

/** When a job is paid: `atEnd` only when it succeeds, `never` when it does not really run. */
export type Payment = 'now' | 'atEnd' | 'never';

export interface Submission {
  readonly claim: Claim;
  readonly job: Omit<NewJob, 'usageId' | 'movesMoney'>;
  readonly payment: Payment;
  /** The quote that it is made at, and what that must have been given for. */
  readonly quote?: { readonly id: string; readonly orderHash: string };
}

/**
 * Takes a job on, or finds the one that the same Idempotency-Key began.
 * @throws ServiceFailure 402, 409 or 422; nothing is changed then
 */
export function submit(house: House, { claim, job, payment, quote }: Submission): Job {
  const id = once(house, claim, () => {
    if (quote) useQuote(house, job, quote);
    const usageId = payment === 'now' ? pay(house, job) : undefined;
    if (payment === 'atEnd') demandBalance(house, job);
    const movesMoney = payment === 'atEnd' || job.channel === 'failing';
    addJob(house.store, { ...job, usageId, movesMoney });
    return job.id;
  });
  return jobNamed(house, claim, id);
}

/**
 * The job that an earlier call with the same Idempotency-Key began.
 * @throws ServiceFailure 409 when that call asked for something else
 */
export function begun(house: House, claim: Claim): Job | undefined {
  const id = earlier(house, claim);
  return id === undefined ? undefined : jobNamed(house, claim, id);
}

function jobNamed({ store }: House, { accountId }: Claim, id: string): Job {
  const job = findJob(store, accountId, id);
  if (!job) throw new Error(`the job ${id} is not there`);
  return job;
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
  const usage = jobUsage(house, job, job.createdAtMs);
  charge({ house, caller: job }, usage, 'job');
  return usage.id;
}

function demandBalance({ store }: House, { accountId, priceMicroRub }: Ordered): void {
  const balance = balanceMicroRub(store, accountId);
  if (balance < priceMicroRub) throw tooLittle(balance, priceMicroRub, 'job');
}
