/** Request bodies read as they are sent: files, forms (RFC 7578), JSON with files in base64. */
import { randomBytes } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { pieceBytes, piecesOf, slices } from './types.js';
import type { Base64Source, Form, Segment, StreamedBody } from './types.js';

/** @param length of the file; sending fails if it differs. */
export function fileBody(path: string, length: number): StreamedBody {
  return { length, open: () => filePieces(path), path };
}

/** A file in pieces of `pieceBytes`; each is overwritten two pieces later. */
export async function* filePieces(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(path, 'r');
  let [free, used] = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)];
  let reading: Promise<Buffer> | undefined = filled(handle, free);
  try {
    while (reading) {
      const piece: Buffer = await reading;
      [free, used] = [used, free];
      reading = piece.length < pieceBytes ? undefined : filled(handle, free);
      reading?.catch(() => undefined);
      if (piece.length > 0) yield piece;
    }
  } finally {
    await reading?.catch(() => undefined);
    await handle.close();
  }
}

async function filled(handle: FileHandle, buffer: Buffer): Promise<Buffer> {
  let length = 0;
  for (let bytesRead = 1; length < buffer.length && bytesRead > 0; length += bytesRead) {
    ({ bytesRead } = await handle.read(buffer, length, buffer.length - length, null));
  }
  return buffer.subarray(0, length);
}

/** Sources by their placeholder in the text. */
export type Base64Sources = ReadonlyMap<string, Base64Source>;

/** @param json text of a body, with each placeholder at the end of a string. */
export function jsonBody(json: string, sources: Base64Sources): string | StreamedBody {
  let segments: Segment[] = [json];
  for (const [placeholder, source] of sources) {
    segments = segments.flatMap((segment) => {
      if (typeof segment !== 'string') return [segment];
      const [first = '', ...rest] = segment.split(placeholder);
      return [first, ...rest.flatMap((part) => [source, part])];
    });
  }
  if (segments.every((segment) => typeof segment === 'string')) return json;
  const parts = segments.map((segment) => {
    if (typeof segment === 'string') return Buffer.from(segment);
    const bytes = () => ('bytes' in segment ? slices(segment.bytes) : filePieces(segment.path));
    return { length: base64Length(segment.length), open: () => encoded(bytes()) };
  });
  return { ...joined(parts), segments };
}

const base64Length = (length: number) => 4 * Math.ceil(length / 3);

async function* encoded(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const memory = Buffer.allocUnsafe(base64Length(pieceBytes));
  for await (const { buffer, byteOffset, byteLength } of source) {
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    yield memory.subarray(0, memory.write(text, 'latin1'));
  }
}

function joined(parts: readonly (Uint8Array | StreamedBody)[]): StreamedBody {
  async function* all(): AsyncIterable<Uint8Array> {
    for (const part of parts) yield* piecesOf(part);
  }
  return { length: parts.reduce((sum, { length }) => sum + length, 0), open: all };
}

/** A form; its boundary occurs in none of its parts. */
export function multipart(
  fields: Form['fields'],
  files: Form['files'],
): { readonly contentType: string; readonly body: StreamedBody } {
  const boundary = `svc-${randomBytes(18).toString('hex')}`;
  const head = (disposition: string, type = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n`;
  const parts = [
    ...fields.map(([name, value]) => Buffer.from(`${head(`name="${quoted(name)}"`)}${value}\r\n`)),
    ...files.flatMap(({ field, filename, type, content }) => {
      const disposition = `name="${quoted(field)}"; filename="${quoted(filename)}"`;
      const before = head(disposition, `Content-Type: ${type}\r\n`);
      return [Buffer.from(before), content, Buffer.from('\r\n')];
    }),
    Buffer.from(`--${boundary}--\r\n`),
  ];
  const contentType = `multipart/form-data; boundary=${boundary}`;
  return { contentType, body: { ...joined(parts), form: { fields, files } } };
}

/** As in browsers, characters that would end the name or the line are encoded. */
function quoted(name: string): string {
  return name.replace(/"/g, '%22').replace(/\r\n?|\n/g, '%0D%0A');
}
