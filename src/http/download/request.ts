/** One request for a file, over redirects, until the answer of whoever has it. */
import type { HttpRequest, HttpResponse } from '../types.js';
import { meaningOf, type Asked, type Meaning } from './head.js';
import { maxRedirects, ownHeaders, redirectTarget } from './redirect.js';
import { DownloadRefused, type Downloading } from './types.js';

export interface Answer {
  readonly response: HttpResponse;
  readonly meaning: Exclude<Meaning, { kind: 'redirect' }>;
}

export interface Asking {
  readonly asked: Asked | undefined;
  /** Whether the bytes are wanted in given memory. */
  readonly isBulk: boolean;
  readonly signal: AbortSignal | undefined;
  /** Counts from 1, for those who watch. */
  readonly attempt: number;
}

/**
 * Resolves at the head of the answer that is no redirect.
 * @throws AttemptFailed; DownloadRefused for a redirect that is not followed.
 */
export async function ask(options: Downloading, asking: Asking): Promise<Answer> {
  const { asked, attempt } = asking;
  let { url } = options;
  let hasLeft = false;
  for (let hops = 0; ; hops += 1) {
    const own = hasLeft ? {} : ownHeaders(url, options);
    const response = await observed(options, attempt, requestFor(url, own, options, asking));
    const meaning = meaningOf(response, asked);
    if (meaning.kind !== 'redirect') return { response, meaning };
    const target =
      hops < maxRedirects
        ? redirectTarget(url, response.headers['location'])
        : `it redirects more than ${maxRedirects} times`;
    if (typeof target === 'string') throw notFollowed(response, target);
    response.discard();
    hasLeft ||= target.origin !== url.origin;
    url = target;
  }
}

function requestFor(
  url: URL,
  own: Readonly<Record<string, string>>,
  { timeouts }: Downloading,
  { asked, isBulk, signal }: Asking,
): HttpRequest {
  const range = asked && { range: `bytes=${asked.from}-`, 'if-range': asked.etag };
  const headers = { ...own, accept: '*/*', 'accept-encoding': 'identity', ...range };
  return { method: 'GET', url, headers, timeouts, signal, isBulk };
}

async function observed(
  { transport, observe, clock }: Downloading,
  attempt: number,
  request: HttpRequest,
): Promise<HttpResponse> {
  const startedAt = clock.now();
  observe?.({ kind: 'request', request, attempt });
  const response = await transport(request);
  const { status } = response;
  observe?.({ kind: 'answer', status, elapsedMs: clock.now() - startedAt });
  return response;
}

function notFollowed(response: HttpResponse, why: string): DownloadRefused {
  const words = `the service answered ${response.status}: ${why}, and svc does not follow`;
  return new DownloadRefused(response, words);
}
