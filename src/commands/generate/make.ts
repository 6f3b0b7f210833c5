/** Gets a job for an order: an earlier one that was meant, or a new one at an agreed price. */
import { isQuoteRefused } from '../../api/media/quote.js';
import { UsageError } from '../../errors.js';
import { isUnsettled, type LedgerJob } from '../../state/ledger-fold.js';
import type { Accepted } from '../../api/media/submit.js';
import type { Taken } from '../../jobs/destination.js';
import { ownJobs } from '../../jobs/find.js';
import { resumable, tellResuming } from '../../jobs/resume.js';
import { sayer } from '../../jobs/sayer.js';
import { resend } from '../../jobs/settle.js';
import { newKey, startJob } from '../../jobs/start.js';
import type { JobWorld } from '../../jobs/world.js';
import { agree, demandNoRise, priceWords, termsOf, type Agreed } from './money.js';
import { sendSources, wishOf, type Order, type Ready } from './order.js';

export interface Making {
  readonly order: Order;
  /** The person's own Idempotency-Key. */
  readonly key: string | undefined;
  readonly maxPriceRub: number | undefined;
  /** The person's own quote: no other price is asked for. */
  readonly quoteId?: string;
  /** Make another, whatever earlier runs have left. */
  readonly isNew: boolean | undefined;
  readonly taken?: Taken;
  /** Told of the key before anything is sent with it. */
  readonly onKey: (key: string) => void;
}

export interface Made {
  readonly intent: string;
  readonly jobId: string;
  readonly status: string | undefined;
  readonly priceRub: number | undefined;
  /** What it was to cost when it was sent. */
  readonly agreedRub: number | undefined;
}

/**
 * @throws PriceTooHigh or UsageError before anything is spent; LocalFileError when the ledger
 * cannot be written; what `call` throws.
 */
export async function makeJob(world: JobWorld, making: Making): Promise<Made> {
  checkKey(making.key);
  const wish = await wishOf(making.order);
  const earlier = await earlierJob(world, making, wish);
  const made = earlier && (await goOn(world, making, earlier));
  if (made) return made;
  const ready = await sendSources(world.client, making.order);
  const { quoteId, maxPriceRub } = making;
  if (quoteId !== undefined) {
    const agreed = { terms: termsOf(quoteId, maxPriceRub), priceRub: undefined };
    return submit(world, making, { ready, wish, agreed });
  }
  const first = await quoted(world, ready, making);
  try {
    return await submit(world, making, { ready, wish, agreed: first });
  } catch (error) {
    // A quote may have run out, or its route moved, between the two calls: that is definite.
    if (!isQuoteRefused(error) || isOverOwnCeiling(error, making)) throw error;
    sayer(world.context)(
      `the quote no longer holds (${error.message}); asking for the price again`,
    );
    const second = await quoted(world, ready, making);
    demandNoRise(first, second);
    return submit(world, making, { ready, wish, agreed: second });
  }
}

/** The person's own ceiling was met: another quote would change nothing. */
function isOverOwnCeiling({ code }: { code?: string }, { maxPriceRub }: Making): boolean {
  return code === 'media_max_price_exceeded' && maxPriceRub !== undefined;
}

async function quoted(world: JobWorld, ready: Ready, making: Making): Promise<Agreed> {
  const agreed = await agree(world.client, ready, making.maxPriceRub);
  sayer(world.context)(`price: ${priceWords(agreed.quote)}`);
  return agreed;
}

interface Terms {
  readonly ready: Ready;
  readonly wish: string;
  readonly agreed: Pick<Agreed, 'terms'> & { readonly priceRub: number | undefined };
}

/** A new key for each request, unless the person gave one. */
async function submit(
  world: JobWorld,
  { order, key = newKey(), onKey }: Making,
  { ready, wish, agreed }: Terms,
): Promise<Made> {
  onKey(key);
  const reply = await startJob(world, {
    key,
    model: order.draft.model,
    wish,
    payload: ready.payload(agreed.terms),
    headers: order.draft.headers,
    quotedRub: agreed.priceRub,
  });
  return madeBy(key, reply, agreed.priceRub);
}

function madeBy(intent: string, reply: Accepted, agreedRub: number | undefined): Made {
  const { jobId, status, priceRub = agreedRub } = reply;
  return { intent, jobId, status, priceRub, agreedRub };
}

/** A job that this very command may have begun: by its own key, or in a run that did not end. */
async function earlierJob(
  world: JobWorld,
  { key, order, isNew, taken }: Making,
  wish: string,
): Promise<LedgerJob | undefined> {
  if (key === undefined) return resumable(world, { wish, isNew, taken });
  const known = ownJobs(world).find(({ intent }) => intent === key);
  if (taken && known?.wish !== wish) throw taken.refusal;
  if (!known || known.wish === wish) {
    if (known?.jobId !== undefined) {
      sayer(world.context)(`this key has begun ${known.jobId} already; going on with it`);
    }
    return known;
  }
  if (known.jobId === undefined && !isUnsettled(known)) return undefined;
  throw new UsageError(`the key ${key} was used for another request, to ${known.model}`, {
    code: 'key_reused',
    hint: `give another --idempotency-key, or leave it out (this one asks ${order.draft.model})`,
  });
}

/** The earlier job; undefined when there turns out to be none. */
async function goOn(
  world: JobWorld,
  { key, onKey }: Making,
  job: LedgerJob,
): Promise<Made | undefined> {
  const { intent, jobId, state: status, priceRub, quotedRub } = job;
  if (key === undefined) tellResuming(world, job);
  if (jobId !== undefined) {
    return { intent, jobId, status, priceRub: priceRub ?? quotedRub, agreedRub: quotedRub };
  }
  if (!isUnsettled(job)) return undefined;
  onKey(intent);
  try {
    return madeBy(intent, await resend(world, job), quotedRub);
  } catch (error) {
    if (isQuoteRefused(error)) return undefined;
    throw error;
  }
}

function checkKey(key: string | undefined): void {
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new UsageError('--idempotency-key must be 1 to 255 printable characters without spaces', {
    code: 'usage',
  });
}
