import { rubWords } from '../cells.js';
import { askExtendPrice, extendVideo as sendExtension } from '../../api/media/submit.js';
import type { Context, Handler } from '../../context.js';
import { extendVideo } from '../../contract/media.js';
import { PriceTooHigh, UsageError } from '../../errors.js';
import { destinationFrom, openResults } from '../../jobs/collect.js';
import { assertBelow, runJob } from '../../jobs/finish.js';
import { namedJob, noteAccepted, openJobs, progressWriter, promptFrom } from '../../jobs/job.js';
import { requestHash } from '../../jobs/once.js';
import { formatRub } from '../../lib/amounts.js';
import { toJson } from '../../lib/json.js';
import { PaidRun } from '../../media/paid-run.js';
import type { extend } from './index.js';

export const run: Handler<typeof extend> = async (context, { args, options }) => {
  const startedAtMs = context.clock.now();
  const { tier, seeds, watermark, output, quote, wait } = options;
  if (!tier) throw new UsageError('--tier is required: lite, fast or quality');
  if ((output !== undefined || options.open === true) && (quote || !wait)) {
    const flag = quote ? '--quote' : '--no-wait';
    throw new UsageError(`${flag} leaves no result to save or open`);
  }
  const destination = await destinationFrom(context, options, openResults(context));
  const env = await openJobs(context, 'jobs', destination.output);
  const { jobId: taskId, model = 'extend' } = namedJob(env, args.id);
  if (quote) {
    const { priceRub, reply } = await askExtendPrice(env.client, tier);
    if (context.flags.json || priceRub === undefined) return context.out.json(reply);
    return context.out.line(rubWords(context, priceRub));
  }
  const hint = 'say how the video continues: svc jobs extend ID "…" --tier fast';
  const prompt = await promptFrom(context, args.prompt, { hint });
  const body = { taskId, prompt, tier, seeds, watermark };
  const paidRun = await PaidRun.open(env, {
    kind: 'extend',
    model,
    row: extendVideo,
    hash: requestHash({ extend: body }),
    body: toJson(body),
    isNew: options.new,
    taken: destination.taken,
  });
  const quotedRub = paidRun.earlier
    ? paidRun.earlier.quotedRub
    : await agree(context, (await askExtendPrice(env.client, tier)).priceRub);
  await runJob(env, { ...options, destination, startedAtMs }, async () => {
    const resumed = paidRun.resumedJob();
    if (resumed) return resumed;
    const { intent, reply } = await paidRun.sendAs(
      (client, key) => sendExtension(client, body, key),
      env.client,
      quotedRub,
    );
    return noteAccepted(env, { intent, model, quotedRub }, reply);
  });
};

/** The request has no field for a ceiling: the price is compared here. */
async function agree(context: Context, priceRub: number | undefined): Promise<number | undefined> {
  const { maxCostRub } = context.flags;
  if (priceRub !== undefined) {
    assertBelow(priceRub, maxCostRub);
    progressWriter(context)(`price: ${formatRub(priceRub, context.out.language)}`);
    return priceRub;
  }
  if (maxCostRub !== undefined) {
    const hint = 'without --max-cost svc asks whether to extend it anyway';
    throw new PriceTooHigh(
      'the service gives no price to compare with --max-cost; nothing was submitted',
      { code: 'no_price', hint },
    );
  }
  const message = 'the service gives no price; extend the video anyway?';
  await context.prompts.assertAgreed(message, 'nothing was submitted');
  return undefined;
}
