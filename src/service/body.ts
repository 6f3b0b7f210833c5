/** Reads request bodies, within limits; a misfit is a 400 that names the field. */
import type * as z from 'zod/mini';
import { explain } from '../contract/explain.js';
import { codeOf } from '../lib/error-code.js';
import { parsedJson, withAllDigits } from '../lib/json.js';
import { maxDepth, weigh } from '../lib/json-weight.js';
import { utf8Text } from '../lib/plain-text.js';
import { badRequest, ServiceFailure } from './failure.js';

/** The used parts of a request; a whole web Request costs more than a small call. */
export interface ServiceRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Pick<Headers, 'get'>;
  /** In one piece when all of it is here. */
  readonly body: AsyncIterable<unknown> | Uint8Array | null;
  readonly signal: AbortSignal;
}

type Pieces = AsyncIterable<unknown> | Iterable<unknown>;

export async function readJson(request: ServiceRequest, maxBytes = 32 * 1024 * 1024) {
  const { body, headers } = request;
  const isWhole = body instanceof Uint8Array && headers.get('content-encoding') === null;
  const bytes =
    isWhole && body.length <= maxBytes ? body : await readAll(bodyPieces(request, maxBytes));
  const text = utf8Text(bytes);
  if (text === undefined) throw badRequest('the request body is not UTF-8');
  if (text === '') throw badRequest('the request has no body; a JSON body is required');
  // First, because the parser takes fifty bytes for every bracket.
  if (weigh(bytes).depth > maxDepth) {
    throw badRequest(`the request nests deeper than ${maxDepth} levels`);
  }
  const value = parsedJson(text);
  if (value !== undefined) return value;
  throw badRequest('the request body is not JSON', undefined, 'invalid_json');
}

export function bodyPieces(
  request: Pick<ServiceRequest, 'headers' | 'body'>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const message = `the request body is larger than ${maxBytes} bytes`;
  const details = { fields: { max_body_bytes: maxBytes } };
  const tooLarge = () => new ServiceFailure(413, 'payload_too_large', message, details);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  const body = request.body instanceof Uint8Array ? [request.body] : request.body;
  const pieces = body && encoding !== 'identity' ? decoded(body, encoding) : body;
  return limitBytes(pieces ?? [], maxBytes, tooLarge);
}

async function* decoded(body: Pieces, encoding: string): AsyncGenerator {
  // Few clients compress what they send.
  const { createBrotliDecompress, createUnzip } = await import('node:zlib');
  const { pipeline, Readable } = await import('node:stream');
  const shown = JSON.stringify(encoding.slice(0, 60));
  if (!/^(x-gzip|gzip|deflate|br)$/.test(encoding)) {
    throw badRequest(`the content-encoding ${shown} is not supported`);
  }
  const unpacked = encoding === 'br' ? createBrotliDecompress() : createUnzip();
  // An error of either stream arrives in the loop.
  pipeline(Readable.from(body), unpacked, () => undefined);
  try {
    yield* unpacked;
  } catch (error) {
    if (!/^(Z_|ERR__)/.test(codeOf(error) ?? '')) throw error;
    throw badRequest(`the request body is not valid ${shown}`);
  }
}

export async function* limitBytes(
  pieces: Pieces,
  maxBytes: number,
  tooLarge: () => Error,
): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  // Leaving the loop early cancels the read.
  for await (const piece of pieces) {
    if (!(piece instanceof Uint8Array)) continue;
    size += piece.byteLength;
    if (size > maxBytes) throw tooLarge();
    yield piece;
  }
}

export async function readAll(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** The parsed value; `place` is its name in a message: `messages[0].content[1]`. */
export function parse<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  place?: string,
): z.output<Schema> {
  let parsed;
  try {
    parsed = schema.safeParse(value);
  } catch (error) {
    // The library gathers all errors on the stack.
    if (!(error instanceof RangeError)) throw error;
    throw badRequest('the request has too many errors to list');
  }
  if (parsed.success) return withAllDigits(parsed.data, value);
  const sentence = explain(parsed.error, value, place);
  const inside = place !== undefined && !sentence.startsWith(place);
  const param = place ?? parsed.error.issues[0]?.path.join('.');
  throw badRequest(inside ? `${place}: ${sentence}` : sentence, param);
}
