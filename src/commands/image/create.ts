import { costOf } from '../../api/cost.js';
import { newOnceKey } from '../../api/beyond-spec.js';
import { howToFindOut } from '../../api/failure.js';
import { jobNamedBy, makeImages, type ImageBody, type MadeImages } from '../../api/images.js';
import { askJob, resultLinks, type JobStatus } from '../../api/media/follow.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { explain } from '../../contract/explain.js';
import { createImage, ImageRequest } from '../../contract/images.js';
import { Incomplete, UsageError } from '../../errors.js';
import { collect, type Result } from '../../jobs/collect.js';
import { destinationFrom } from '../../jobs/destination.js';
import { paidFor, showResults } from '../../jobs/finish.js';
import { followToSuccess, onInterrupt, writeStatus, type AtWork } from '../../jobs/follow.js';
import {
  note,
  openJobs,
  neededPrompt,
  progressWriter,
  type Job,
  type JobEnv,
} from '../../jobs/job.js';
import { closeRun, requestHash, resumable, sendOnce, reportResuming } from '../../jobs/once.js';
import { usualPatienceMs } from '../../jobs/options.js';
import { lookForImage } from '../../jobs/submit.js';
import { formatElapsed } from '../../lib/duration.js';
import type { LedgerJob } from '../../state/ledger-fold.js';
import type { create } from './index.js';

/** Makes an image and writes it to a file. */
export const run: Handler<typeof create> = async (context, { args, options }) => {
  const startedAtMs = context.clock.now();
  const { flags, out } = context;
  out.open();
  const destination = await destinationFrom(context, options, true);
  const body = await bodyFrom(context, args.prompt, options);
  const world = await openJobs(context);
  const { client } = world;
  // Shows the request; nothing is written down for it.
  if (flags.dryRun) await makeImages(client, body, newOnceKey());
  const hash = requestHash({ image: body });
  const { taken } = destination;
  const earlier = await resumable(world, { hash, isNew: options.new, taken });
  await onInterrupt(world, async (atWork) => {
    const image = await withSpinner(context, () => makeImage(world, body, hash, earlier, atWork));
    const { intent, jobId, isNamed, results, generationId } = image;
    atWork.jobId = jobId;
    const files = await collect(world, image, results, destination).catch((error: unknown) => {
      throw paidFor(world, isNamed ? jobId : undefined, { error, hasResults: true });
    });
    const [cost, told] = await Promise.all([
      costOf(client, generationId),
      isNamed ? lookedUp(world, jobId) : undefined,
    ]);
    const { priceRub = cost.priceRub ?? told?.priceRub } = image;
    writeStatus(world, intent, { ...told, state: 'success', priceRub }, false);
    const status = told && { ...told, priceRub };
    const { balanceRub } = cost;
    const showing = { files, balanceRub, destination, open: options.open, startedAtMs };
    await showResults(world, { ...image, state: 'success', status, priceRub }, showing);
    closeRun(world, intent);
  });
};

/** As with the cost, it is left out when it cannot be told soon. */
const patienceMs = 3000;

/** What the service tells of the image's job: how long its file is kept, its size. */
async function lookedUp({ client }: JobEnv, jobId: string): Promise<JobStatus | undefined> {
  const status = await askJob({ ...client, deadlineMs: patienceMs }, jobId).catch(() => undefined);
  return status?.state === 'success' ? status : undefined;
}

/** @throws UsageError before anything is sent. */
async function bodyFrom(
  context: Context,
  words: readonly string[],
  { count, size, quality, responseFormat, user, ...options }: InputOf<typeof create>['options'],
): Promise<ImageBody> {
  const hint = 'svc image create -m MODEL "a lighthouse"';
  const prompt = await neededPrompt(context, words, hint);
  const model = options.model ?? (context.flags.local ? 'local/canvas' : '');
  if (model === '') {
    throw new UsageError('no model is named', {
      code: 'no_model',
      hint: 'give -m MODEL: `svc models list --type image` shows them',
    });
  }
  const body = {
    model,
    prompt,
    ...(count === undefined ? {} : { n: count }),
    ...(size === undefined ? {} : { size }),
    ...(quality === undefined ? {} : { quality }),
    ...(responseFormat === undefined ? {} : { response_format: responseFormat }),
    ...(user === undefined ? {} : { user }),
  };
  const checked = ImageRequest.safeParse(body);
  if (checked.success) return checked.data;
  throw new UsageError(explain(checked.error, body), { code: 'invalid_input' });
}

async function withSpinner<Result>(
  { out, clock, flags }: Context,
  work: () => Promise<Result>,
): Promise<Result> {
  if (flags.json) return work();
  const startedAtMs = clock.now();
  const words = () => `making the image · ${formatElapsed(clock.now() - startedAtMs)}`;
  const spinner = await out.spinner(words());
  spinner.update(words);
  try {
    return await work();
  } finally {
    spinner.stop();
  }
}

interface Image extends Job {
  readonly intent: string;
  /** The service has named its job; else its key stands for the id. */
  readonly isNamed: boolean;
  readonly results: readonly Result[];
  /** Of the usage record; undefined when the answer did not come. */
  readonly generationId?: string;
}

/** Makes an image in one call, and follows its job when the answer does not come. */
async function makeImage(
  world: JobEnv,
  body: ImageBody,
  hash: string,
  earlier: LedgerJob | undefined,
  atWork: AtWork,
): Promise<Image> {
  const { model } = body;
  if (earlier?.jobId !== undefined && earlier.jobId !== earlier.intent) {
    reportResuming(world, earlier);
    atWork.jobId = earlier.jobId;
    return followed(world, { intent: earlier.intent, jobId: earlier.jobId, model });
  }
  const { intent, reply } = await sendOnce(
    world,
    {
      kind: 'image',
      model,
      hash,
      body: JSON.stringify(body),
      row: createImage,
      send: (key) =>
        makeImages(world.client, body, key).catch((error: unknown): MadeImages => {
          // A failing answer may name the job: a 504 does.
          const jobId = jobNamedBy(error);
          if (jobId === undefined) throw error;
          return { jobId, generationId: undefined, urls: [], files: [] };
        }),
      lookFor: (lost) => lookForImage(world, lost).catch(() => undefined),
      atWork,
    },
    earlier,
  );
  const { jobId = intent, urls, files, generationId } = reply;
  const isEmpty = urls.length + files.length === 0;
  if (reply.jobId === undefined && isEmpty) {
    note(world, { type: 'uncertain', intent, isUnanswered: false });
    throw new Incomplete('the answer holds no image, and names no job', {
      code: 'invalid_reply',
      hint: howToFindOut(createImage),
    });
  }
  note(world, { type: 'accepted', intent, jobId, status: 'processing' });
  if (isEmpty) {
    progressWriter(world.context)(`no image came; going on with its job ${jobId}`);
    atWork.jobId = jobId;
    return followed(world, { intent, jobId, model });
  }
  const resultUrls = [...urls, ...files.map(() => '')];
  writeStatus(world, intent, { state: 'success', resultUrls }, true);
  const results = [...resultLinks(world.client, urls), ...files];
  return { intent, jobId, model, isNamed: jobId !== intent, results, generationId };
}

async function followed(world: JobEnv, job: Job & { readonly intent: string }): Promise<Image> {
  const deadlineMs = world.client.deadlineMs ?? usualPatienceMs;
  const { priceRub, resultUrls } = await followToSuccess(world, job, { deadlineMs });
  const isNamed = job.jobId !== job.intent;
  return { ...job, isNamed, results: resultLinks(world.client, resultUrls), priceRub };
}
