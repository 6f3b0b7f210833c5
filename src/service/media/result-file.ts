/** GET /api/media/file/{id}/{idx}: the bytes of a result, whole or in part. */
import type { FileHandle } from 'node:fs/promises';
import type { Call } from '../call.js';
import { ServiceFailure } from '../failure.js';
import { jobById } from '../store/media-jobs.js';
import { findResult } from '../store/media-results.js';
import { current } from './finish.js';
import { isSigned } from './links.js';
import { rangeOf, type Stretch } from './range.js';
import { openResult, resultName, type OpenResult } from './results.js';

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
    throw new ServiceFailure(
      410,
      'result_expired',
      'results are kept for 7 days; this one is gone',
    );
  }
  const opened = await openResult(house, job, result);
  const name = resultName(result);
  const isDownload = url.searchParams.get('download') === '1';
  return reply(opened, request.headers, {
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

async function reply(
  { handle, byteLength, sha256 }: OpenResult,
  asked: Headers,
  described: Readonly<Record<string, string>>,
): Promise<Response> {
  const etag = `"${sha256}"`;
  const headers = {
    ...described,
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-transform',
    'x-content-type-options': 'nosniff',
  };
  const range = rangeOf(asked, byteLength, etag);
  if (range === 'unsatisfiable') {
    await handle.close();
    throw new ServiceFailure(
      416,
      'range_not_satisfiable',
      `the file has ${byteLength} bytes, and none where the range begins`,
      { headers: { 'content-range': `bytes */${byteLength}`, etag } },
    );
  }
  const stretch = range === 'whole' ? { first: 0, last: byteLength - 1 } : range;
  return new Response(stream(handle, stretch), {
    status: range === 'whole' ? 200 : 206,
    headers: {
      ...headers,
      'content-length': String(stretch.last - stretch.first + 1),
      ...(range === 'whole'
        ? {}
        : { 'content-range': `bytes ${stretch.first}-${stretch.last}/${byteLength}` }),
    },
  });
}

const pieceBytes = 256 * 1024;

/** A stretch of a file, read as fast as it is wanted; the file is closed at its end. */
function stream(handle: FileHandle, { first, last }: Stretch): ReadableStream<Uint8Array> {
  let at = first;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const length = Math.min(pieceBytes, last + 1 - at);
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, at);
        at += bytesRead;
        if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead));
        if (at <= last && bytesRead > 0) return;
        await handle.close();
        // Bytes that are missing break the line off, for the length was told.
        if (at <= last) controller.error(new Error('the file ended early'));
        else controller.close();
      },
      cancel: () => handle.close(),
    },
    { highWaterMark: 0 },
  );
}
