/** Gets a job for an order: an earlier one that was meant, or a new one at an agreed price. */
import { isQuoteRefused } from '../../api/media/quote.js';
import { UsageError } from '../../errors.js';
import { formatAge } from '../../lib/elapsed.js';
import { isSameAccount } from '../../state/account.js';
import { isUnsettled, type LedgerJob } from '../../state/ledger-fold.js';
import { mayBeSettled, resend } from '../jobs/settle.js';
import { newKey, startJob } from '../jobs/start.js';
import type { JobWorld } from '../jobs/world.js';
import { agree, demandNoRise, priceWords, type Agreed } from './money.js';
import { sendSources, wishOf, type Order, type Ready } from './order.js';

export interface Making {
  readonly order: Order;
  /** The person's own Idempotency-Key. */
  readonly key: string | undefined;
  readonly maxPriceRub: number | undefined;
  /** Words for people while it goes on. */
  readonly say: (words: string) => void;
  /** Told of the key before anything is sent with it. */
  readonly onKey: (key: string) => void;
}

export interface Made {
  readonly intent: string;
  readonly jobId: string;
  readonly status: string | undefined;
  readonly priceRub: number | undefined;
}

/**
 * @throws PriceTooHigh or UsageError before anything is spent; LocalFileError when the ledger
 * cannot be written; what `call` throws.
 */
export async function makeJob(world: JobWorld, making: Making): Promise<Made> {
  checkKey(making.key);
  const wish = await wishOf(making.order);
  const earlier = await earlierJob(world, making, wish);
  if (earlier) {
    const made = await goOn(world, making, earlier);
    if (made) return made;
  }
  const ready = await sendSources(world.client, making.order);
  const first = await quoted(world, ready, making);
  try {
    return await submit(world, making, { ready, wish, agreed: first });
  } catch (error) {
    // A quote may have run out, or its route moved, between the two calls: that is definite.
    if (!isQuoteRefused(error) || isOverOwnCeiling(error, making)) throw error;
    making.say(`the quote no longer holds (${error.message}); asking for the price again`);
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
  making.say(`price: ${priceWords(agreed.quote)}`);
  return agreed;
}

interface Terms {
  readonly ready: Ready;
  readonly wish: string;
  readonly agreed: Agreed;
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
  return {
    intent: key,
    jobId: reply.jobId,
    status: reply.status ?? undefined,
    priceRub: reply.priceRub ?? agreed.priceRub,
  };
}

/**
 * A job that this very command may have begun: by its own key, or one for the same wish that was
 * cut off before its outcome was known. Making it again could mean paying twice.
 */
async function earlierJob(
  { ledger, account }: JobWorld,
  { key, order }: Making,
  wish: string,
): Promise<LedgerJob | undefined> {
  const own = ledger.jobs().filter((job) => isSameAccount(job.account, account));
  if (key !== undefined) {
    const sameKey = own.find((job) => job.intent === key);
    if (!sameKey || sameKey.wish === wish) return sameKey;
    if (sameKey.jobId === undefined && !isUnsettled(sameKey)) return undefined;
    throw new UsageError(`the key ${key} was used for another request, to ${sameKey.model}`, {
      code: 'key_reused',
      hint: `give another --idempotency-key, or leave it out (this one asks ${order.draft.model})`,
    });
  }
  for (const job of own.reverse()) {
    if (job.wish === wish && (await mayBeSettled(job))) return job;
  }
  return undefined;
}

/** The earlier job; undefined when there turns out to be none. */
async function goOn(
  world: JobWorld,
  { say, onKey }: Making,
  job: LedgerJob,
): Promise<Made | undefined> {
  const { intent, jobId, state, priceRub, quotedRub } = job;
  if (jobId !== undefined) {
    say(`this key has begun ${jobId} already; going on with it`);
    return { intent, jobId, status: state, priceRub: priceRub ?? quotedRub };
  }
  if (!isUnsettled(job)) return undefined;
  const ago = formatAge(world.context.clock.now() - job.wantedAtMs);
  say(`the same request went out ${ago} ago and its outcome is not known: going on with it`);
  onKey(intent);
  try {
    const reply = await resend(world, job);
    return {
      intent,
      jobId: reply.jobId,
      status: reply.status ?? undefined,
      priceRub: reply.priceRub ?? quotedRub,
    };
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
