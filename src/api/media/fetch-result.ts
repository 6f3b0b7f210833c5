/** Fetches one result of a job, whole or not at all (section 4.3). */
import { getResultFile } from '../../contract/media.js';
import { ApiError, Incomplete } from '../../errors.js';
import { download } from '../../http/download/download.js';
import { DownloadRefused, type Downloaded, type Downloading } from '../../http/download/request.js';
import { timeoutsFor } from '../../http/deadline.js';
import { BodyCut } from '../../http/types.js';
import { noMedia } from '../../lib/file-kind.js';
import { shellWord } from '../../lib/names.js';
import type { Client } from '../client.js';
import { failureError } from '../failure.js';
import { idsIn } from '../headers.js';
import { refusalOf } from '../refusal.js';
import { resultsGone } from './results.js';

export type { Progress } from '../../http/download/request.js';

export interface Fetching extends Pick<Downloading, 'to' | 'onProgress'> {
  readonly jobId: string;
  /** A signed link: it needs no key, and gets none. */
  readonly link: URL;
}

/**
 * @throws ApiError for a refusal, which says so when the results are kept no longer; NetworkError
 * or TimeoutError when it was not reached; Incomplete when it broke off, or something else came in
 * its place; LocalFileError.
 */
export async function fetchResult(
  client: Client,
  { jobId, link, to, onProgress }: Fetching,
): Promise<Downloaded> {
  const { clock, deadlineMs, observe, retryWaitMs, signal, transport, timeouts } = client;
  try {
    return await download({
      transport,
      url: link,
      to,
      headers: { 'user-agent': client.userAgent },
      timeouts: timeoutsFor(false, timeouts),
      clock,
      signal,
      deadlineMs,
      retryWaitMs,
      observe,
      onProgress,
      unwanted: noMedia,
    });
  } catch (error) {
    if (error instanceof BodyCut && error.reason === 'unwanted') throw unwanted(jobId, error);
    throw error instanceof DownloadRefused
      ? await refused(client, jobId, error)
      : failureError(error, getResultFile);
  }
}

/** The job is paid for, and its result may be there a little later. */
function unwanted(jobId: string, cause: BodyCut): Incomplete {
  return new Incomplete(`${jobId}: ${cause.message} in the place of a result`, {
    code: 'invalid_reply',
    hint: `the job is paid for: \`svc jobs download ${shellWord(jobId)}\``,
    cause,
  });
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
  // A redirect that is not followed says why.
  const { code = 'invalid_reply', requestIds } = refusal;
  return new ApiError(message, { status, code, requestIds });
}
