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
import { JobFailed, OutcomeUnknown, SvcError } from '../errors.js';
import { PartFile } from '../files/part-file.js';
import { collect, type Result } from '../jobs/collect.js';
import { follow } from '../jobs/follow.js';
import { acceptedJob, openJobs, ownJobs, type Job } from '../jobs/job.js';
import { defaultWaitMs } from '../jobs/options.js';
import { resubmit, submitJob } from '../jobs/submit.js';
import { isUnfinished } from '../state/ledger.js';
import { oneService } from '../state/account.js';
import type { BatchRequest } from './request.js';
import type { Send } from './send.js';
import { parseJson, toJson, withAllDigits } from '../lib/json.js';

/** @param folder of the files @param others sends the lines whose answer is not a file */
export async function openMedia(context: Context, client: Client, folder: string, others: Send) {
  // The progress of the batch is the only one that is shown.
  const silent = { ...context, flags: { ...context.flags, json: true } };
  const env = { ...(await openJobs(silent, 'jobs', `${resolve(folder)}/`)), client };
  const { service, keyHash } = env.account;

  /** The same for the same line in every run, on every machine. */
  const keyOf = ({ id, body }: BatchRequest, attempt = 0): string => {
    const line = JSON.stringify([oneService(service), keyHash, id, body, attempt]);
    return hash('sha256', line).slice(0, 32);
  };
  const nameOf = ({ id }: BatchRequest) => id.replace(/[/\\{}]/g, '_');
  const save = async (request: BatchRequest, job: Job, results: readonly Result[]) => {
    const pattern = `${nameOf(request)}.{ext}`;
    const saved = await collect(env, job, results, { kind: 'folder', folder, pattern }).catch(
      unfinished,
    );
    return saved.map(({ path }) => path);
  };
  const answer = async (body: object, generationId?: string, priceRub?: number) => {
    const [costRub = priceRub] = (
      await pricesOf(client, generationId ? [generationId] : [])
    ).values();
    const common = { status: 200, requestId: undefined, tokens: 0 };
    return { ...common, generationId, body: toJson(body), costRub };
  };

  const generate: Send = async (request) => {
    const { body, model = '' } = request;
    const lineHash = keyOf(request);
    const jobs = ownJobs(env).filter((job) => job.hash === lineHash);
    // A job that has failed is asked for again only on purpose: as another one.
    const earlier = jobs.find(({ state }) => state !== 'fail');
    const intent = keyOf(request, jobs.filter(({ state }) => state === 'fail').length);
    const wanted = { intent, model, hash: lineHash, headers: {}, quotedRub: undefined };
    const submitted = () =>
      earlier && isUnfinished(earlier) ? resubmit(env, earlier) : submitJob(env, wanted, { body });
    const made = acceptedJob(earlier) ?? (await submitted());
    const job = await follow(env, made, leftMs(client) ?? defaultWaitMs);
    const { error, jobId, status, priceRub } = job;
    if (error && !(error instanceof JobFailed)) unfinished(error);
    // One that was charged all the same is an answer with a price.
    if (error && !status?.priceRub) throw error;
    const files = await save(request, job, resultLinks(client, status?.resultUrls ?? []));
    // The links are signed, and the files are here.
    const reply = { jobId, ...status?.reply, resultUrls: undefined, files };
    return answer(reply, undefined, status?.priceRub ?? priceRub);
  };
  const image: Send = async (request) => {
    const once = { key: keyOf(request), isKnown: false };
    const made = await makeImages(client, bodyAs(ImageRequest, request), once);
    const { ids, jobId = once.key, urls } = made;
    const results = [...resultLinks(client, urls), ...made.files];
    if (results.length === 0) {
      throw new OutcomeUnknown('the answer contains no image', { code: 'invalid_reply' });
    }
    return answer({ files: await save(request, { jobId }, results) }, ids['generation-id']);
  };
  const speech: Send = async (request) => {
    const body = bodyAs(SpeechRequest, request);
    const once = { key: keyOf(request), isKnown: false };
    const name = (extension: string) => `${nameOf(request)}.${extension}`;
    const target = { kind: 'folder', folder, name, unknown: body.response_format } as const;
    // It is opened first: what cannot be stored is not paid for.
    const file = await PartFile.open(target, once.key);
    const sound = await speak(client, body, once).catch(async (error: unknown) => {
      await file.abandon();
      throw error;
    });
    const { contentType, ids } = sound;
    const { path } = await file.fill({ contentType }, (take) => sound.pipe(take)).catch(unfinished);
    return answer({ files: [resolve(path)] }, ids['generation-id']);
  };

  const senders = new Map<string, Send>([
    [generateMedia.id, generate],
    [createImage.id, image],
    [createSpeech.id, speech],
  ]);
  return (request: BatchRequest) => (senders.get(request.row.id) ?? others)(request);
}

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
