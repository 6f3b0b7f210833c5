/** GET /api/media/file/{id}/{idx}: the bytes of a result, whole or in part. */
import type { Call } from '../call.js';
import { ServiceFailure } from '../failure.js';
import { fileReply } from '../file-reply.js';
import { jobById } from '../store/media-jobs.js';
import { findResult } from '../store/media-results.js';
import { current, retention } from './finish.js';
import { isSigned } from './links.js';
import { openResult, resultName } from './results.js';

export async function resultFile(call: Call): Promise<Response> {
  const { house, request, url } = call;
  const index = /^(0|[1-9]\d{0,5})$/.test(call.param('idx')) ? Number(call.param('idx')) : NaN;
  const sig = url.searchParams.get('sig') ?? '';
  const job = jobById(house.store, call.param('id'));
  if (!job || !isSigned(house.store, job.id, index, sig)) throw notFound();
  await current(house, job);
  const result = findResult(house.store, job.id, index);
  if (!result) throw notFound();
  if (result.expiresAtMs <= house.clock.now()) {
    throw new ServiceFailure(410, 'result_expired', `${retention}; this one is gone`);
  }
  const opened = await openResult(house, job, result);
  const name = resultName(result);
  const isDownload = url.searchParams.get('download') === '1';
  return fileReply(opened, request.headers, {
    'content-type': result.mediaType,
    'content-disposition': `${isDownload ? 'attachment' : 'inline'}; filename="${name}"`,
  });
}

function notFound(): ServiceFailure {
  return new ServiceFailure(
    404,
    'result_not_found',
    'there is no such result, or its link is wrong',
  );
}
