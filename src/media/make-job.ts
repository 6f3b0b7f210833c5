/** Makes a job at an agreed price, or finds the one that the same command has made. */
import { randomUUID } from 'node:crypto';
import { askPrice, isQuoteRefused, type MediaBody, type Quote } from '../api/media/submit.js';
import { ApiError, PriceTooHigh, UsageError } from '../errors.js';
import type { TakenName } from '../jobs/collect.js';
import { assertBelow } from '../jobs/finish.js';
import { acceptedJob, progressWriter, type JobEnv, type OwnJob } from '../jobs/job.js';
import { reportResuming, runToResume } from '../jobs/once.js';
import { resubmit, submitJob } from '../jobs/submit.js';
import { comparing, formatRub } from '../lib/amounts.js';
import { plainText } from '../lib/plain-text.js';
import { isSameAccount } from '../state/account.js';
import { isUnfinished, type LedgerJob } from '../state/ledger-job.js';
import { hashOf, sendSources, type FittedRequest, type ReadyRequest } from './job-request.js';

/** How a job is made: at which price, and whether an earlier one is resumed. */
interface Making {
  /** The user's own key: the same key always returns the same job. */
  readonly idempotencyKey?: string | undefined;
  /** Only the price of this quote is used. */
  readonly quoteId?: string | undefined;
  /** Whether another job is paid for. */
  readonly new?: boolean | undefined;
  /** The name of -o, if a file has it. */
  readonly taken?: TakenName | undefined;
}

/** An earlier job to resume, or a new one at an agreed price. @throws PriceTooHigh */
export async function makeJob(
  env: JobEnv,
  request: FittedRequest,
  { idempotencyKey: key, quoteId, new: isNew, taken }: Making,
): Promise<OwnJob> {
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    const message = '--idempotency-key must be 1 to 255 printable characters without spaces';
    throw new UsageError(message);
  }
  const { model, headers } = request;
  const { maxCostRub } = env.context.flags;
  const hash = await hashOf(request);
  const earlier =
    key === undefined
      ? await runToResume(env, { hash, isNew, taken })
      : jobOfKey(env, key, { model, hash, taken });
  if (earlier && key === undefined) reportResuming(env, earlier);
  const accepted = acceptedJob(earlier);
  if (accepted) return accepted;
  if (earlier && isUnfinished(earlier)) {
    env.atWork.key = earlier.intent;
    try {
      return await resubmit(env, earlier);
    } catch (error) {
      if (!isQuoteRefused(error)) throw error;
    }
  }
  const ready = await sendSources(env.client, request, env.context.flags);
  const submitAt = async (ceiling: Partial<MediaBody>, quotedRub?: number): Promise<OwnJob> => {
    // What is recorded may be sent by a later command, which does not ask.
    const mostRub = Number(ceiling.max_price_rub ?? quotedRub);
    if (mostRub >= 0) await env.client.spending?.agree(model, mostRub);
    const intent = key ?? randomUUID();
    env.atWork.key = intent;
    return submitJob(env, { intent, model, hash, headers, quotedRub }, ready.payload(ceiling));
  };
  if (quoteId !== undefined) {
    return submitAt({ quote_id: quoteId, max_price_rub: await jobCeiling(env) });
  }
  const first = await agree(env, ready);
  try {
    return await submitAt(first.ceiling, first.priceRub);
  } catch (error) {
    // A quote may expire, or its route change, between the two calls: nothing was accepted then.
    // At the user's own ceiling, another quote would change nothing.
    if (!isQuoteRefused(error)) throw error;
    if (error.code === 'media_max_price_exceeded' && maxCostRub !== undefined) throw error;
    const say = progressWriter(env.context);
    say(`the quote is no longer valid (${error.message}); asking for the price again`);
    const second = await agree(env, ready);
    if (second.priceRub <= first.priceRub) return submitAt(second.ceiling, second.priceRub);
    const rub = comparing(first.priceRub, second.priceRub);
    const rise = `from ${rub(first.priceRub)} to ${rub(second.priceRub)}`;
    throw new PriceTooHigh(`the price rose ${rise}; nothing was submitted`, {
      code: 'price_rose',
      hint: 'run it again to accept the new price',
    });
  }
}

/** A job that this same command may have started, by the user's own key. */
function jobOfKey(
  env: JobEnv,
  key: string,
  { model, hash, taken }: Pick<LedgerJob, 'model' | 'hash'> & Pick<Making, 'taken'>,
): LedgerJob | undefined {
  const ofKey = env.ledger.job(key);
  const known = ofKey && isSameAccount(ofKey.account, env.account) ? ofKey : undefined;
  if (taken && known?.hash !== hash) throw taken.refusal;
  if (known && known.hash !== hash) {
    if (known.jobId === undefined && !isUnfinished(known)) return undefined;
    throw new UsageError(`the key ${key} was used for another request, to ${known.model}`, {
      code: 'key_reused',
      hint: `give another --idempotency-key, or omit it (this request is for ${model})`,
    });
  }
  if (known?.jobId !== undefined) {
    env.atWork.isResumed = true;
    env.context.out.note(`this key already belongs to ${known.jobId}; resuming it`);
  }
  return known;
}

/**
 * The service's own ceiling for a job: that of the command, as far as the budget goes.
 * @param priceRub that of its quote: more than is left is refused before it is sent
 */
async function jobCeiling({ client, context }: JobEnv, priceRub = 0): Promise<number | undefined> {
  const { maxCostRub } = context.flags;
  if (maxCostRub === undefined) return undefined;
  const spendableRub = (await client.spending?.spendableRub()) ?? Infinity;
  return Math.max(priceRub, Math.min(maxCostRub, spendableRub));
}

/** A price below the ceiling; without one, the job may cost what its quote says. */
async function agree(env: JobEnv, ready: ReadyRequest) {
  const quote = await askPrice(env.client, ready.body, ready.payload());
  const { priceRub, quoteId } = quote;
  if (typeof priceRub !== 'number' || priceRub < 0) {
    throw new ApiError('the service gives no price for this request', {
      status: 200,
      code: 'no_price',
      hint: 'see its whole answer: --quote --json',
    });
  }
  assertBelow(priceRub, env.context.flags.maxCostRub);
  progressWriter(env.context)(
    `price: ${priceWords(quote, (rub) => formatRub(rub, env.context.out.language))}`,
  );
  const maxPriceRub = (await jobCeiling(env, priceRub)) ?? priceRub;
  return { priceRub, ceiling: { quote_id: quoteId ?? undefined, max_price_rub: maxPriceRub } };
}

/** `12.50 RUB`, `12.50 RUB (an estimate: the length is not known)`. */
export function priceWords(
  { priceRub, isEstimate, estimateReason }: Quote,
  amountWords: (rub: number) => string,
): string {
  const amount = typeof priceRub === 'number' ? amountWords(priceRub) : 'no price';
  if (!isEstimate) return amount;
  const reason = plainText(estimateReason ?? '', 200);
  return `${amount} (an estimate${reason === '' ? '' : `: ${reason}`})`;
}
