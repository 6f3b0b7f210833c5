/** Extending a finished video (section 4.3). Their replies are not shown (section 4.10). */
import * as z from 'zod/mini';
import { endpoint, onceByKey } from './endpoint.js';
import { extendTiers } from './enums.js';
import { MediaError } from './media-error.js';

/** Section 4.3: no extra properties. */
export const ExtendPriceRequest = z.strictObject({ tier: z.enum(extendTiers) });

/** Section 4.3: no extra properties. */
export const ExtendRequest = z.strictObject({
  /** The jobId of a finished video of the same account. */
  taskId: z.string(),
  prompt: z.string(),
  tier: z.enum(extendTiers),
  seeds: z.optional(z.int()),
  watermark: z.optional(z.string()),
});

export const quoteExtendPrice = endpoint({
  id: 'media.extendPrice',
  section: '4.3',
  summary: 'Price the extension of a video',
  method: 'POST',
  path: '/api/media/{brand}/extend/price',
  auth: 'bearer',
  retry: 'safe',
  body: ExtendPriceRequest,
  returns: z.unknown(),
  refusal: MediaError,
  statuses: [200, 401],
});

export const extendVideo = endpoint({
  id: 'media.extend',
  section: '4.3',
  summary: 'Extend a finished video as a new job',
  method: 'POST',
  path: '/api/media/{brand}/extend',
  auth: 'bearer',
  retry: 'never',
  body: ExtendRequest,
  headers: onceByKey,
  returns: z.unknown(),
  refusal: MediaError,
  statuses: [202, 401, 402, 404],
});
