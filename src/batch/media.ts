/** Lines whose results are files: media jobs, images and speech. */
import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import { speak } from '../api/audio.js';
import type * as z from 'zod/mini';
import { leftMs, type Client } from '../api/client.js';
import { pricesOf } from '../api/cost.js';
import { makeImages } from '../api/images.js';
import { resultLinks } from '../api/media/follow.js';
import type { Context } from '../context.js';
import { createSpeech, SpeechRequest } from '../contract/audio.js';
import { createImage, ImageRequest } from '../contract/images.js';
import { generateMedia } from '../contract/media.js';
import { JobFailed, OutcomeUnknown, SvcError, type RequestIds } from '../errors.js';
import { PartFile } from '../files/part-file.js';
import { collect, type Result } from '../jobs/collect.js';
import { follow } from '../jobs/follow.js';
import { acceptedJob, openJobs, type Job, type JobEnv } from '../jobs/job.js';
import { defaultWaitMs } from '../jobs/options.js';
import { resubmit, submitJob } from '../jobs/submit.js';
import { isUnfinished } from '../state/ledger-job.js';
import { oneService } from '../state/account.js';
import type { BatchAnswer, BatchRequest } from './request.js';
import type { Send } from './send.js';
import { parseJson, parsedJson, recordOf, toJson, withAllDigits } from '../lib/json.js';

/** @param folder of the files @param others sends the lines whose answer is not a file */
export async function openMedia(
  context: Context,
  client: Client,
  folder: string,
  others: Send,
): Promise<Send> {
  // The progress of the batch is the only one that is shown.
  const silent = { ...context, flags: { ...context.flags, json: true } };
  const env = { ...(await openJobs(silent, 'jobs', `${resolve(folder)}/`)), client };
  const media = new MediaLines(env, folder);
  const senders = new Map<string, Send>([
    [generateMedia.id, media.generate],
    [createImage.id, media.image],
    [createSpeech.id, media.speech],
  ]);
  return (request) => (senders.get(request.row.id) ?? others)(request);
}

/** Sends one line, and saves its results under its name. */
class MediaLines {
  constructor(
    private readonly env: JobEnv,
    private readonly folder: string,
  ) {}

  readonly generate: Send = async (request) => {
    const { account, client, ledger } = this.env;
    const { body: line, maxPriceRub, model = '' } = request;
    const body =
      maxPriceRub === undefined
        ? line
        : toJson({ ...recordOf(parsedJson(line)), max_price_rub: maxPriceRub });
    const lineHash = this.#keyOf(request);
    const jobs = ledger.jobsOfRequest(lineHash, account);
    // A job that has failed is asked for again only on purpose: as another one.
    const earlier = jobs.find(({ state }) => state !== 'fail');
    const intent = this.#keyOf(request, jobs.filter(({ state }) => state === 'fail').length);
    const run = { intent, model, hash: lineHash, headers: {}, quotedRub: undefined };
    const submitted = () =>
      earlier && isUnfinished(earlier)
        ? resubmit(this.env, earlier)
        : submitJob(this.env, run, { body });
    const accepted = acceptedJob(earlier) ?? (await submitted());
    const job = await follow(this.env, accepted, leftMs(client) ?? defaultWaitMs);
    const { error, jobId, status, priceRub } = job;
    if (error && !(error instanceof JobFailed)) unfinished(error);
    // One that was charged all the same is an answer with a price.
    if (error && !status?.priceRub) throw error;
    const files = await this.#save(request, job, resultLinks(client, status?.resultUrls ?? []));
    // The links are signed, and the files are here.
    const reply = { jobId, ...status?.reply, resultUrls: undefined, files };
    return this.#answer(reply, undefined, status?.priceRub ?? priceRub);
  };

  readonly image: Send = async (request) => {
    const { client } = this.env;
    const once = { key: this.#keyOf(request), isKnown: false };
    const image = await makeImages(client, bodyAs(ImageRequest, request), once);
    const { ids, jobId = once.key, urls } = image;
    const results = [...resultLinks(client, urls), ...image.files];
    if (results.length === 0) {
      throw new OutcomeUnknown('the answer contains no image', { code: 'invalid_reply' });
    }
    return this.#answer({ files: await this.#save(request, { jobId }, results) }, ids);
  };

  readonly speech: Send = async (request) => {
    const body = bodyAs(SpeechRequest, request);
    const once = { key: this.#keyOf(request), isKnown: false };
    const name = (extension: string) => `${nameOf(request)}.${extension}`;
    const { folder } = this;
    const target = { kind: 'folder', folder, name, unknown: body.response_format } as const;
    // It is opened first: what cannot be stored is not paid for.
    const file = await PartFile.open(target, once.key);
    const sound = await file.orAbandon(() => speak(this.env.client, body, once));
    const { contentType, ids } = sound;
    const { path } = await file.fill({ contentType }, (take) => sound.pipe(take)).catch(unfinished);
    return this.#answer({ files: [resolve(path)] }, ids);
  };

  /** The same for the same line in every run, on every machine. */
  #keyOf({ id, body }: BatchRequest, attempt = 0): string {
    const { service, keyHash } = this.env.account;
    const line = JSON.stringify([oneService(service), keyHash, id, body, attempt]);
    return hash('sha256', line).slice(0, 32);
  }

  async #save(request: BatchRequest, job: Job, results: readonly Result[]) {
    const pattern = `${nameOf(request)}.{ext}`;
    const destination = { kind: 'folder', folder: this.folder, pattern } as const;
    const saved = await collect(this.env, job, results, destination).catch(unfinished);
    return saved.map(({ path }) => path);
  }

  async #answer(body: object, ids: RequestIds = {}, priceRub?: number): Promise<BatchAnswer> {
    const { cached, generationId } = ids;
    const asked = generationId === undefined || cached ? [] : [generationId];
    const prices = await pricesOf(this.env.client, asked);
    const [costRub = cached ? 0 : priceRub] = prices.values();
    const common = { status: 200, requestId: undefined, tokens: 0, cached };
    return { ...common, generationId, body: toJson(body), costRub };
  }
}

const nameOf = ({ id }: BatchRequest) => id.replace(/[/\\{}]/g, '_');

function bodyAs<Schema extends z.ZodMiniType>(schema: Schema, { body }: BatchRequest) {
  const value = parseJson(body);
  return withAllDigits(schema.parse(value), value);
}

/** What has been paid for and is not here is sent again only where that costs nothing. */
function unfinished(cause: unknown): never {
  if (!(cause instanceof SvcError)) throw cause;
  const { hint, message } = cause;
  throw new OutcomeUnknown(message, { hint, cause });
}
