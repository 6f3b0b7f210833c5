import { randomUUID } from 'node:crypto';
import { askPrice, submit, type Quote } from '../../api/media/submit.js';
import type { Context, Handler } from '../../context.js';
import { ApiError, ConfigError } from '../../errors.js';
import { destinationFrom, openResults } from '../../jobs/collect.js';
import { runJob } from '../../jobs/finish.js';
import { openJobs, progressWriter } from '../../jobs/job.js';
import { numberOf } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { fit, sendSources, type MediaLine } from '../../media/job-request.js';
import { makeJob, priceWords } from '../../media/make-job.js';
import { knownModel } from '../../media/model.js';
import type { generate } from './index.js';
import { readRequest } from './request.js';

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
