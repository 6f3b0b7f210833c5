/** Where the results of a finished job are (sections 2.11 and 4.3). */
import { ApiError } from '../../errors.js';
import * as limits from '../../contract/limits.js';
import type { Client } from '../client.js';

/**
 * The links of a job's results, in order. They carry their own signature: the key is never sent
 * with them.
 * @throws ApiError when one of them is no http address.
 */
export function resultLinks(client: Pick<Client, 'baseUrl'>, urls: readonly string[]): URL[] {
  return urls.map((text) => {
    const { href } = client.baseUrl;
    const url = URL.canParse(text, href) ? new URL(text, href) : undefined;
    if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
    throw new ApiError('the service gave a result link that is no web address', {
      status: 200,
      code: 'invalid_reply',
    });
  });
}

/** What a 410 means: the results were there, and are no longer kept (section 2.11). */
export function resultsGone(jobId: string, cause?: ApiError): ApiError {
  const days = String(limits.media.resultRetentionDays);
  return new ApiError(`the results of ${jobId} are gone: they are kept for ${days} days`, {
    status: 410,
    code: cause?.code ?? 'results_expired',
    requestIds: cause?.requestIds,
    hint: 'the job would have to be made, and paid for, again: `svc generate … --new`',
    cause,
  });
}
