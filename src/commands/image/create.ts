import { newOnceKey, type OnceKey } from '../../api/beyond-spec.js';
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
import { collect, destinationFrom, openResults, type Result } from '../../jobs/collect.js';
import { paidFor, showResults } from '../../jobs/finish.js';
import { follow, onInterrupt, writeStatus } from '../../jobs/follow.js';
import {
  acceptedJob,
  note,
  noteAccepted,
  openJobs,
  progressWriter,
  promptFrom,
  startLine,
  type JobEnv,
  type OwnJob,
} from '../../jobs/job.js';
import { closeRun, reportResuming, requestHash, resumable, sendOnce } from '../../jobs/once.js';
import type { UnknownOutcome } from '../../jobs/once.js';
import { defaultWaitMs } from '../../jobs/options.js';
import { findLostImage } from '../../jobs/submit.js';
import { formatElapsed } from '../../lib/duration.js';
import type { LedgerJob } from '../../state/ledger.js';
import { modelFor } from '../../jobs/known-model.js';
import type { create } from './index.js';

export const run: Handler<typeof create> = async (context, { args, options }) => {
  const { clock, flags, out } = context;
  const startedAtMs = clock.now();
  out.open();
  const destination = await destinationFrom(context, options, openResults(context));
  const body = await bodyFrom(context, args.prompt, options);
  const env = await openJobs(context, 'jobs', destination.output);
  const { client } = env;
  if (flags.dryRun) await makeImages(client, body, newOnceKey());
  const hash = requestHash({ image: body });
  const { taken } = destination;
  const earlier = await resumable(env, { hash, isNew: options.new, taken });
  const run = async (held: typeof destination) => {
    const since = clock.now();
    const words = () => `generating the image · ${formatElapsed(clock.now() - since)}`;
    const line = await startLine(context, words);
    const image = await makeImage(env, body, hash, earlier).finally(() => line?.stop());
    const { intent, ids = {}, jobId, results } = image;
    // Without a job its key stands for the id.
    const isNamed = jobId !== intent;
    env.atWork.jobId = jobId;
    const files = await collect(env, image, results, held).catch((error: unknown) => {
      throw paidFor(env, isNamed ? jobId : undefined, error, true);
    });
    // When its file expires, and its size, are omitted unless the service says so soon.
    const [cost, asked] = await Promise.all([
      costOf(client, [ids['generation-id']]),
      isNamed ? askJob(withLimit(client, 3000), jobId).catch(() => undefined) : undefined,
    ]);
    const status = asked?.state === 'success' ? asked : undefined;
    const { priceRub = cost.priceRub ?? status?.priceRub } = image;
    writeStatus(env, intent, { ...status, state: 'success', priceRub }, false);
    const made = { ...image, files, status: status && { ...status, priceRub }, priceRub };
    const showing = { ...options, destination: held, startedAtMs };
    await showResults(env, { ...made, state: 'success' }, showing, cost.balanceRub);
    closeRun(env, intent);
  };
  await onInterrupt(env, () => holdName(destination, run));
};

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

async function makeImage(
  env: JobEnv,
  body: ImageBody,
  hash: string,
  earlier: LedgerJob | undefined,
): Promise<Image> {
  const { client } = env;
  const { model } = body;
  const accepted = acceptedJob(earlier);
  if (earlier && accepted && accepted.jobId !== accepted.intent) {
    reportResuming(env, earlier);
    return followed(env, accepted);
  }
  const request = {
    kind: 'image',
    model,
    hash,
    body: JSON.stringify(body),
    row: createImage,
    send: (key: OnceKey) =>
      makeImages(client, body, key).catch((error: unknown): ImageResult => {
        // A failure may name the job: a 504 does.
        const jobId = jobNamedBy(error);
        if (jobId === undefined) throw error;
        return { jobId, ids: {}, reply: { data: [] }, urls: [], files: [] };
      }),
    lookFor: (lost: UnknownOutcome) => findLostImage(env, lost).catch(() => undefined),
  } as const;
  const sent = await sendOnce(env, request, earlier);
  const { intent } = sent;
  const { ids, jobId = intent, reply, urls, files } = sent.reply;
  const isEmpty = urls.length + files.length === 0;
  if (sent.reply.jobId === undefined && isEmpty) {
    note(env, { type: 'uncertain', intent, isUnanswered: false });
    throw new Incomplete('the answer contains neither an image nor a job id', {
      code: 'invalid_reply',
      hint: outcomeHint(createImage),
    });
  }
  const made = { jobId, status: 'processing', reply, ids };
  const job = noteAccepted(env, { intent, model }, made);
  if (isEmpty) {
    progressWriter(env.context)(`the answer contains no image; following its job ${jobId}`);
    return followed(env, job);
  }
  const resultUrls = [...urls, ...files.map(() => '')];
  writeStatus(env, intent, { state: 'success', resultUrls }, false);
  return { ...job, results: [...resultLinks(client, urls), ...files] };
}

async function followed(env: JobEnv, job: OwnJob): Promise<Image> {
  env.atWork.jobId = job.jobId;
  const deadlineMs = leftMs(env.client) ?? defaultWaitMs;
  const { error, status } = await follow(env, job, deadlineMs);
  if (error) throw error;
  const results = resultLinks(env.client, status?.resultUrls ?? []);
  return { ...job, results, priceRub: status?.priceRub };
}
