/** One request for a file, over redirects, and what the head of its answer means. */
import type { Source } from '../../files/claim.js';
import type { Target } from '../../files/target.js';
import { isLoopback } from '../../lib/loopback.js';
import { plainText } from '../../lib/plain-text.js';
import type { Limited } from '../deadline.js';
import type { HttpRequest, HttpResponse, Memory, Timeouts, Transport } from '../types.js';

export interface Downloading extends Limited {
  readonly transport: Transport;
  readonly url: URL;
  readonly to: Target | StreamTarget;
  /** Sent to the origin of `url`, and nowhere else; lower-case names, nothing secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent to their own origin alone, and never with a signed link, which needs none. */
  readonly credentials?: {
    readonly origin: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly timeouts: Timeouts;
  /** Called at the first byte, at the last, and at most ten times a second between. */
  readonly onProgress?: (progress: Progress) => void;
  /** What the first bytes of a file are that is not wanted; no part of such a file stays. */
  readonly unwanted?: (head: Buffer) => string | undefined;
  /** A file that is longer is given up, and no part of it stays; undefined is no limit. */
  readonly maxBytes?: number;
}

export interface StreamTarget {
  readonly kind: 'stream';
  /** A promise means: no more until then. The stream owns the piece. */
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
  /** Whether an earlier run had brought a part of it. */
  readonly resumed: boolean;
}

/** The service answered with something that is not a file. Its body may still be read. */
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

export type Version = Omit<Source, 'id'>;

export interface Store {
  /** Bytes of `version` that are there, from its start on. */
  readonly bytes: number;
  readonly version: Version | undefined;
  /** Where they are best put; undefined when it is all the same. */
  readonly memory: Memory | undefined;
  /** From here on they are of this version, from its start on. @throws when it is too late for that. */
  begin(version: Version): void | Promise<void>;
  take(piece: Buffer): void | Promise<void>;
  flush(): Promise<void>;
}

/** Resolves at the head of the last answer, past redirects. @throws AttemptFailed; DownloadRefused */
export async function ask(
  { transport, observe, clock, timeouts, headers = {}, credentials, url: first }: Downloading,
  asked: Asked | undefined,
  attempt: number,
  more: Pick<HttpRequest, 'isBulk' | 'signal'>,
): Promise<HttpResponse> {
  const range = asked && { range: `bytes=${asked.from}-`, 'if-range': asked.etag };
  const needed = { accept: '*/*', 'accept-encoding': 'identity', ...range };
  let url = first;
  // The caller's own headers are sent only to the origin that it named.
  let isOwn = true;
  for (let hops = 0; ; hops += 1) {
    const needsKey = credentials?.origin === url.origin && !url.searchParams.has('sig');
    const own = isOwn && { ...headers, ...(needsKey ? credentials.headers : {}) };
    const request = { method: 'GET', url, headers: { ...own, ...needed }, timeouts, ...more };
    const startedAt = clock.now();
    observe?.({ kind: 'request', request, attempt });
    const response = await transport(request);
    const { status } = response;
    observe?.({ kind: 'answer', status, elapsedMs: clock.now() - startedAt });
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

export interface Asked {
  readonly from: number;
  readonly etag: string;
  readonly length: number | undefined;
}

/** What a body is of the file; undefined where the headers do not say it. */
export interface Body {
  /** Bytes of the file when it has ended. */
  readonly upTo: number | undefined;
  readonly total: number | undefined;
  readonly encoding?: string;
}

type Head = Pick<HttpResponse, 'status' | 'headers'>;

export function wholeOf(head: Head): { version: Version; body: Body } {
  const { headers } = head;
  const encoding = encodingOf(head);
  // What is decoded on its way has another length, and cannot be joined to.
  const length = encoding ? undefined : lengthOf(head);
  const etag = encoding ? undefined : strongEtag(headers['etag']);
  const version = { contentType: headers['content-type']?.slice(0, 200), etag, length };
  return { version, body: { upTo: length, total: length, encoding } };
}

/** A range fits when its headers confirm the request: the same version and the requested start. */
export function restOf(head: Head, { from, etag, length }: Asked): Body | undefined {
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

/** The ETag when it stands for the very bytes (RFC 9110, 8.8.3). */
function strongEtag(header: string | undefined): string | undefined {
  const etag = header?.trim() ?? '';
  return /^"[\x21\x23-\x7e\x80-\xff]{1,1000}"$/.test(etag) ? etag : undefined;
}

function lengthOf({ headers }: Head): number | undefined {
  const text = headers['content-length']?.trim() ?? '';
  if (headers['transfer-encoding'] !== undefined || !/^\d+$/.test(text)) return undefined;
  const length = Number(text);
  return Number.isSafeInteger(length) ? length : undefined;
}

function encodingOf({ headers }: Head): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding === '' || encoding === 'identity' ? undefined : encoding;
}

const maxRedirects = 5;

/** The next URL, or in words why it is not followed. */
export function redirectTarget(from: URL, location: string | undefined): URL | string {
  if (location === undefined || !URL.canParse(location, from.href)) return 'it points nowhere';
  const target = new URL(location, from.href);
  const where = plainText(target.host, 100);
  if (!/^https?:$/.test(target.protocol)) return 'it does not point to a web page';
  if (target.username !== '' || target.password !== '')
    return `it contains a user name or password for ${where}`;
  target.hash = '';
  if (target.origin === from.origin || target.protocol === 'https:') return target;
  // Only tests and services on this machine pass on to one another in the clear.
  if (isLoopback(from.hostname) && isLoopback(target.hostname)) return target;
  return `it points to ${where}, unencrypted`;
}
