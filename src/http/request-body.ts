/** Request bodies that are read as they are sent: files, multipart forms (RFC 7578), JSON with files in base64. */
import { randomBytes } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import type { Base64Source, FilePart, Segment, StreamedBody } from './types.js';

export type { Base64Source, FilePart } from './types.js';

/** A multiple of three, so that pieces in base64 join without padding. */
export const pieceBytes = 192 * 1024;

/** @param length how many bytes the file has; the sending fails when it turns out otherwise. */
export function fileBody(path: string, length: number): StreamedBody {
  return { length, open: () => filePieces(path), path };
}

/**
 * The bytes of a file; all pieces but the last are `pieceBytes` long. The next one is read while one
 * is used, and a piece is overwritten once the next but one is asked for.
 */
export async function* filePieces(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(path, 'r');
  let [free, used] = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)];
  let reading: Promise<Buffer> | undefined = filled(handle, free);
  try {
    while (reading) {
      const piece: Buffer = await reading;
      [free, used] = [used, free];
      reading = piece.length < pieceBytes ? undefined : filled(handle, free);
      // Nobody may be waiting yet when it fails.
      reading?.catch(() => undefined);
      if (piece.length > 0) yield piece;
    }
  } finally {
    await reading?.catch(() => undefined);
    await handle.close();
  }
}

/** The buffer, filled as far as the file goes. */
async function filled(handle: FileHandle, buffer: Buffer): Promise<Buffer> {
  let length = 0;
  for (let bytesRead = 1; length < buffer.length && bytesRead > 0; length += bytesRead) {
    ({ bytesRead } = await handle.read(buffer, length, buffer.length - length, null));
  }
  return buffer.subarray(0, length);
}

/** Sources by the text that stands for them until the body is sent. */
export type Base64Sources = ReadonlyMap<string, Base64Source>;

/**
 * The body as it travels: text, or pieces when it holds sources.
 * @param json the text of the body; each placeholder stands in it as the whole value of a field,
 * or as the end of one, and nowhere else.
 */
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
  const lengths = segments.map((segment) =>
    typeof segment === 'string' ? Buffer.byteLength(segment) : base64Length(segment.length),
  );
  const length = lengths.reduce((sum, one) => sum + one, 0);
  return { length, open: () => pieces(segments), segments };
}

const base64Length = (length: number) => 4 * Math.ceil(length / 3);

async function* pieces(segments: readonly Segment[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const segment of segments) {
    if (typeof segment === 'string') yield Buffer.from(segment);
    else if ('bytes' in segment) yield* encoded(slices(segment.bytes));
    else yield* encoded(filePieces(segment.path));
  }
}

/** Each piece is overwritten by the next. */
async function* encoded(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const memory = Buffer.allocUnsafe(base64Length(pieceBytes));
  for await (const { buffer, byteOffset, byteLength } of source) {
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    yield memory.subarray(0, memory.write(text, 'latin1'));
  }
}

function* slices(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
  }
}

/**
 * @param fields by name, in order.
 * @param boundary a word that occurs in none of the parts; random unless given.
 */
export function multipart(
  fields: readonly (readonly [name: string, value: string])[],
  files: readonly FilePart[],
  boundary = `svc-${randomBytes(18).toString('hex')}`,
): { readonly contentType: string; readonly body: StreamedBody } {
  const pieces: (Uint8Array | StreamedBody)[] = [];
  for (const [name, value] of fields) {
    pieces.push(head(boundary, `name="${quoted(name)}"`), Buffer.from(`${value}\r\n`));
  }
  for (const { field, filename, type, content } of files) {
    const disposition = `name="${quoted(field)}"; filename="${quoted(filename)}"`;
    pieces.push(head(boundary, disposition, `Content-Type: ${type}\r\n`), content, lineEnd);
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      length: pieces.reduce((sum, { length }) => sum + length, 0),
      open: () => all(pieces),
      form: { fields, files },
    },
  };
}

const lineEnd = Buffer.from('\r\n');

function head(boundary: string, disposition: string, type = ''): Buffer {
  return Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n`,
  );
}

/** As browsers write it: what would end the name, or the line, is encoded. */
function quoted(name: string): string {
  return name.replace(/"/g, '%22').replace(/\r\n?|\n/g, '%0D%0A');
}

async function* all(
  pieces: readonly (Uint8Array | StreamedBody)[],
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const piece of pieces) {
    if ('open' in piece) yield* piece.open();
    else yield piece;
  }
}
