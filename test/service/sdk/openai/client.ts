import OpenAI from 'openai';
import { keys } from '../../helpers.js';
import type { Peer } from '../peer.js';

interface ClientOptions {
  readonly key?: string;
  readonly maxRetries?: number;
}

/** A client of a peer, with the key that has money unless told otherwise. */
export function openai(
  peer: Pick<Peer, 'url'>,
  { key = keys.local, maxRetries = 0 }: ClientOptions = {},
): OpenAI {
  return new OpenAI({ baseURL: `${peer.url}/v1`, apiKey: key, maxRetries });
}

/** One message of a user. */
export function user(content: string) {
  return { role: 'user' as const, content };
}
