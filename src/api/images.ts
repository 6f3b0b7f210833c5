/** Synchronous images, and finding those whose answer was lost (sections 2.12 and 4.4). */
import type * as z from 'zod/mini';
import { createImage, listImages } from '../contract/images.js';
import type { ImageList, ImageReply, ImageRequest } from '../contract/images.js';
import { ApiError, type RequestIds } from '../errors.js';
import { noMedia } from '../lib/file-kind.js';
import { recordOf } from '../lib/json.js';
import { withoutSecrets } from '../lib/redact.js';
import { withKey, type OnceKey } from './beyond-spec.js';
import { call } from './call.js';
import type { Client } from './client.js';
import { fieldIn, jobIdOf } from './media/submit.js';

export type ImageBody = z.input<typeof ImageRequest>;

export interface ImageResult {
  readonly jobId: string | undefined;
  readonly ids: RequestIds;
  /** Without the images and their signed links, which are results. */
  readonly reply: z.output<typeof ImageReply>;
  readonly urls: readonly string[];
  readonly files: readonly Buffer[];
}

/** Base64 takes a third more than the bytes. */
const maxBytes = 128 * 1024 * 1024;

export async function makeImages(
  client: Client,
  body: ImageBody,
  key: OnceKey,
): Promise<ImageResult> {
  const { row, headers } = withKey(createImage, key);
  const { data, ids } = await call(client, row, { body }, { maxBytes, headers });
  const files = data.data.flatMap(({ b64_json: base64 }) =>
    base64 ? [Buffer.from(base64.replace(/^data:[^,]*,/, ''), 'base64')] : [],
  );
  // One that is not an image counts as missing.
  const areImages = files.every((file) => noMedia(file) === undefined);
  return {
    jobId: jobIdOf(ids.jobId),
    ids,
    reply: {
      ...data,
      data: data.data.map((image) => ({ ...image, url: undefined, b64_json: undefined })),
    },
    urls: areImages ? data.data.flatMap(({ url }) => url ?? []) : [],
    files: areImages ? files : [],
  };
}

export function jobNamedBy(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { fields, requestIds } = error;
  const holders = [fields, fields['error'], fields['data']].map(recordOf);
  const names = ['jobId', 'job_id', 'media_job_id', 'mediaJobId'];
  return jobIdOf(requestIds.jobId) ?? fieldIn(holders, names, jobIdOf);
}

export interface ImageJobList {
  readonly jobs: z.output<typeof ImageList>['data'];
  readonly reply: z.output<typeof ImageList>;
  /** How far the service's clock is ahead of ours; 0 where unknown. */
  readonly aheadMs: number;
}

export async function listImageJobs(client: Client, limit?: number): Promise<ImageJobList> {
  const { data, headers } = await call(client, listImages, { query: { limit } });
  const serviceTimeMs = Date.parse(headers['date'] ?? '');
  return {
    jobs: data.data.map((job) => ({ ...job, id: withoutSecrets(job.id) })),
    reply: data,
    aheadMs: Number.isNaN(serviceTimeMs) ? 0 : serviceTimeMs - client.clock.now(),
  };
}
