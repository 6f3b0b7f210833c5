/** Fetches an image of a ticket, whole or not at all (section 4.8). */
import { bytesPerMb, tickets as limits } from '../contract/limits.js';
import { getAttachment } from '../contract/tickets.js';
import { ApiError } from '../errors.js';
import { download } from '../http/download/download.js';
import {
  DownloadRefused,
  TooLarge,
  type Downloaded,
  type Downloading,
} from '../http/download/request.js';
import { noMedia } from '../lib/file-kind.js';
import { plainText } from '../lib/plain-text.js';
import type { Client } from './client.js';
import { failureError } from './failure.js';
import { idsIn } from './headers.js';
import { prepare } from './prepare.js';
import { refusalOf } from './refusal.js';

export interface AttachmentFetching extends Pick<Downloading, 'to' | 'onProgress'> {
  readonly ticketId: string;
  readonly attachmentId: string;
}

const { bytes: maxBytes } = limits.attachments;
const maxMb = maxBytes / bytesPerMb;

/**
 * @throws ApiError for a refusal, and for more than an image may have; NetworkError or TimeoutError
 * when it was not reached; Incomplete when it broke off, or is no image; LocalFileError.
 */
export async function fetchAttachment(
  client: Client,
  { ticketId, attachmentId, to, onProgress }: AttachmentFetching,
): Promise<Downloaded> {
  const { clock, observe, retryWaitMs, signal, transport, deadlineMs } = client;
  const params = { id: ticketId, attachmentId };
  const prepared = prepare(client, getAttachment, { params }, { accept: 'image/*' });
  const { authorization = '', ...headers } = prepared.headers;
  const { url, timeouts } = prepared;
  try {
    return await download({
      transport,
      url,
      to,
      headers,
      credentials: { origin: url.origin, headers: { authorization } },
      timeouts,
      clock,
      signal,
      deadlineMs,
      retryWaitMs,
      observe,
      onProgress,
      unwanted: noMedia,
      maxBytes,
    });
  } catch (error) {
    if (error instanceof TooLarge) throw tooLarge(ticketId);
    throw error instanceof DownloadRefused
      ? await refused(client, error)
      : failureError(error, getAttachment);
  }
}

function tooLarge(ticketId: string): ApiError {
  return new ApiError(`the service sent more than the ${maxMb} MB that an image may have`, {
    status: 200,
    code: 'invalid_reply',
    hint: `ask for it anew: \`svc tickets reply ${plainText(ticketId, 100)}\``,
  });
}

async function refused(client: Client, { response, message }: DownloadRefused): Promise<ApiError> {
  const { status, headers } = response;
  const { brand } = client;
  const ids = idsIn(headers, brand);
  const nowMs = client.clock.now();
  const refusal = await refusalOf(response, { row: getAttachment, ids, brand, nowMs });
  if (status >= 400) return refusal;
  // A redirect that is not followed says why.
  const { code = 'invalid_reply', requestIds } = refusal;
  return new ApiError(message, { status, code, requestIds });
}
