/** Synchronous images, and finding those whose answer was lost (sections 2.12 and 4.4). */
import type * as z from 'zod/mini';
import { createImage, listImages, type ImageRequest } from '../contract/images.js';
import { ApiError } from '../errors.js';
import { noMedia } from '../lib/file-kind.js';
import { recordOf } from '../lib/json.js';
import { withoutSecrets } from '../lib/redact.js';
import { withKey, type OnceKey } from './beyond-spec.js';
import { call } from './call.js';
import type { Client } from './client.js';
import { fieldIn, jobIdOf } from './media/submit.js';

export type ImageBody = z.input<typeof ImageRequest>;

export type MadeImages = Awaited<ReturnType<typeof makeImages>>;

/** Base64 takes a third more than the bytes. */
const maxBytes = 128 * 1024 * 1024;

export async function makeImages(client: Client, body: ImageBody, key: OnceKey) {
  const { row, headers } = withKey(createImage, key);
  const { data, ids } = await call(client, row, { body }, { maxBytes, headers });
  const files = data.data.flatMap(({ b64_json: base64 }) =>
    base64 ? [Buffer.from(base64.replace(/^data:[^,]*,/, ''), 'base64')] : [],
  );
  // One that is not an image counts as missing.
  const areImages = files.every((file) => noMedia(file) === undefined);
  return {
    jobId: jobIdOf(ids['media-job-id']),
    ids,
    // The images and their signed links are results.
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
  return jobIdOf(requestIds['media-job-id']) ?? fieldIn(holders, names, jobIdOf);
}

export type ImageJobs = Awaited<ReturnType<typeof listImageJobs>>;

export async function listImageJobs(client: Client, limit?: number) {
  const { data, headers } = await call(client, listImages, { query: { limit } });
  const serviceTimeMs = Date.parse(headers['date'] ?? '');
  return {
    jobs: data.data.map((job) => ({ ...job, id: withoutSecrets(job.id) })),
    reply: data,
    /** How far the service's clock is ahead of ours; 0 where unknown. */
    aheadMs: Number.isNaN(serviceTimeMs) ? 0 : serviceTimeMs - client.clock.now(),
  };
}
