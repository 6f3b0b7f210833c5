/** The body of a media request, with files in base64 that are never held in memory whole. */
import type * as z from 'zod/mini';
import type { MediaRequest } from '../../contract/media.js';
import { jsonBody, type Base64Sources } from '../../http/request-body.js';
import type { Payload } from '../prepare.js';

export type MediaBody = z.input<typeof MediaRequest>;

const contentType = 'application/json';

/**
 * The body as it travels: text, or pieces when it holds sources.
 * @param sources each placeholder stands in the body as the whole value of one field.
 */
export function payloadOf(body: MediaBody, sources: Base64Sources = new Map()): Payload {
  return { contentType, body: jsonBody(JSON.stringify(body), sources) };
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
