import { askExtendPrice, extendVideo as sendExtension } from '../../api/media/submit.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { extendVideo } from '../../contract/media.js';
import { PriceTooHigh, UsageError } from '../../errors.js';
import { destinationFrom } from '../../jobs/destination.js';
import { assertBelow, assertPrice, finishJob } from '../../jobs/finish.js';
import { onInterrupt } from '../../jobs/follow.js';
import {
  namedJob,
  note,
  openJobs,
  neededPrompt,
  progressWriter,
  type Job,
} from '../../jobs/job.js';
import { requestHash, resumable, sendOnce, reportResuming } from '../../jobs/once.js';
import { formatRub } from '../../lib/amounts.js';
import type { extend } from './index.js';

/** Extends a video: asks for the price, sends it once, waits and fetches the result. */
export const run: Handler<typeof extend> = async (context, { args, options }) => {
  const startedAtMs = context.clock.now();
  const { tier, seeds, watermark, output, quote, wait, maxPrice: maxPriceRub } = options;
  if (!tier) throw new UsageError('--tier is missing: lite, fast or quality', { code: 'usage' });
  if ((output !== undefined || options.open === true) && (quote || !wait)) {
    const flag = quote ? '--quote' : '--no-wait';
    throw new UsageError(`${flag} has no result to write or show`, { code: 'usage' });
  }
  const destination = await destinationFrom(context, options, true);
  const world = await openJobs(context);
  const video = namedJob(world, args.id);
  if (quote) {
    const price = await askExtendPrice(world.client, tier);
    if (context.flags.json || price.priceRub === undefined) await context.out.json(price.reply);
    else await context.out.line(formatRub(price.priceRub));
    return;
  }
  const hint = 'say how the video goes on: svc jobs extend ID "…" --tier fast';
  const prompt = await neededPrompt(context, args.prompt, hint);
  const body = {
    taskId: video.jobId,
    prompt,
    tier,
    ...(seeds === undefined ? {} : { seeds }),
    ...(watermark === undefined ? {} : { watermark }),
  };
  const hash = requestHash({ extend: body });
  const { taken } = destination;
  const earlier = await resumable(world, { hash, isNew: options.new, taken });
  const quotedRub = earlier
    ? earlier.quotedRub
    : await agree(context, (await askExtendPrice(world.client, tier)).priceRub, maxPriceRub);
  const model = video.model ?? 'extend';
  await onInterrupt(world, async (atWork) => {
    let job: Job & { readonly intent: string };
    if (earlier?.jobId !== undefined) {
      reportResuming(world, earlier);
      const { intent, jobId, state, priceRub = quotedRub } = earlier;
      job = { model, intent, jobId, state, priceRub };
    } else {
      const { intent, reply } = await sendOnce(
        world,
        {
          kind: 'extend',
          model,
          hash,
          body: JSON.stringify(body),
          quotedRub,
          row: extendVideo,
          send: (key) => sendExtension(world.client, body, key),
          atWork,
        },
        earlier,
      );
      note(world, { type: 'accepted', intent, ...reply });
      const { jobId, status: state, priceRub = quotedRub } = reply;
      job = { model, intent, jobId, state, priceRub };
    }
    atWork.jobId = job.jobId;
    await assertPrice(world, job, { agreedRub: quotedRub, maxPriceRub });
    await finishJob(world, job, { ...options, destination, startedAtMs });
  });
};

/** No ceiling can be sent along: the price that was just told is held against it here. */
async function agree(
  context: Context,
  priceRub: number | undefined,
  maxPriceRub: number | undefined,
): Promise<number | undefined> {
  if (priceRub === undefined && maxPriceRub !== undefined) {
    throw new PriceTooHigh(
      'the service names no price to hold --max-price against; nothing was submitted',
      {
        code: 'no_price',
        hint: 'leave out --max-price, to be asked whether to extend it all the same',
      },
    );
  }
  if (priceRub === undefined) {
    const isSure = await context.prompts.confirm({
      message: 'the service names no price; extend the video all the same?',
      default: false,
    });
    if (!isSure) throw new UsageError('nothing was submitted', { code: 'not_confirmed' });
    return undefined;
  }
  assertBelow(priceRub, maxPriceRub);
  progressWriter(context)(`price: ${formatRub(priceRub)}`);
  return priceRub;
}
