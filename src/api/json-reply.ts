/** Reads JSON of unknown size and shape without filling the memory. */
import type { HttpResponse } from '../http/types.js';
import { GrowingBytes } from '../lib/growing.js';
import { parsedJson } from '../lib/json.js';
import { maxDepth, weigh } from '../lib/json-weight.js';

/** Values are objects, lists and entries: a short text can hold very many. */
export type JsonLimits = Readonly<{ maxBytes?: number; maxValues?: number }>;

export type JsonReply =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'empty' }
  /** `what` continues "the service answered with …". */
  | { readonly kind: 'unreadable'; readonly what: string; readonly breaksOff: boolean };

const defaultMaxBytes = 16 * 1024 * 1024;
export const defaultMaxValues = 500_000;

export async function readJson(
  response: HttpResponse,
  { maxBytes = defaultMaxBytes, maxValues = defaultMaxValues }: JsonLimits = {},
): Promise<JsonReply> {
  const body = await readBody(response, maxBytes);
  if (body.isCutShort) return unreadable(`more than ${Math.floor(maxBytes / 1024 / 1024)} MiB`);
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return unreadable('a compressed body, which svc did not ask for');
  const { bytes } = body;
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  if (text.trim() === '') return { kind: 'empty' };
  const weight = weigh(bytes);
  if (weight.depth > maxDepth) return unreadable('JSON that is nested too deeply');
  if (weight.values > maxValues) return unreadable('JSON with too many values');
  const value = parsedJson(text);
  if (value !== undefined) return { kind: 'value', value };
  return unreadable(describeContent(text, response.headers['content-type'] ?? ''));
}

function unreadable(what: string): JsonReply {
  return { kind: 'unreadable', what, breaksOff: what === brokenOff };
}

const brokenOff = 'truncated JSON';

export function describeContent(text: string, contentType: string): string {
  const start = text.trimStart();
  if (/^text\/html\b/i.test(contentType) || /^<(?:!doctype|html)\b/i.test(start)) {
    return 'an HTML page';
  }
  const isJson = /\bjson\b/i.test(contentType) || /^[[{]/.test(start);
  if (isJson && !/[\]}]\s*$/.test(text)) return brokenOff;
  return isJson ? 'damaged JSON' : 'text that is not JSON';
}

export type ReplyBody = Readonly<{ bytes: Buffer; isCutShort: boolean }>;

/** Up to `maxBytes` of an answer's body; the rest is discarded. @throws BodyCut */
export async function readBody(response: HttpResponse, maxBytes: number): Promise<ReplyBody> {
  const bytes = new GrowingBytes();
  try {
    await response.pipe((piece) => {
      bytes.add(piece);
      if (bytes.length > maxBytes) throw new TooLong();
    });
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
  }
  return {
    // Joined only on demand: a body that is too long is often discarded.
    get bytes() {
      return bytes.toBuffer().subarray(0, maxBytes);
    },
    isCutShort: bytes.length > maxBytes,
  };
}

class TooLong extends Error {}
