/** A file as an answer: whole, or the stretch that was asked for. */
import type { FileHandle } from 'node:fs/promises';
import { ServiceFailure } from './failure.js';

/** A file that can be read, and what is known of its bytes; whoever opened it closes it. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly byteLength: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/**
 * Answers with a file, which is closed when the answer is over.
 * @param asked the headers of the request: Range and If-Range count
 * @param described what the file is: Content-Type, Content-Disposition
 */
export async function fileReply(
  { handle, byteLength, sha256 }: OpenFile,
  asked: Pick<Headers, 'get'>,
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
        const read = handle.read(Buffer.alloc(length), 0, length, at);
        const { bytesRead, buffer } = await read.catch(async (error: unknown) => {
          await handle.close();
          throw error;
        });
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

interface Stretch {
  readonly first: number;
  readonly last: number;
}

/**
 * The stretch that a Range header asks for (RFC 9110, section 14); `whole` when it asks for none, or for what only the
 * whole file answers; `unsatisfiable` when the file has no such bytes.
 * @param etag the file's, strong; an If-Range that names another one asks for the whole file
 */
function rangeOf(
  headers: Pick<Headers, 'get'>,
  byteLength: number,
  etag: string,
): Stretch | 'whole' | 'unsatisfiable' {
  const ifRange = headers.get('if-range');
  if (ifRange !== null && ifRange.trim() !== etag) return 'whole';
  const asked = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(headers.get('range')?.trim() ?? '');
  const [, from = '', to = ''] = asked ?? [];
  if (from === '' && to === '') return 'whole';
  const end = byteLength - 1;
  if (from === '') {
    const length = Math.min(Number(to), byteLength);
    return length === 0 ? 'unsatisfiable' : { first: byteLength - length, last: end };
  }
  const first = Number(from);
  const last = to === '' ? end : Math.min(Number(to), end);
  if (to !== '' && Number(to) < first) return 'whole';
  return first > end ? 'unsatisfiable' : { first, last };
}
