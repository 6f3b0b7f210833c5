/** A request as a tape notes it: in canonical form, and without secrets. */
import { createHash, hash } from 'node:crypto';
import { piecesOf, type HttpRequest } from '../http/types.js';
import { boundaryOf, formParts } from '../lib/form-parts.js';
import { GrowingBytes } from '../lib/growing.js';
import { canonicalJson, parseJson } from '../lib/json.js';
import { maxDepth, weigh } from '../lib/json-weight.js';
import { utf8Text } from '../lib/plain-text.js';
import { mapTexts } from '../lib/redact.js';
import { maskSecrets } from '../lib/secret-places.js';
import type { NotedRequest } from './tape.js';

const max = {
  /** Of a body that is read as JSON; a longer one is noted by its hash. */
  jsonBytes: 16 * 1024 * 1024,
  textBytes: 64 * 1024,
} as const;

/** @param base of the service: the tape notes paths below it, so that it fits any address */
export async function noteRequest(request: HttpRequest, base?: URL): Promise<NotedRequest> {
  const { method, url, headers } = request;
  const prefix = base?.origin === url.origin ? base.pathname.replace(/\/+$/, '') : '';
  const pathname = url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : '';
  const path = masked((pathname || url.pathname) + url.search);
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type');
  return { method, path, ...(await noteBody(request.body, type?.[1] ?? '')) };
}

type NotedBody = Omit<NotedRequest, 'method' | 'path'>;

async function noteBody(body: HttpRequest['body'], type: string): Promise<NotedBody> {
  if (body === undefined || body.length === 0) return {};
  const boundary = boundaryOf(type);
  const form = boundary === undefined ? undefined : await noteForm(piecesOf(body), boundary);
  if (form) return { form };
  const isRead = body.length <= max.jsonBytes;
  const { start, ...digest } = await readParts(piecesOf(body), isRead ? max.jsonBytes : 0);
  const text = isRead ? utf8Text(start) : undefined;
  const isFlat = weigh(start).depth < maxDepth - 10;
  const json = text === undefined || !isFlat ? undefined : noteJson(text);
  if (json !== undefined) return { json };
  return text === undefined || start.length > max.textBytes ? digest : { text: masked(text) };
}

/** Undefined for what is not JSON. */
function noteJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(masked(canonicalJson(mapTexts(parseJson(text), hashOfFile))));
  } catch {
    return undefined;
  }
}

/** The hash of a file in base64, perhaps as a data URL; any other text is unchanged. */
function hashOfFile(text: string): string {
  const isFile = text.length >= 1024 && /^(?:data:[^,]{0,100},)?[\w+/=-]+$/.test(text);
  return isFile ? `sha256:${hash('sha256', text)} of ${text.length} characters` : text;
}

async function noteForm(body: AsyncIterable<Uint8Array>, boundary: string) {
  const form: NonNullable<NotedRequest['form']>[number][] = [];
  try {
    for await (const { name, fileName, bytes } of formParts(body, boundary, Error)) {
      const { start, ...digest } = await readParts(bytes, max.textBytes);
      const value = fileName === undefined ? utf8Text(start) : undefined;
      const isText = value !== undefined && start.length === digest.bytes;
      form.push({
        name,
        filename: fileName && masked(fileName),
        ...(isText ? { value: masked(value) } : digest),
      });
    }
    return form;
  } catch {
    return undefined;
  }
}

/** The digest of a body, and its first bytes. */
async function readParts(pieces: AsyncIterable<Uint8Array>, keptBytes: number) {
  const sum = createHash('sha256');
  let bytes = 0;
  const start = new GrowingBytes();
  for await (const piece of pieces) {
    sum.update(piece);
    bytes += piece.length;
    // A copy: a source may use the memory of a piece again.
    if (start.length < keptBytes)
      start.add(Buffer.from(piece.subarray(0, keptBytes - start.length)));
  }
  return { sha256: sum.digest('hex'), bytes, start: start.toBuffer() };
}

const masked = (text: string): string => maskSecrets(Buffer.from(text)).toString();
