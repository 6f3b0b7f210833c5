/** The body of a media request, with files in base64 that are never held in memory whole. */
import type * as z from 'zod/mini';
import type { MediaRequest } from '../../contract/media.js';
import { filePieces } from '../../http/file-body.js';
import type { Payload } from '../prepare.js';

export type MediaBody = z.input<typeof MediaRequest>;

/** Bytes that stand in a body as base64. */
export type InlineSource =
  | { readonly path: string; readonly length: number }
  | { readonly bytes: Uint8Array; readonly length: number };

/** The text in a body that stands for a source, until the body is sent. */
export type Placeholder = string;

/** Sources by the text that stands for them. */
export type InlineSources = ReadonlyMap<Placeholder, InlineSource>;

const contentType = 'application/json';

/**
 * The body as it travels: text, or pieces when it holds sources.
 * @param sources each placeholder stands in the body as the whole value of one field.
 */
export function payloadOf(body: MediaBody, sources: InlineSources = new Map()): Payload {
  const text = JSON.stringify(body);
  const segments = split(text, sources);
  if (segments.every((segment) => typeof segment === 'string')) {
    return { contentType, body: text };
  }
  const length = segments.reduce((sum, segment) => sum + lengthOf(segment), 0);
  return { contentType, body: { length, open: () => pieces(segments) } };
}

/** How many bytes a payload has. */
export function payloadBytes({ body }: Payload): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

/** The pieces of any payload, to write them down. */
export async function* piecesOf({ body }: Payload): AsyncGenerator<Uint8Array, void, undefined> {
  if (typeof body === 'string') yield Buffer.from(body);
  else if (body instanceof Uint8Array) yield body;
  else yield* body.open();
}

type Segment = string | InlineSource;

function split(text: string, sources: InlineSources): Segment[] {
  let segments: Segment[] = [text];
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
  return typeof segment === 'string'
    ? Buffer.byteLength(segment)
    : 4 * Math.ceil(segment.length / 3);
}

async function* pieces(segments: readonly Segment[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const segment of segments) {
    if (typeof segment === 'string') yield Buffer.from(segment);
    else if ('bytes' in segment) yield base64(segment.bytes);
    else for await (const piece of filePieces(segment.path)) yield base64(piece);
  }
}

function base64(bytes: Uint8Array): Buffer {
  const { buffer, byteOffset, byteLength } = bytes;
  return Buffer.from(Buffer.from(buffer, byteOffset, byteLength).toString('base64'), 'latin1');
}
