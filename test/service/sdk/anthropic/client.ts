import Anthropic from '@anthropic-ai/sdk';
import { keys } from '../../helpers.js';
import type { Peer } from '../peer.js';

interface ClientOptions {
  readonly key?: string;
  readonly maxRetries?: number;
  /** Beside the package's own; null takes one of them away. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** A client of a peer, with the key that has money unless told otherwise. */
export function anthropic(
  peer: Pick<Peer, 'url'>,
  { key = keys.local, maxRetries = 0, headers }: ClientOptions = {},
): Anthropic {
  return new Anthropic({
    baseURL: peer.url,
    apiKey: key,
    authToken: null,
    maxRetries,
    defaultHeaders: headers,
  });
}

/** One message of a user. */
export function user<Content>(content: Content) {
  return { role: 'user' as const, content };
}
