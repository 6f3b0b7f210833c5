/** Synchronous images (sections 2.12 and 4.4). */
import * as z from 'zod/mini';
import { onceByKey, read, write } from './endpoint.js';
import { imageFormats, imageSizes, imageStatuses } from './enums.js';
import * as limits from './limits.js';
import { knownWord, maybe, queryInteger, text, number } from './fields.js';

/** Section 2.12. An unknown parameter is refused (section 4.4). */
export const ImageRequest = z.strictObject({
  model: z.string().check(z.minLength(1)),
  prompt: z.string().check(z.minLength(1)),
  n: z.optional(z.literal(limits.images.count)),
  size: z.optional(
    z.string().check(
      z.regex(limits.images.size, {
        error: 'must be auto, or width by height in pixels such as 1024x1024',
      }),
      z.describe(`Accepted: ${imageSizes.join(', ')}, and any size whose ratio the model offers.`),
    ),
  ),
  quality: z.optional(z.string()),
  response_format: z.optional(z.enum(imageFormats)),
  user: z.optional(z.unknown()),
});

export const ImageReply = z.looseObject({
  created: number,
  data: z.array(z.looseObject({ url: text, b64_json: text })),
});

export const ImageList = z.looseObject({
  object: text,
  data: z.array(
    z.looseObject({
      id: z.string(),
      model: text,
      status: knownWord(imageStatuses),
      created: number,
      cost_rub: number,
      data: maybe(z.array(z.looseObject({ url: text }))),
    }),
  ),
});

export const createImage = write('images.create', '/v1/images/generations', '4.4', {
  summary: 'Make an image',
  body: ImageRequest,
  headers: onceByKey,
  returns: ImageReply,
  replyHeaders: { 'x-{brand}-media-job-id': 'the job that made the image' },
  statuses: [200, 400, 401, 402, 404, 502, 504],
  paid: 'media',
  statusNotes: {
    400: 'unknown parameter, unsupported size or quality, or not an image model',
    404: 'unknown model',
    502: 'it failed, and nothing was charged',
    504: 'it is still running; the body and x-{brand}-media-job-id name the job',
  },
  slow: true,
});

export const listImages = read('images.list', '/v1/images/generations', '4.4', {
  summary: "List the key's image jobs, newest first",
  query: z.looseObject({ limit: z.optional(queryInteger(limits.images.list)) }),
  returns: ImageList,
});
