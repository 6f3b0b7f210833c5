/** A file of the service, complete or not at all (sections 4.3 and 4.8). */
import type { Endpoint } from '../contract/endpoint.js';
import { ApiError } from '../errors.js';
import { download } from '../http/download/download.js';
import { DownloadRefused, type Downloaded, type Downloading } from '../http/download/request.js';
import { noMedia } from '../lib/file-kind.js';
import { leftMs, type Client } from './client.js';
import { failureError } from './failure.js';
import { idsIn } from './prepare.js';
import { refusalOf } from './refusal.js';

type Where = Omit<Downloading, keyof Client | 'unwanted'> & Pick<Downloading, 'timeouts'>;

export async function fetchFile(client: Client, row: Endpoint, where: Where): Promise<Downloaded> {
  const { brand, clock } = client;
  try {
    return await download({ ...client, deadlineMs: leftMs(client), unwanted: noMedia, ...where });
  } catch (error) {
    if (!(error instanceof DownloadRefused)) throw failureError(error, row);
    const { response, message } = error;
    const { status } = response;
    const ids = idsIn(response, brand);
    const refusal = await refusalOf(response, { row, ids, brand, nowMs: clock.now() });
    if (status >= 400) throw refusal;
    const { serviceCode, requestIds } = refusal;
    throw new ApiError(message, { status, code: 'invalid_reply', serviceCode, requestIds });
  }
}
