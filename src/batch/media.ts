/** Lines whose results are files: media jobs, images and speech. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { speak } from '../api/audio.js';
import { supportsIdempotencyKeys } from '../api/beyond-spec.js';
import type { Client } from '../api/client.js';
import { pricesOf } from '../api/cost.js';
import { makeImages } from '../api/images.js';
import { resultLinks } from '../api/media/follow.js';
import type { Context } from '../cli/context.js';
import { createSpeech, SpeechRequest } from '../contract/audio.js';
import { createImage, ImageRequest } from '../contract/images.js';
import { generateMedia } from '../contract/media.js';
import { ApiError, Incomplete, JobFailed } from '../errors.js';
import { PartFile } from '../files/part-file.js';
import { collect, type Result } from '../jobs/collect.js';
import { follow } from '../jobs/follow.js';
import { acceptedJob, openJobs, ownJobs, type Job } from '../jobs/job.js';
import { requestHash } from '../jobs/once.js';
import { defaultWaitMs } from '../jobs/options.js';
import { resubmit, submitJob } from '../jobs/submit.js';
import { isUnfinished } from '../state/ledger.js';
import type { BatchAnswer, BatchRequest } from './request.js';

export type Media = Awaited<ReturnType<typeof openMedia>>;

/** @param folder where their files go; it is created with the first. */
export async function openMedia(context: Context, client: Client, folder: string) {
  // The progress of the batch is the only one that is shown.
  const silent = { ...context, flags: { ...context.flags, json: true } };
  const env = { ...(await openJobs(silent, 'jobs', `${resolve(folder)}/`)), client };
  const { service, keyHash } = env.account;

  /** The same for the same line in every run, on every machine. */
  const keyOf = ({ id, body }: BatchRequest, attempt: number): string => {
    const line = JSON.stringify([service, keyHash, id, body, attempt]);
    const hex = createHash('sha256').update(line).digest('hex');
    return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
  const nameOf = ({ id }: BatchRequest) => id.replace(/[/\\{}]/g, '_');
  const save = async (request: BatchRequest, job: Job, results: readonly Result[]) => {
    const destination = { kind: 'folder', folder, pattern: `${nameOf(request)}.{ext}` } as const;
    const saved = await collect(env, job, results, destination);
    return saved.map(({ path }) => path);
  };
  /** The service knows the key where its OpenAPI document says so. */
  const known = new Map<string, Promise<boolean>>();
  const onceKey = async (request: BatchRequest) => {
    const { row } = request;
    const isKnown = known.get(row.id) ?? supportsIdempotencyKeys(client, row);
    known.set(row.id, isKnown);
    return { key: keyOf(request, 0), isKnown: await isKnown };
  };
  const answered = async (body: object, generationId?: string, costRub?: number) => {
    const prices = generationId ? await pricesOf(client, [generationId]) : undefined;
    return {
      status: 200,
      requestId: undefined,
      generationId,
      body: JSON.stringify(body),
      costRub: costRub ?? prices?.get(generationId ?? ''),
      tokens: 0,
    };
  };

  const generate = async (request: BatchRequest): Promise<BatchAnswer> => {
    const { body, model = '' } = request;
    // A job that has failed is asked for again only on purpose, so it gets another key.
    let [intent, earlier] = [keyOf(request, 0), ownJobs(env).find(() => false)];
    for (let attempt = 0; ; attempt += 1) {
      intent = keyOf(request, attempt);
      earlier = ownJobs(env).find((job) => job.intent === intent);
      if (earlier?.state !== 'fail') break;
    }
    const hash = requestHash({ intent });
    const made =
      acceptedJob(earlier) ??
      (earlier && isUnfinished(earlier)
        ? await resubmit(env, earlier)
        : await submitJob(env, { intent, model, hash, headers: {}, quotedRub: undefined }, { body }));
    const { error, status, ...job } = await follow(env, made, client.deadlineMs ?? defaultWaitMs);
    const { resultUrls = [], priceRub, reply } = status ?? {};
    if (error && !(error instanceof JobFailed)) throw error;
    const files = error ? [] : await save(request, job, resultLinks(client, resultUrls));
    // The links are signed, and end with the files.
    const answer = { jobId: job.jobId, ...reply, resultUrls: undefined, files };
    const failure = error && { code: error.code ?? 'job_failed', message: error.message };
    return { ...(await answered(answer, undefined, priceRub)), failure };
  };
  const image = async (request: BatchRequest): Promise<BatchAnswer> => {
    const body = ImageRequest.parse(JSON.parse(request.body));
    const once = await onceKey(request);
    const { jobId = once.key, generationId, urls, files } = await makeImages(client, body, once);
    const results = [...resultLinks(client, urls), ...files];
    if (results.length === 0) {
      throw new Incomplete('the answer contains no image', { code: 'invalid_reply' });
    }
    return answered({ files: await save(request, { jobId }, results) }, generationId);
  };
  const speech = async (request: BatchRequest): Promise<BatchAnswer> => {
    const body = SpeechRequest.parse(JSON.parse(request.body));
    const once = await onceKey(request);
    const name = (extension: string) => `${nameOf(request)}.${extension}`;
    const target = { kind: 'folder', folder, name, unknown: body.response_format } as const;
    const file = await PartFile.open(target, once.key);
    const sound = await speak(client, body, once).catch(async (error: unknown) => {
      await file.abandon();
      throw error;
    });
    const { path } = await file.fill(sound, (take) => sound.pipe(take));
    return answered({ files: [resolve(path)] }, sound.generationId);
  };
  const senders = new Map([
    [generateMedia.id, generate],
    [createImage.id, image],
    [createSpeech.id, speech],
  ]);
  return {
    /** Undefined: its answer is no file. */
    senderOf: ({ row }: BatchRequest) => senders.get(row.id),
  };
}
