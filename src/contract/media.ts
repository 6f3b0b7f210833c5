/** Media jobs, their sources, prices and results, and the public catalog (sections 2.11, 3 and 4.3). */
import * as z from 'zod/mini';
import { onceByKey, read, write } from './endpoint.js';
import { jobStatuses, mediaKinds, mediaProviders, resultTypes, sandboxOutcomes } from './enums.js';
import { sandboxStages, extendTiers } from './enums.js';
import { redact } from '../lib/redact.js';
import * as limits from './limits.js';
import { MediaError, characters, httpsUrl, knownWord, maybe, notShown } from './fields.js';
import { flag, number, text } from './fields.js';

/** Section 2.11: no other top-level field is accepted. A price quote takes the same body. */
export const MediaRequest = z.strictObject({
  model: z.string().check(z.minLength(1)),
  prompt: z.optional(z.string()),
  opts: z.optional(z.looseRecord(z.string(), z.unknown())),
  strict: z.optional(z.boolean()),
  quote_id: z.optional(
    characters(limits.media.quoteIdCharacters).check(
      z.regex(limits.media.quoteId, {
        error: 'must be the id of a price quote, which starts with mq_',
      }),
    ),
  ),
  max_price_rub: z.optional(
    z.union([z.number().check(z.gte(limits.media.maxPriceRub.min)), z.string()]),
  ),
  webhook_url: z.optional(httpsUrl()),
});

export const PriceQuote = z.looseObject({
  ok: flag,
  priceRub: number,
  isEstimate: flag,
  estimateReason: text,
  breakdown: maybe(z.looseObject({})),
  audioSeconds: number,
  outputSeconds: number,
  sourceSeconds: number,
  quoteId: text,
  expiresAt: text,
  quoteTtlSeconds: number,
  effectiveOpts: notShown(),
});

/** The specification shows no form of an id; no service has longer ones. */
export const maxJobIdCharacters = 1024;

/** Safe on a line and in a path. A service that echoes the key has no valid job id. */
export const JobId = z.string().check(
  z.maxLength(maxJobIdCharacters),
  z.regex(/^(?!\.{1,2}$)[^\p{Cc}\p{Zl}\p{Zp}]+$/u),
  z.refine((id) => !redact(id).includes('[key]')),
);

const stated = { status: knownWord(jobStatuses), model: text, provider: knownWord(mediaProviders) };
const route = {
  requestedModel: text,
  effectiveModel: text,
  addressAs: text,
  providerAlias: knownWord(mediaProviders),
};

/** Section 2.11. A reply without a jobId is useless; the rest may be missing. */
export const GenerateReply = z.looseObject({
  ok: flag,
  jobId: JobId,
  ...stated,
  priceRub: number,
  ...route,
});

/** Section 2.11. A sandbox job answers with a stage (section 3.1). */
export const Job = z.looseObject({
  ...stated,
  ...route,
  resultUrls: maybe(z.array(z.string())),
  resultsExpireAt: text,
  resultText: text,
  resultMeta: maybe(z.looseObject({})),
  priceRub: number,
  failMsg: text,
  errorCode: text,
  retryGuidance: text,
  stage: knownWord(sandboxStages),
  charged: flag,
});

/** Section 2.11: models are free-form; fromRub is not an exact price. */
export const MediaCatalog = z.looseObject({
  pricesArePlaceholder: flag,
  pricesAreEstimate: flag,
  videoDisabled: flag,
  models: z.array(
    z.looseObject({
      kind: knownWord(mediaKinds),
      variants: notShown(),
      params: notShown(),
      fromRub: notShown(),
      axes: notShown(),
    }),
  ),
});

export const generateMedia = write('media.generate', '/api/media/generate', '4.3', {
  summary: 'Start a media job',
  retry: 'idempotent',
  body: MediaRequest,
  headers: {
    'idempotency-key': 'the same key gives the same job, with no second charge',
    'x-{brand}-strict': '1 or true: the same as the field strict',
    'x-{brand}-sandbox-outcome': `${sandboxOutcomes.join(' or ')}; sandbox keys only`,
  },
  returns: GenerateReply,
  refusal: MediaError,
  statuses: [202, 400, 401, 402, 409, 422, 502, 503],
  paid: 'job',
  statusNotes: {
    202: 'the job was accepted and its price debited',
    400: 'invalid JSON or body, unknown_field, or sandbox_outcome_requires_sandbox_key',
    409: 'the quote is stale or used, or its lane moved',
    422: 'unsupported model or options, strict_validation_failed, or media_max_price_exceeded',
    502: 'the provider did not accept it',
    503: 'the route is temporarily unavailable',
  },
});

export const quotePublicPrice = write('media.publicPrice', '/api/media/public-price', '4.3', {
  summary: 'Price a media job without a key',
  auth: 'none',
  retry: 'safe',
  body: MediaRequest,
  returns: PriceQuote,
  refusal: MediaError,
  statuses: [200, 400, 404, 422, 503],
  statusNotes: {
    404: 'unknown public media model',
    422: 'invalid combination of options',
    503: 'no price is available',
  },
});

export const quotePrice = write('media.price', '/api/media/price', '4.3', {
  summary: 'Price a media job',
  retry: 'safe',
  body: MediaRequest,
  returns: PriceQuote,
  refusal: MediaError,
  statuses: [200, 400, 401, 422, 500, 503],
  moreStatuses: [402],
  statusNotes: { 500: 'the price cannot be calculated', 503: 'no price is available' },
});

export const getJob = read('media.job', '/api/media/jobs/{id}', '4.3', {
  summary: 'Show a media job',
  params: { id: 'jobId' },
  returns: Job,
  refusal: MediaError,
  statuses: [200, 401, 404],
});

export const getResultFile = read('media.file', '/api/media/file/{id}/{idx}', '4.3', {
  summary: 'Download a result of a media job by its signed link',
  auth: 'signature',
  params: { id: 'jobId', idx: 'index of the result, counted from 0' },
  query: z.looseObject({ sig: z.string(), download: z.optional(z.string()) }),
  returns: 'bytes',
  bytesTypes: resultTypes,
  refusal: MediaError,
  statuses: [200, 404, 410],
  moreStatuses: [206, 416],
  statusNotes: { 404: 'no such result, or no valid signature' },
});

export const getMediaCatalog = read('media.catalog', '/api/media-catalog', '4.3', {
  summary: 'Show the public catalog of media models',
  auth: 'none',
  returns: MediaCatalog,
  statuses: [200],
});

export const ExtendPriceRequest = z.strictObject({ tier: z.enum(extendTiers) });

export const ExtendRequest = z.strictObject({
  taskId: z.string(),
  prompt: z.string(),
  tier: z.enum(extendTiers),
  seeds: z.optional(z.int()),
  watermark: z.optional(z.string()),
});

const extendPrice = '/api/media/{brand}/extend/price';
export const quoteExtendPrice = write('media.extendPrice', extendPrice, '4.3', {
  summary: 'Price the extension of a video',
  retry: 'safe',
  body: ExtendPriceRequest,
  refusal: MediaError,
});

export const extendVideo = write('media.extend', '/api/media/{brand}/extend', '4.3', {
  summary: 'Extend a finished video as a new job',
  body: ExtendRequest,
  headers: onceByKey,
  refusal: MediaError,
  statuses: [202, 401, 402, 404],
  paid: 'extension',
});

export const uploadFile = write('files.upload', '/v1/files', '4.10', {
  summary: 'Upload a file and get its id',
  // Section 4.10 does not show the other fields of the form.
  body: z.looseObject({}),
  bodyKind: 'multipart',
  // The name of the field is not shown; this is its name in transcription.
  files: { field: 'file', required: true, maxCount: 1 },
});
