/** JSON bodies that hold files in base64, which are never in memory whole. */
import { filePieces, pieceBytes } from './file-body.js';
import type { Base64Source, Segment, StreamedBody } from './types.js';

export type { Base64Source } from './types.js';

/** Sources by the text that stands for them until the body is sent. */
export type Base64Sources = ReadonlyMap<string, Base64Source>;

/**
 * The body as it travels: text, or pieces when it holds sources.
 * @param json the text of the body; each placeholder stands in it as the whole value of a field,
 * or as the end of one, and nowhere else.
 */
export function jsonBody(json: string, sources: Base64Sources): string | StreamedBody {
  const segments = split(json, sources);
  if (segments.every((segment) => typeof segment === 'string')) return json;
  const length = segments.reduce((sum, segment) => sum + lengthOf(segment), 0);
  return { length, open: () => pieces(segments), segments };
}

function split(json: string, sources: Base64Sources): Segment[] {
  let segments: Segment[] = [json];
  for (const [placeholder, source] of sources) {
    segments = segments.flatMap((segment) => {
      if (typeof segment !== 'string') return [segment];
      return segment
        .split(placeholder)
        .flatMap((part, index) => (index === 0 ? [part] : [source, part]));
    });
  }
  return segments;
}

function lengthOf(segment: Segment): number {
  return typeof segment === 'string' ? Buffer.byteLength(segment) : base64Length(segment.length);
}

function base64Length(length: number): number {
  return 4 * Math.ceil(length / 3);
}

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
