import { randomUUID } from 'node:crypto';
import { askPrice, isQuoteRefused, submit } from '../../api/media/submit.js';
import type { MediaBody, Quote } from '../../api/media/submit.js';
import type { Context, Handler } from '../../context.js';
import { ApiError, ConfigError, PriceTooHigh, UsageError } from '../../errors.js';
import { destinationFrom, openResults, type Destination } from '../../jobs/collect.js';
import { assertBelow, runJob } from '../../jobs/finish.js';
import { acceptedJob, openJobs, ownJobs, progressWriter } from '../../jobs/job.js';
import type { JobEnv, OwnJob } from '../../jobs/job.js';
import { reportResuming, resumable } from '../../jobs/once.js';
import { resubmit, submitJob } from '../../jobs/submit.js';
import { formatRub } from '../../lib/amounts.js';
import { numberOf } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { isUnfinished, type LedgerJob } from '../../state/ledger.js';
import type { generate } from './index.js';
import { knownModel } from './model.js';
import { fit, hashOf, readRequest, sendSources } from './request.js';
import type { FittedRequest, GenerateInput, MediaLine, ReadyRequest } from './request.js';

type Options = GenerateInput['options'];

export const run: Handler<typeof generate> = async (context, input) => {
  const { options } = input;
  context.out.open();
  const startedAtMs = context.clock.now();
  const destination = await destinationFrom(context, options, openResults(context));
  const request = await readRequest(context, input);
  if (options.quote) return showQuote(context, request, options.refresh);
  const env = await openJobs(context, 'jobs', destination.output);
  const { model, capability, similar } = await knownModel(env, request.model, options.refresh);
  const fitted = await fit({ ...request, model }, capability);
  if (context.flags.dryRun) {
    // Shows the request of the job; nothing is priced, uploaded or recorded.
    const ready = await sendSources(env.client, fitted, context.flags);
    const payload = ready.payload({ quote_id: options.quoteId, max_price_rub: options.maxPrice });
    const { headers } = fitted;
    const shown = await submit(ready.client, { key: randomUUID(), payload, headers });
    if (shown.outcome !== 'accepted') throw shown.error;
  }
  const { taken } = destination;
  await runJob(env, { ...options, destination, startedAtMs }, () =>
    makeJob(env, fitted, { ...options, taken }).catch((error: unknown) => {
      const isRefused = error instanceof ApiError && !error.outcomeUnknown && !error.hint;
      if (similar === undefined || !isRefused) throw error;
      const { status, requestIds } = error;
      const hint = `did you mean ${similar}?`;
      throw new ApiError(error.message, { status, requestIds, hint, cause: error });
    }),
  );
  const { commandHint, out } = context;
  const { jobId = '' } = env.atWork;
  if (!options.wait && out.isForAgent) {
    progressWriter(context)(commandHint(`to wait for it: svc jobs wait ${jobId}`));
  }
};

type Making = Partial<Pick<Options, 'idempotencyKey' | 'maxPrice' | 'quoteId' | 'new'>> &
  Pick<Destination, 'taken'>;

/** An earlier job to resume, or a new one at an agreed price. @throws PriceTooHigh */
export async function makeJob(
  env: JobEnv,
  request: FittedRequest,
  { idempotencyKey: key, maxPrice, quoteId, new: isNew, taken }: Making,
): Promise<OwnJob> {
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    const message = '--idempotency-key must be 1 to 255 printable characters without spaces';
    throw new UsageError(message, { code: 'usage' });
  }
  const { model, headers } = request;
  const hash = await hashOf(request);
  const earlier =
    key === undefined
      ? await resumable(env, { hash, isNew, taken })
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
  const submitAt = (ceiling: Partial<MediaBody>, quotedRub?: number): Promise<OwnJob> => {
    const intent = key ?? randomUUID();
    env.atWork.key = intent;
    return submitJob(env, { intent, model, hash, headers, quotedRub }, ready.payload(ceiling));
  };
  const ceilingRub = maxPrice ?? env.context.flags.maxCostRub;
  if (quoteId !== undefined) return submitAt({ quote_id: quoteId, max_price_rub: ceilingRub });
  const first = await agree(env, ready, maxPrice);
  try {
    return await submitAt(first.ceiling, first.priceRub);
  } catch (error) {
    // A quote may expire, or its route change, between the two calls: nothing was accepted then.
    // At the user's own ceiling, another quote would change nothing.
    if (!isQuoteRefused(error)) throw error;
    if (error.code === 'media_max_price_exceeded' && maxPrice !== undefined) throw error;
    const say = progressWriter(env.context);
    say(`the quote is no longer valid (${error.message}); asking for the price again`);
    const second = await agree(env, ready, maxPrice);
    if (second.priceRub <= first.priceRub) return submitAt(second.ceiling, second.priceRub);
    const rise = `from ${formatRub(first.priceRub)} to ${formatRub(second.priceRub)}`;
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
  const known = ownJobs(env).find(({ intent }) => intent === key);
  if (taken && known?.hash !== hash) throw taken.refusal;
  if (known && known.hash !== hash) {
    if (known.jobId === undefined && !isUnfinished(known)) return undefined;
    throw new UsageError(`the key ${key} was used for another request, to ${known.model}`, {
      code: 'key_reused',
      hint: `give another --idempotency-key, or omit it (this request is for ${model})`,
    });
  }
  if (known?.jobId !== undefined) {
    progressWriter(env.context)(`this key already belongs to ${known.jobId}; resuming it`);
  }
  return known;
}

async function agree(env: JobEnv, ready: ReadyRequest, maxPriceRub: number | undefined) {
  const quote = await askPrice(env.client, ready.body, ready.payload());
  const { priceRub, quoteId } = quote;
  if (typeof priceRub !== 'number' || priceRub < 0) {
    throw new ApiError('the service gives no price for this request', {
      status: 200,
      code: 'no_price',
      hint: 'see its whole answer: --quote --json',
    });
  }
  assertBelow(priceRub, maxPriceRub);
  progressWriter(env.context)(`price: ${priceWords(quote)}`);
  const ceiling = { quote_id: quoteId ?? undefined, max_price_rub: maxPriceRub ?? priceRub };
  return { priceRub, ceiling };
}

/** --quote: shows the price and creates nothing; without a key, the public price. */
async function showQuote(context: Context, request: MediaLine, refresh?: boolean): Promise<void> {
  const { out, flags } = context;
  const client = await context.client({ key: 'optional' });
  const isKeyless = client.key === undefined;
  const { model = request.model, capability } = isKeyless
    ? {}
    : await knownModel({ ...(await openJobs(context)), client }, request.model, refresh);
  const fitted = await fit({ ...request, model }, capability);
  // Without a key the model's options are unknown, and nothing can be uploaded.
  if (isKeyless && fitted.filled.some(({ form }) => form === 'file_id')) {
    throw new ConfigError('uploading a local file needs a key, and no key is set', {
      code: 'no_key',
      hint: 'run `svc login`, or send the file within the request: --inline',
    });
  }
  const ready = await sendSources(client, fitted, flags);
  const quote = await askPrice(ready.client, ready.body, ready.payload());
  if (flags.json) await out.json(quote);
  else await out.fields(quoteRows(quote, out.isTerminal));
}

/** `12.50 RUB`, `12.50 RUB (an estimate: the length is not known)`. */
function priceWords({ priceRub, isEstimate, estimateReason }: Quote, isGrouped = true): string {
  const amount = typeof priceRub === 'number' ? formatRub(priceRub, { isGrouped }) : 'no price';
  if (!isEstimate) return amount;
  const reason = plainText(estimateReason ?? '', 200);
  return `${amount} (an estimate${reason === '' ? '' : `: ${reason}`})`;
}

function quoteRows(quote: Quote, isGrouped: boolean): string[][] {
  const parts = Object.entries(quote.breakdown ?? {}).map(([name, value]) => {
    const amount = String(numberOf(value) ?? JSON.stringify(value));
    return [plainText(name, 60), plainText(amount, 60)];
  });
  const time = (seconds: unknown) => {
    const known = numberOf(seconds);
    return known === undefined ? '' : `${known} s`;
  };
  return [
    ['Price', priceWords(quote, isGrouped)],
    ...parts,
    ['Measured audio', time(quote.audioSeconds)],
    ['Length of the result', time(quote.outputSeconds)],
    ['Measured source', time(quote.sourceSeconds)],
    ['Quote', plainText(quote.quoteId ?? '', 128)],
    ['Valid until', plainText(quote.expiresAt ?? '', 60)],
  ].filter(([, value]) => value !== '');
}
