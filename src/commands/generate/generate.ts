import { randomUUID } from 'node:crypto';
import type { Client } from '../../api/client.js';
import {
  askPrice,
  isQuoteRefused,
  submit,
  type MediaBody,
  type Quote,
} from '../../api/media/submit.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { ApiError, ConfigError, PriceTooHigh, UsageError } from '../../errors.js';
import { destinationFrom, type TakenName } from '../../jobs/destination.js';
import { assertBelow, assertPrice, finishJob } from '../../jobs/finish.js';
import { onInterrupt, type AtWork } from '../../jobs/follow.js';
import { openJobs, ownJobs, progressWriter, type Job, type JobEnv } from '../../jobs/job.js';
import { resumable, reportResuming } from '../../jobs/once.js';
import { resubmit, submitJob } from '../../jobs/submit.js';
import { numberOf } from '../../lib/json.js';
import { formatRub } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import { isUnfinished, type LedgerJob } from '../../state/ledger-fold.js';
import { titles } from '../../terminal/types.js';
import type { generate } from './index.js';
import { knownModel } from './model.js';
import {
  fit,
  hashOf,
  readRequest,
  sendSources,
  type FittedRequest,
  type GenerateInput,
  type ReadyRequest,
  type Request,
} from './request.js';

type Options = GenerateInput['options'];

/** Makes media: asks for the price, starts a job, waits for it and fetches its results. */
export const run: Handler<typeof generate> = async (context, input) => {
  const { options } = input;
  const { flags, out } = context;
  out.open();
  const startedAtMs = context.clock.now();
  const destination = await destinationFrom(context, options, true);
  const request = await readRequest(context, input);
  const refresh = options.refresh === true;
  if (options.quote) return showQuote(context, request, refresh);
  const world = await openJobs(context);
  const { capability, similar } = await knownModel({ ...world, refresh }, request.model);
  if (similar !== undefined) {
    progressWriter(context)(`no media model is called ${request.model}; did you mean ${similar}?`);
  }
  const fitted = await fit(request, capability);
  if (flags.dryRun) await showRequest(world, fitted, options);
  await onInterrupt(world, async (atWork) => {
    const job = await makeJob(world, fitted, options, { atWork, taken: destination.taken });
    atWork.jobId = job.jobId;
    const { agreedRub } = job;
    await assertPrice(world, job, { agreedRub, maxPriceRub: options.maxPrice });
    await finishJob(world, job, { ...options, destination, startedAtMs });
  });
};

/** Shows the request of the job; nothing is priced, uploaded or written down. */
async function showRequest(
  { client, context }: JobEnv,
  request: FittedRequest,
  { quoteId, maxPrice }: Options,
): Promise<never> {
  const ready = await sendSources(client, request, context.flags);
  const payload = ready.payload(ceilingOf(quoteId, maxPrice));
  const shown = await submit(ready.client, {
    key: randomUUID(),
    payload,
    headers: request.headers,
  });
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
  world: JobEnv,
  request: FittedRequest,
  options: Partial<Pick<Options, 'idempotencyKey' | 'maxPrice' | 'quoteId' | 'new'>>,
  { atWork, taken }: { readonly atWork: AtWork; readonly taken?: TakenName },
): Promise<MadeJob> {
  const { idempotencyKey: key, maxPrice, quoteId, new: isNew } = options;
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new UsageError('--idempotency-key must be 1 to 255 printable characters without spaces', {
      code: 'usage',
    });
  }
  const { model, headers } = request;
  const hash = await hashOf(request);
  const earlier =
    key === undefined
      ? await resumable(world, { hash, isNew, taken })
      : jobOfKey(world, key, { model, hash, taken });
  if (earlier && key === undefined) reportResuming(world, earlier);
  const made = earlier && (await goOn(world, earlier, atWork));
  if (made) return made;
  const { client } = world;
  const say = progressWriter(world.context);
  const ready = await sendSources(client, request, world.context.flags);
  // A new key for each request, unless the person gave one.
  const submitAt = async ({ ceiling, priceRub: agreedRub }: Agreed): Promise<MadeJob> => {
    const intent = key ?? randomUUID();
    atWork.key = intent;
    const written = { intent, model, hash, headers, quotedRub: agreedRub };
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
  world: JobEnv,
  key: string,
  { model, hash, taken }: Pick<LedgerJob, 'model' | 'hash'> & { readonly taken?: TakenName },
): LedgerJob | undefined {
  const known = ownJobs(world).find(({ intent }) => intent === key);
  if (taken && known?.hash !== hash) throw taken.refusal;
  if (known && known.hash !== hash) {
    if (known.jobId === undefined && !isUnfinished(known)) return undefined;
    throw new UsageError(`the key ${key} was used for another request, to ${known.model}`, {
      code: 'key_reused',
      hint: `give another --idempotency-key, or leave it out (this one asks ${model})`,
    });
  }
  if (known?.jobId !== undefined) {
    progressWriter(world.context)(`this key has begun ${known.jobId} already; going on with it`);
  }
  return known;
}

/** The earlier job; undefined when there turns out to be none. */
async function goOn(
  world: JobEnv,
  earlier: LedgerJob,
  atWork: AtWork,
): Promise<MadeJob | undefined> {
  const { intent, jobId, model, state, quotedRub, priceRub = quotedRub } = earlier;
  if (jobId !== undefined) return { intent, jobId, model, state, priceRub, agreedRub: quotedRub };
  if (!isUnfinished(earlier)) return undefined;
  atWork.key = intent;
  try {
    return { ...(await resubmit(world, earlier)), intent, agreedRub: quotedRub };
  } catch (error) {
    if (isQuoteRefused(error)) return undefined;
    throw error;
  }
}

/** The fields that hold a job to a quote and to a ceiling. */
type Ceiling = Pick<MediaBody, 'quote_id' | 'max_price_rub'>;

interface Agreed {
  readonly ceiling: Ceiling;
  /** Undefined where the person brought a quote. */
  readonly priceRub?: number;
}

/**
 * Asks for the price, says it, and holds it against what the person said that it may cost at most.
 */
async function agree(
  client: Client,
  ready: ReadyRequest,
  maxPriceRub: number | undefined,
  say: (words: string) => void,
): Promise<Required<Agreed>> {
  const quote = await askPrice(client, ready.body, ready.payload());
  const { priceRub, quoteId } = quote;
  // Nothing costs less than nothing.
  if (priceRub === undefined || priceRub < 0) {
    throw new ApiError('the service names no price for it', {
      status: 200,
      code: 'no_price',
      hint: 'see what is known of it: --quote --json',
    });
  }
  assertBelow(priceRub, maxPriceRub);
  say(`price: ${priceWords(quote)}`);
  return { priceRub, ceiling: ceilingOf(quoteId, maxPriceRub ?? priceRub) };
}

function ceilingOf(quoteId: string | undefined, maxPriceRub: number | undefined): Ceiling {
  return {
    ...(quoteId === undefined ? {} : { quote_id: quoteId }),
    ...(maxPriceRub === undefined ? {} : { max_price_rub: maxPriceRub }),
  };
}

/**
 * --quote: what it would cost, with nothing made; with the key of the profile, or by the public
 * price without one. @throws as making it would.
 */
async function showQuote(context: Context, request: Request, refresh: boolean): Promise<void> {
  const { out, flags } = context;
  const client = await context.client({ key: 'optional' });
  const isKeyless = client.key === undefined;
  const { capability } = isKeyless
    ? { capability: undefined }
    : await knownModel({ ...(await openJobs(context)), client, refresh }, request.model);
  const fitted = await fit(request, capability);
  // Without a key nothing is told of a model, and nothing can be uploaded.
  if (isKeyless && fitted.filled.some(({ form }) => form === 'file_id')) {
    throw new ConfigError('a local file is uploaded with a key, and no key is known', {
      code: 'no_key',
      hint: 'run `svc login`, or send the file with the request: --inline',
    });
  }
  const ready = await sendSources(client, fitted, flags);
  const quote = await askPrice(ready.client, ready.body, ready.payload());
  if (flags.json) await out.json(quote.reply);
  else await out.table(titles('WHAT', 'VALUE'), quoteRows(quote));
}

/** `12.50 RUB`, `12.50 RUB (an estimate: the length is not known)`. */
function priceWords({ priceRub, isEstimate, estimateReason }: Quote): string {
  const amount = priceRub === undefined ? 'no price' : formatRub(priceRub);
  if (!isEstimate) return amount;
  const reason = plainText(estimateReason ?? '', 200);
  return `${amount} (an estimate${reason === '' ? '' : `: ${reason}`})`;
}

/** All that a quote tells, in rows for people. */
function quoteRows(quote: Quote): string[][] {
  const { breakdown, quoteId, expiresAt, reply } = quote;
  const lengths = lengthNames.flatMap(([field, name]) =>
    typeof reply[field] === 'number' ? [[name, `${String(reply[field])} s`]] : [],
  );
  const parts = Object.entries(breakdown).map(([name, value]) => [
    plainText(name, 60),
    plainText(String(numberOf(value) ?? JSON.stringify(value)), 60),
  ]);
  return [
    ['Price', priceWords(quote)],
    ...parts,
    ...lengths,
    ...(quoteId === undefined ? [] : [['Quote', plainText(quoteId, 128)]]),
    ...(expiresAt === undefined ? [] : [['Valid until', plainText(expiresAt, 60)]]),
  ];
}

/** What the service measures in the sources, or works out from them. */
const lengthNames = [
  ['audioSeconds', 'Measured audio'],
  ['outputSeconds', 'Length of the result'],
  ['sourceSeconds', 'Measured source'],
] as const;
