/** Where a redirect may lead, and what goes along. */
import { isLoopback } from '../../lib/loopback.js';
import { plainText } from '../../lib/plain-text.js';
import type { Downloading } from './types.js';

export const maxRedirects = 5;

/** The next URL, or in words why it is not followed. */
export function redirectTarget(from: URL, location: string | undefined): URL | string {
  if (location === undefined || !URL.canParse(location, from.href)) return 'it points nowhere';
  const target = new URL(location, from.href);
  const where = plainText(target.host, 100);
  if (target.protocol !== 'https:' && target.protocol !== 'http:')
    return 'it points to no web page';
  if (target.username !== '' || target.password !== '') return `it points to a login at ${where}`;
  target.hash = '';
  if (target.origin === from.origin || target.protocol === 'https:') return target;
  // Only tests and services on this machine pass on to one another in the clear.
  if (isLoopback(from.hostname) && isLoopback(target.hostname)) return target;
  return `it points to ${where}, unencrypted`;
}

/**
 * What is sent to a URL of the origin that the caller named, beside what the transfer needs. The
 * key goes to its own origin, and never with a signed link.
 */
export function ownHeaders(
  url: URL,
  { headers, credentials }: Pick<Downloading, 'headers' | 'credentials'>,
): Readonly<Record<string, string>> {
  const needsKey = credentials?.origin === url.origin && !url.searchParams.has('sig');
  return { ...headers, ...(needsKey ? credentials.headers : {}) };
}
