/** One request for a file, with redirects, and what the headers of its answer mean. */
import type { PartSource } from '../../files/claim.js';
import type { Target } from '../../files/target.js';
import { isLoopback } from '../../lib/address.js';
import { plainText } from '../../lib/plain-text.js';
import type { Limited } from '../deadline.js';
import { observed } from '../repeat.js';
import type { HttpRequest, HttpResponse, Memory, ResponseHead } from '../types.js';
import type { Timeouts, Transport } from '../types.js';

export interface Downloading extends Limited {
  readonly transport: Transport;
  readonly url: URL;
  readonly to: Target | StreamTarget;
  /** Sent only to the origin of `url`; lower-case names, nothing secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent only to their own origin, and never with a signed link, which needs none. */
  readonly credentials?: {
    readonly origin: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly timeouts: Timeouts;
  /** Called at the first byte, at the last, and at most ten times a second in between. */
  readonly onProgress?: (progress: Progress) => void;
  /** Describes an unwanted file by its first bytes; nothing of such a file is kept. */
  readonly unwanted?: (head: Buffer) => string | undefined;
  /** A longer file is abandoned, and nothing of it is kept; undefined means no limit. */
  readonly maxBytes?: number;
}

export interface StreamTarget {
  readonly kind: 'stream';
  /** A promise means: wait for it. The stream owns the piece. */
  readonly write: (piece: Buffer) => void | Promise<void>;
}

export interface Progress {
  readonly bytes: number;
  readonly totalBytes: number | undefined;
}

export interface Downloaded {
  readonly path: string | undefined;
  readonly bytes: number;
  readonly mediaType: string | undefined;
  readonly resumed: boolean;
}

/** The service did not answer with a file. The body may still be read. */
export class DownloadRefused extends Error {
  override readonly name = 'DownloadRefused';
  constructor(
    public response: HttpResponse,
    message: string,
  ) {
    super(message);
  }
}

export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

export type Version = Omit<PartSource, 'id'>;

export interface Store {
  /** Bytes of `version` that exist, from its start. */
  readonly bytes: number;
  readonly version: Version | undefined;
  /** The best memory for the next bytes; undefined means any. */
  readonly memory: Memory | undefined;
  /** The next bytes are the start of this version. @throws when it is too late for that. */
  begin(version: Version): void | Promise<void>;
  take(piece: Buffer): void | Promise<void>;
  flush(): Promise<void>;
}

/** The last answer, after redirects, at its headers. @throws AttemptFailed; DownloadRefused */
export async function ask(
  options: Downloading,
  range: RangeRequest | undefined,
  attempt: number,
  more: Pick<HttpRequest, 'isBulk' | 'signal'>,
): Promise<HttpResponse> {
  const { credentials, headers = {}, timeouts, url: first } = options;
  const rest = range && { range: `bytes=${range.from}-`, 'if-range': range.etag };
  const needed = { accept: '*/*', 'accept-encoding': 'identity', ...rest };
  let url = first;
  // The caller's own headers are sent only to the origin that it named.
  let isOwn = true;
  for (let hops = 0; ; hops += 1) {
    const needsKey = credentials?.origin === url.origin && !url.searchParams.has('sig');
    const own = isOwn && { ...headers, ...(needsKey ? credentials.headers : {}) };
    const request = { method: 'GET', url, headers: { ...own, ...needed }, timeouts, ...more };
    const response = await observed(options, request, attempt);
    const { status } = response;
    if (!redirects.has(status)) return response;
    const target =
      hops < maxRedirects
        ? redirectTarget(url, response.headers['location'])
        : `it redirects more than ${maxRedirects} times`;
    if (typeof target === 'string') {
      const words = `the service answered ${status}: ${target}, and svc does not follow`;
      throw new DownloadRefused(response, words);
    }
    response.discard();
    isOwn &&= target.origin === url.origin;
    url = target;
  }
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The rest of a file, of the version that exists in part. */
export interface RangeRequest {
  readonly from: number;
  readonly etag: string;
  readonly length: number | undefined;
}

/** Which part of the file an answer has; undefined where the headers do not say it. */
export interface FileRange {
  readonly upTo: number | undefined;
  readonly total: number | undefined;
  readonly encoding?: string;
}

export function wholeOf(head: ResponseHead): { version: Version; body: FileRange } {
  const { headers } = head;
  const encoding = encodingOf(head);
  // A decoded body has another length, and cannot be appended to.
  const length = encoding ? undefined : lengthOf(head);
  const etag = encoding ? undefined : strongEtag(headers['etag']);
  const version = { contentType: headers['content-type']?.slice(0, 200), etag, length };
  return { version, body: { upTo: length, total: length, encoding } };
}

/** A range is accepted when its headers confirm the same version and the requested start. */
export function restOf(
  head: ResponseHead,
  { from, etag, length }: RangeRequest,
): FileRange | undefined {
  const { status, headers } = head;
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/i.exec(headers['content-range']?.trim() ?? '');
  if (status !== 206 || !range) return undefined;
  if (strongEtag(headers['etag']) !== etag || encodingOf(head)) return undefined;
  const [first, last, total] = [Number(range[1]), Number(range[2]), Number(range[3])];
  if (first !== from || last < first || last >= total) return undefined;
  if (length !== undefined && total !== length) return undefined;
  const bodyLength = lengthOf(head);
  if (bodyLength !== undefined && bodyLength !== last + 1 - first) return undefined;
  return { total, upTo: last + 1 };
}

/** Only a strong ETag stands for the exact bytes (RFC 9110, 8.8.3). */
function strongEtag(header: string | undefined): string | undefined {
  const etag = header?.trim() ?? '';
  return /^"[\x21\x23-\x7e\x80-\xff]{1,1000}"$/.test(etag) ? etag : undefined;
}

function lengthOf({ headers }: ResponseHead): number | undefined {
  const text = headers['content-length']?.trim() ?? '';
  if (headers['transfer-encoding'] !== undefined || !/^\d+$/.test(text)) return undefined;
  const length = Number(text);
  return Number.isSafeInteger(length) ? length : undefined;
}

function encodingOf({ headers }: ResponseHead): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding === '' || encoding === 'identity' ? undefined : encoding;
}

const maxRedirects = 5;

export function redirectTarget(from: URL, location: string | undefined): URL | string {
  if (location === undefined || !URL.canParse(location, from.href)) return 'it points nowhere';
  const target = new URL(location, from.href);
  const where = plainText(target.host, 100);
  if (!/^https?:$/.test(target.protocol)) return 'it does not point to a web page';
  if (target.username !== '' || target.password !== '')
    return `it contains a user name or password for ${where}`;
  target.hash = '';
  if (target.origin === from.origin || target.protocol === 'https:') return target;
  // Only services on this machine may redirect to one another unencrypted.
  if (isLoopback(from.hostname) && isLoopback(target.hostname)) return target;
  return `it points to ${where}, unencrypted`;
}
