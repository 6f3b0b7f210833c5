import { newOnceKey } from '../../api/beyond-spec.js';
import { leftMs, withLimit } from '../../api/client.js';
import { costOf } from '../../api/cost.js';
import { outcomeHint } from '../../api/failure.js';
import { jobNamedBy, makeImages, type ImageBody, type ImageResult } from '../../api/images.js';
import { askJob, resultLinks } from '../../api/media/follow.js';
import type { Context, Handler } from '../../context.js';
import type { InputOf } from '../../command.js';
import { explain } from '../../contract/explain.js';
import { createImage, ImageRequest } from '../../contract/images.js';
import { Incomplete, UsageError } from '../../errors.js';
import { holdName } from '../../files/part-file.js';
import { isCostSeen } from '../../jobs/cost.js';
import { collect, destinationFrom, openResults, type Result } from '../../jobs/collect.js';
import { paidFor, showResults, type RunOptions } from '../../jobs/finish.js';
import { follow, onInterrupt, writeStatus } from '../../jobs/follow.js';
import { noteAccepted, openJobs, progressWriter, promptFrom, startLine } from '../../jobs/job.js';
import type { JobEnv, OwnJob } from '../../jobs/job.js';
import { requestHash } from '../../jobs/once.js';
import { defaultWaitMs } from '../../jobs/options.js';
import { findLostImage } from '../../jobs/submit.js';
import { formatRub } from '../../lib/amounts.js';
import { formatElapsed } from '../../lib/duration.js';
import { PaidRun } from '../../media/paid-run.js';
import { askSyncPrice } from '../../spending/price-limit.js';
import { showQuote } from '../generate/quote.js';
import { modelFor } from '../../jobs/known-model.js';
import type { create } from './index.js';

export const run: Handler<typeof create> = async (context, { args, options }) => {
  const { flags, out, clock } = context;
  const startedAtMs = clock.now();
  out.open();
  const destination = await destinationFrom(context, options, openResults(context));
  const body = await bodyFrom(context, args.prompt, options);
  if (options.quote) {
    const client = await context.client({ key: 'optional' });
    return showQuote(context, await askSyncPrice(client, body));
  }
  const env = await openJobs(context, 'jobs', destination.output);
  if (flags.dryRun) await makeImages(env.client, body, newOnceKey());
  const paidRun = await PaidRun.open(env, {
    kind: 'image',
    model: body.model,
    row: createImage,
    hash: requestHash({ image: body }),
    body: JSON.stringify(body),
    isNew: options.new,
    taken: destination.taken,
    lookFor: (lost) => findLostImage(env, lost).catch(() => undefined),
  });
  await onInterrupt(env, () =>
    holdName(destination, async (place) => {
      const image = await makeImage(env, body, paidRun);
      await deliver(env, image, { ...options, destination: place, startedAtMs });
      paidRun.close();
    }),
  );
};

/** Saves the results of the image and shows them, with what it cost. */
async function deliver(env: JobEnv, image: Image, showing: RunOptions): Promise<void> {
  const { client } = env;
  const { intent, ids = {}, jobId, results } = image;
  // Without a job its key stands for the id.
  const isNamed = jobId !== intent;
  env.atWork.jobId = jobId;
  const files = await collect(env, image, results, showing.destination).catch((error: unknown) => {
    throw paidFor(env, isNamed ? jobId : undefined, error, true);
  });
  // When its file expires, and its size, are omitted unless the service says so soon.
  const [cost, reported] = await Promise.all([
    costOf(client, [ids]),
    isNamed ? askJob(withLimit(client, 3000), jobId).catch(() => undefined) : undefined,
  ]);
  const status = reported?.state === 'success' ? reported : undefined;
  const { priceRub = cost.priceRub ?? status?.priceRub } = image;
  writeStatus(env, intent, { ...status, state: 'success', priceRub }, false);
  const job = { ...image, files, status: status && { ...status, priceRub }, priceRub };
  // A pipe learns the price here as from `svc generate`, which knows it before.
  if (priceRub !== undefined && !isCostSeen(env.context))
    progressWriter(env.context)(`price: ${formatRub(priceRub, env.context.out.language)}`);
  await showResults(env, { ...job, state: 'success' }, showing, cost.balanceRub);
}

async function bodyFrom(
  context: Context,
  words: readonly string[],
  options: InputOf<typeof create>['options'],
): Promise<ImageBody> {
  const hint = 'svc image create -m MODEL "a lighthouse"';
  const model = await modelFor(context, options.model, 'image');
  const prompt = await promptFrom(context, words, { hint });
  const { count: n, size, quality, responseFormat: response_format, user } = options;
  const body = { model, prompt, n, size, quality, response_format, user };
  const checked = ImageRequest.safeParse(body);
  if (checked.success) return checked.data;
  throw new UsageError(explain(checked.error, body), { code: 'invalid_input' });
}

interface Image extends OwnJob {
  readonly results: readonly Result[];
}

async function makeImage(env: JobEnv, body: ImageBody, run: PaidRun): Promise<Image> {
  const { client, context } = env;
  const { clock } = context;
  const since = clock.now();
  const words = () => `generating the image · ${formatElapsed(clock.now() - since)}`;
  const line = await startLine(context, words);
  try {
    const resumed = run.resumedJob();
    if (resumed) return await followed(env, resumed);
    const { intent, reply: made } = await run.sendAs((paying, key) =>
      makeImages(paying, body, key).catch((error: unknown): ImageResult => {
        // A failure may name the job: a 504 does.
        const jobId = jobNamedBy(error);
        if (jobId === undefined) throw error;
        return { jobId, ids: {}, reply: { data: [] }, urls: [], files: [] };
      }),
    );
    const { ids, jobId = intent, reply, urls, files } = made;
    const isEmpty = urls.length + files.length === 0;
    if (made.jobId === undefined && isEmpty) {
      run.note({ type: 'uncertain', isUnanswered: false });
      throw new Incomplete('the answer contains neither an image nor a job id', {
        code: 'invalid_reply',
        hint: outcomeHint(createImage),
      });
    }
    const { model } = body;
    const job = noteAccepted(env, { intent, model }, { jobId, status: 'processing', reply, ids });
    if (isEmpty) {
      progressWriter(context)(`the answer contains no image; following its job ${jobId}`);
      return await followed(env, job);
    }
    const resultUrls = [...urls, ...files.map(() => '')];
    writeStatus(env, intent, { state: 'success', resultUrls }, false);
    return { ...job, results: [...resultLinks(client, urls), ...files] };
  } finally {
    line?.stop();
  }
}

async function followed(env: JobEnv, job: OwnJob): Promise<Image> {
  env.atWork.jobId = job.jobId;
  const deadlineMs = leftMs(env.client) ?? defaultWaitMs;
  const { error, status } = await follow(env, job, deadlineMs);
  if (error) throw error;
  const results = resultLinks(env.client, status?.resultUrls ?? []);
  return { ...job, results, priceRub: status?.priceRub };
}
