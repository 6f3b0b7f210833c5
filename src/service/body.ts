/** Reads what callers send, within bounds; what does not fit is a 400 that names the field. */
import type * as z from 'zod/mini';
import { explain } from '../contract/explain.js';
import { badRequest, ServiceFailure } from './failure.js';

/** Room for several images of some megabytes each, as base64. */
const defaultMaxBytes = 32 * 1024 * 1024;
/** No request nests deeper; what does was made to break its reader. */
const deepest = 500;

/**
 * Reads a JSON body.
 * @param maxBytes 413 when the body is larger
 * @throws ServiceFailure 400 when it is missing, no UTF-8, no JSON, or nested beyond reason
 */
export async function readJson(request: Request, maxBytes = defaultMaxBytes): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bodyPieces(request, maxBytes)) chunks.push(chunk);
  return parseJson(Buffer.concat(chunks));
}

/**
 * The value of a JSON body that is at hand.
 * @throws ServiceFailure as `readJson`
 */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('the request body is not UTF-8');
  }
  if (text === '') throw badRequest('the request has no body; it needs one in JSON');
  // First, for the parser takes fifty bytes for every bracket.
  if (nestsDeeper(text)) throw badRequest(`the request nests deeper than ${deepest} levels`);
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('the request body is not JSON', undefined, 'invalid_json');
  }
}

/**
 * A body as it arrives.
 * @throws ServiceFailure 413 as soon as it is known to be larger than `maxBytes`
 */
export async function* bodyPieces(request: Request, maxBytes: number): AsyncGenerator<Uint8Array> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  const tooLarge = () =>
    new ServiceFailure(
      413,
      'payload_too_large',
      `the request body is larger than ${maxBytes} bytes`,
      { fields: { max_body_bytes: maxBytes } },
    );
  if (declared > maxBytes) throw tooLarge();
  if (!request.body) return;
  const body: ReadableStream<Uint8Array> = request.body;
  let size = 0;
  // Leaving the loop early cancels the body.
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge();
    yield chunk;
  }
}

/** Counts brackets outside strings. What is no JSON may be taken for deep, or not. */
function nestsDeeper(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (inString) {
      if (unit === 0x5c) i += 1;
      else if (unit === 0x22) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x7b || unit === 0x5b) depth += 1;
    else if (unit === 0x7d || unit === 0x5d) depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}

/**
 * The value as the schema gives it.
 * @param place what to call the value in a message: `messages[0].content[1]`; the whole request
 * when it is absent
 */
export function parse<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  place?: string,
): z.output<Schema> {
  let parsed;
  try {
    parsed = schema.safeParse(value);
  } catch (error) {
    // The library gathers every fault on the stack.
    if (!(error instanceof RangeError)) throw error;
    throw badRequest('the request has too many faults to name one');
  }
  if (parsed.success) return parsed.data;
  const sentence = explain(parsed.error, value, place);
  const inside = place !== undefined && !sentence.startsWith(place);
  const param = place ?? parsed.error.issues[0]?.path.join('.');
  throw badRequest(inside ? `${place}: ${sentence}` : sentence, param);
}
