/** Fetches one result of a job, whole or not at all (section 4.3). */
import { getResultFile } from '../../contract/media.js';
import { ApiError } from '../../errors.js';
import { download } from '../../http/download/download.js';
import { DownloadRefused, type Downloaded, type Downloading } from '../../http/download/types.js';
import { timeoutsFor } from '../../http/timeouts.js';
import type { Client } from '../client.js';
import { failureError } from '../failure.js';
import { idsIn } from '../headers.js';
import { refusalOf } from '../refusal.js';
import { resultsGone } from './results.js';

export type { Progress } from '../../http/download/types.js';

export interface Fetching extends Pick<Downloading, 'to' | 'onProgress'> {
  readonly jobId: string;
  /** A signed link: it needs no key, and gets none. */
  readonly link: URL;
}

/**
 * @throws ApiError for a refusal, which says so when the results are kept no longer; NetworkError
 * or TimeoutError when it was not reached; Incomplete when it broke off; LocalFileError.
 */
export async function fetchResult(
  client: Client,
  { jobId, link, to, onProgress }: Fetching,
): Promise<Downloaded> {
  const { clock, observe, signal, transport, timeouts, userAgent } = client;
  try {
    return await download({
      transport,
      url: link,
      to,
      headers: { 'user-agent': userAgent },
      timeouts: timeoutsFor(false, timeouts),
      clock,
      signal,
      observe,
      onProgress,
    });
  } catch (error) {
    throw error instanceof DownloadRefused
      ? await refused(client, jobId, error)
      : failureError(error, getResultFile);
  }
}

async function refused(client: Client, jobId: string, { response, message }: DownloadRefused) {
  const { status, headers } = response;
  const ids = idsIn(headers, client.brand);
  const nowMs = client.clock.now();
  const refusal = await refusalOf(response, {
    row: getResultFile,
    ids,
    brand: client.brand,
    nowMs,
  });
  if (status === 410) return resultsGone(jobId, refusal);
  if (status >= 400) return refusal;
  // A redirect that is not followed says why; what is no file has no words of its own.
  const { code = 'invalid_reply', requestIds } = refusal;
  return new ApiError(message, { status, code, requestIds });
}
