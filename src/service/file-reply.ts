/** A file as an answer: complete, or the requested range. */
import type { FileHandle } from 'node:fs/promises';
import { streamOf, type Reply } from './call.js';
import { ServiceFailure } from './failure.js';
import type { StoredFile } from './folder.js';

export type OpenFile = StoredFile & { readonly handle: FileHandle };

/** The file is closed afterwards. */
export async function fileReply(
  { handle, byteLength, sha256 }: OpenFile,
  requestHeaders: Pick<Headers, 'get'>,
  described: Readonly<Record<string, string>>,
): Promise<Reply> {
  const etag = `"${sha256}"`;
  const range = rangeOf(requestHeaders, byteLength, etag);
  const { first, last } = range ?? { first: 0, last: byteLength - 1 };
  if (range && first > last) {
    await handle.close();
    const message = `the range starts after the ${byteLength} bytes of the file`;
    const headers = { 'content-range': `bytes */${byteLength}`, etag };
    throw new ServiceFailure(416, 'range_not_satisfiable', message, { headers });
  }
  const headers = {
    ...described,
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-transform',
    'x-content-type-options': 'nosniff',
    'content-length': String(last - first + 1),
    ...(range && { 'content-range': `bytes ${first}-${last}/${byteLength}` }),
  };
  const body = streamOf(stretch(handle, first, last), () => handle.close());
  return { status: range ? 206 : 200, headers, body };
}

const pieceBytes = 256 * 1024;

async function* stretch(handle: FileHandle, first: number, last: number) {
  try {
    for (let at = first; at <= last;) {
      const length = Math.min(pieceBytes, last + 1 - at);
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, at);
      // Missing bytes end the connection, because the length was sent.
      if (bytesRead === 0) throw new Error('the file ended early');
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

/** The Range header (RFC 9110, section 14): undefined is the whole file, empty an invalid range. */
function rangeOf(headers: Pick<Headers, 'get'>, byteLength: number, etag: string) {
  const ifRange = headers.get('if-range');
  if (ifRange !== null && ifRange.trim() !== etag) return undefined;
  const range = headers.get('range')?.trim() ?? '';
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(range) ?? [];
  if (from === '' && to === '') return undefined;
  const end = byteLength - 1;
  if (from === '') return { first: Math.max(0, byteLength - Number(to)), last: end };
  const [first, last] = [Number(from), to === '' ? Infinity : Number(to)];
  return last < first ? undefined : { first, last: Math.min(last, end) };
}
