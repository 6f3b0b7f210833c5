import { randomUUID } from 'node:crypto';
import { isQuoteRefused, submit } from '../../api/media/submit.js';
import type { Handler } from '../../cli/declaration.js';
import { PriceTooHigh, UsageError } from '../../errors.js';
import { destinationFrom, type Taken } from '../../jobs/destination.js';
import { assertPrice, finishJob, tellId } from '../../jobs/finish.js';
import { onInterrupt, type AtWork } from '../../jobs/follow.js';
import {
  assertCompatible,
  openJobs,
  ownJobs,
  sayer,
  type Job,
  type JobWorld,
} from '../../jobs/job.js';
import { closeRun, resumable, tellResuming } from '../../jobs/once.js';
import { resubmit, submitJob } from '../../jobs/submit.js';
import { formatRub } from '../../lib/money.js';
import { isUnsettled, type LedgerJob } from '../../state/ledger-fold.js';
import { openLedger } from '../../state/ledger.js';
import type { generate } from './index.js';
import { knownModel } from './model.js';
import { agree, ceilingOf, dryRunOf, showQuote, type Agreed } from './price.js';
import {
  fit,
  hashOf,
  readRequest,
  sendSources,
  type FittedRequest,
  type GenerateInput,
} from './request.js';

type Options = GenerateInput['options'];

/** Makes media: asks for the price, starts a job, waits for it and fetches its results. */
export const run: Handler<typeof generate> = async (context, input) => {
  const { options } = input;
  const { flags, out } = context;
  assertOptions(options, flags.json);
  out.open();
  const startedAtMs = context.clock.now();
  const destination = await destinationFrom(options.output, {
    replace: options.force === true,
    out,
    ledger: openLedger(context.paths),
  });
  const request = await readRequest(context, input);
  const refresh = options.refresh === true;
  if (options.quote) return showQuote(context, request, refresh);
  const world = await openJobs(context);
  const { capability, similar } = await knownModel({ ...world, refresh }, request.model);
  if (similar !== undefined) {
    sayer(context)(`no media model is called ${request.model}; did you mean ${similar}?`);
  }
  const fitted = await fit(request, capability);
  if (flags.dryRun || flags.curl) await showRequest(world, fitted, options);
  await onInterrupt(world, async (atWork) => {
    const job = await makeJob(world, fitted, options, { atWork, taken: destination.taken });
    atWork.jobId = job.jobId;
    const { maxPrice: maxPriceRub } = options;
    await assertPrice(world, job, { agreedRub: job.agreedRub, maxPriceRub });
    if (options.wait) await finishJob(world, job, { destination, open: options.open, startedAtMs });
    else await tellId(world, job);
    closeRun(world, job.intent);
  });
};

function assertOptions(options: Options, isJson: boolean): void {
  const { quote = false, wait, output, open = false, force = false, idempotencyKey } = options;
  const isStdout = output === '-';
  const hint = 'svc generate --help';
  assertCompatible(
    [
      [quote && !wait, '--quote', '--no-wait'],
      [quote && output !== undefined, '--quote', '--output'],
      [quote && open, '--quote', '--open'],
      [quote && options.quoteId !== undefined, '--quote', '--quote-id'],
      [!wait && output !== undefined, '--no-wait', '--output'],
      [!wait && open, '--no-wait', '--open'],
      [options.new === true && idempotencyKey !== undefined, '--new', '--idempotency-key'],
      [isStdout && isJson, '-o -', '--json'],
      [isStdout && open, '-o -', '--open'],
      [isStdout && force, '-o -', '--force'],
    ],
    hint,
  );
  if (options.inline && options.input.length === 0) {
    throw new UsageError('--inline needs --input', { code: 'usage', hint });
  }
}

/** Shows the request of the job; nothing is priced, uploaded or written down. */
async function showRequest(
  { client, context }: JobWorld,
  request: FittedRequest,
  { quoteId, maxPrice }: Options,
): Promise<never> {
  const ready = await sendSources(client, request, dryRunOf(context));
  const payload = ready.payload(ceilingOf(quoteId, maxPrice));
  const shown = await submit(client, { key: randomUUID(), payload, headers: request.headers });
  throw shown.outcome === 'accepted' ? new Error('a dry run was sent') : shown.error;
}

export interface MadeJob extends Job {
  readonly intent: string;
  /** What it was to cost when it was sent. */
  readonly agreedRub?: number;
}

/**
 * Gets a job for a request: an earlier one that was meant, or a new one at an agreed price.
 * @param taken the name of -o, where it has a file already.
 * @throws PriceTooHigh or UsageError before anything is spent; LocalFileError when the ledger
 * cannot be written; what `call` throws.
 */
export async function makeJob(
  world: JobWorld,
  request: FittedRequest,
  options: Partial<Pick<Options, 'idempotencyKey' | 'maxPrice' | 'quoteId' | 'new'>>,
  { atWork, taken }: { readonly atWork: AtWork; readonly taken?: Taken },
): Promise<MadeJob> {
  const { idempotencyKey: key, maxPrice, quoteId, new: isNew } = options;
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new UsageError('--idempotency-key must be 1 to 255 printable characters without spaces', {
      code: 'usage',
    });
  }
  const { model, headers } = request;
  const wish = await hashOf(request);
  const earlier =
    key === undefined
      ? await resumable(world, { wish, isNew, taken })
      : jobOfKey(world, key, { model, wish, taken });
  if (earlier && key === undefined) tellResuming(world, earlier);
  const made = earlier && (await goOn(world, earlier, atWork));
  if (made) return made;
  const { client } = world;
  const say = sayer(world.context);
  const ready = await sendSources(client, request);
  // A new key for each request, unless the person gave one.
  const submitAt = async ({ ceiling, priceRub: agreedRub }: Agreed): Promise<MadeJob> => {
    const intent = key ?? randomUUID();
    atWork.key = intent;
    const written = { intent, model, wish, headers, quotedRub: agreedRub };
    return { ...(await submitJob(world, written, ready.payload(ceiling))), intent, agreedRub };
  };
  if (quoteId !== undefined) return submitAt({ ceiling: ceilingOf(quoteId, maxPrice) });
  const first = await agree(client, ready, maxPrice, say);
  try {
    return await submitAt(first);
  } catch (error) {
    // A quote may have run out, or its route moved, between the two calls: that is definite. Where
    // the person's own ceiling was met, another quote would change nothing.
    if (!isQuoteRefused(error)) throw error;
    if (error.code === 'media_max_price_exceeded' && maxPrice !== undefined) throw error;
    say(`the quote no longer holds (${error.message}); asking for the price again`);
    const second = await agree(client, ready, maxPrice, say);
    if (second.priceRub <= first.priceRub) return submitAt(second);
    throw new PriceTooHigh(
      `the price rose from ${formatRub(first.priceRub)} to ${formatRub(second.priceRub)}; nothing was submitted`,
      { code: 'price_rose', hint: 'run it again to make it at the new price' },
    );
  }
}

/** A job that this very command may have begun, by the person's own key. */
function jobOfKey(
  world: JobWorld,
  key: string,
  { model, wish, taken }: Pick<LedgerJob, 'model' | 'wish'> & { readonly taken?: Taken },
): LedgerJob | undefined {
  const known = ownJobs(world).find(({ intent }) => intent === key);
  if (taken && known?.wish !== wish) throw taken.refusal;
  if (known && known.wish !== wish) {
    if (known.jobId === undefined && !isUnsettled(known)) return undefined;
    throw new UsageError(`the key ${key} was used for another request, to ${known.model}`, {
      code: 'key_reused',
      hint: `give another --idempotency-key, or leave it out (this one asks ${model})`,
    });
  }
  if (known?.jobId !== undefined) {
    sayer(world.context)(`this key has begun ${known.jobId} already; going on with it`);
  }
  return known;
}

/** The earlier job; undefined when there turns out to be none. */
async function goOn(
  world: JobWorld,
  earlier: LedgerJob,
  atWork: AtWork,
): Promise<MadeJob | undefined> {
  const { intent, jobId, model, state, quotedRub, priceRub = quotedRub } = earlier;
  if (jobId !== undefined) return { intent, jobId, model, state, priceRub, agreedRub: quotedRub };
  if (!isUnsettled(earlier)) return undefined;
  atWork.key = intent;
  try {
    return { ...(await resubmit(world, earlier)), intent, agreedRub: quotedRub };
  } catch (error) {
    if (isQuoteRefused(error)) return undefined;
    throw error;
  }
}
