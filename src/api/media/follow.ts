/** The state of a media job until it has ended, and its results (sections 2.11, 3.1 and 4.3). */
import type * as z from 'zod/mini';
import * as limits from '../../contract/limits.js';
import { getJob, getResultFile, type Job } from '../../contract/media.js';
import { ApiError, Incomplete, isRefusal } from '../../errors.js';
import type { Downloaded, Downloading } from '../../http/download/request.js';
import { timeoutsFor } from '../../http/deadline.js';
import { BodyCut } from '../../http/types.js';
import { listOf, recordOf, textOf } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { redact } from '../../lib/redact.js';
import { shellWord } from '../../lib/names.js';
import { call } from '../call.js';
import type { Client } from '../client.js';
import { fetchFile } from '../download.js';

export type { Downloading, Progress } from '../../http/download/request.js';

const routeFields = [
  'provider',
  'requestedModel',
  'effectiveModel',
  'addressAs',
  'providerAlias',
] as const;

/** Who runs a job, as its acceptance and each of its states may say (section 2.11). */
export type JobRoute = Partial<Record<(typeof routeFields)[number], string>>;

export function routeOf(reply: unknown): JobRoute {
  const fields = recordOf(reply);
  const known = routeFields.map((name) => [name, textOf(fields[name])] as const);
  return Object.fromEntries(known.filter(([, value]) => value));
}

export function isUnknownJob(error: unknown): error is ApiError {
  return isRefusal(error, 404);
}

/** The state of a job, in the words of section 3.1; what is not reported is undefined. */
export interface JobStatus {
  readonly state: string;
  /** Set while the service itself does not know whether the supplier has started. */
  readonly isUncertain: boolean;
  readonly stage: string | undefined;
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly guidance: string | undefined;
  /** Zero if nothing was charged. */
  readonly priceRub: number | undefined;
  readonly charged: boolean | undefined;
  readonly resultUrls: readonly string[];
  readonly expiresAtMs: number | undefined;
  readonly reply: z.output<typeof Job>;
}

/** The state of a job now. @throws what `call` throws; 404 if it is not this key's job. */
export async function askJob(client: Client, jobId: string): Promise<JobStatus> {
  const { data: reply } = await call(client, getJob, { params: { id: jobId } });
  const { status, charged, stage } = reply;
  const code = text(reply.errorCode);
  const expiresAtMs = Date.parse(reply.resultsExpireAt ?? '');
  // A sandbox job's stage says more than its status, which may be missing (section 3.1); without a
  // word it is not known to have ended.
  const state = stateByStage.get(stage ?? '') ?? status ?? 'processing';
  const isFree = charged === false || state === 'not_started';
  const priceRub = isFree ? 0 : (reply.priceRub ?? undefined);
  if (priceRub !== undefined) client.spending?.settle(jobId, priceRub);
  return {
    state,
    isUncertain:
      status === 'submitting' ||
      stage === 'submission_unknown' ||
      code === 'media_submission_uncertain',
    stage: stage ?? undefined,
    code,
    message: text(reply.failMsg),
    guidance: text(reply.retryGuidance),
    priceRub,
    charged: charged ?? undefined,
    resultUrls: listOf(reply.resultUrls).filter((url) => typeof url === 'string'),
    expiresAtMs: Number.isNaN(expiresAtMs) ? undefined : expiresAtMs,
    reply,
  };
}

const stateByStage: ReadonlyMap<string, string> = new Map([
  ['submission_not_started', 'not_started'],
  ['submission_unknown', 'submitting'],
]);

function text(value: string | null | undefined): string | undefined {
  return plainText(redact(value ?? '')) || undefined;
}

/** Links carry their own signature: the key is never sent with them. @throws ApiError */
export function resultLinks({ baseUrl }: Pick<Client, 'baseUrl'>, urls: readonly string[]): URL[] {
  return urls.map((link) => {
    const url = URL.canParse(link, baseUrl.href) ? new URL(link, baseUrl.href) : undefined;
    if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
    throw new ApiError('the service gave a result link that is not a web address', {
      status: 200,
      code: 'invalid_reply',
    });
  });
}

/** Downloads one result. @throws as `fetchFile` does; an error page in its place may be temporary. */
export async function fetchResult(
  client: Client,
  jobId: string,
  { url, to, onProgress }: Pick<Downloading, 'to' | 'onProgress' | 'url'>,
): Promise<Downloaded> {
  const headers = { 'user-agent': client.userAgent };
  const where = { url, to, onProgress, headers, timeouts: timeoutsFor(false, client.timeouts) };
  return fetchFile(client, getResultFile, where).catch((error: unknown) => {
    const cut = error instanceof Incomplete && error.cause;
    if (cut instanceof BodyCut && cut.reason === 'unwanted') {
      const message = `${jobId}: ${cut.message} instead of a result`;
      const hint = `the job is paid for: \`svc jobs download ${shellWord(jobId)}\``;
      throw new Incomplete(message, { code: 'invalid_reply', hint, cause: cut });
    }
    if (!isRefusal(error, 410)) throw error;
    const days = String(limits.media.resultRetentionDays);
    throw new ApiError(`the results of ${jobId} have expired: they are kept for ${days} days`, {
      status: 410,
      code: 'results_expired',
      serviceCode: error.serviceCode,
      requestIds: error.requestIds,
      hint: 'to create and pay for them again: `svc generate … --new`',
      cause: error,
    });
  });
}
