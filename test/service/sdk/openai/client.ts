import OpenAI from 'openai';
import { recordOf } from '../../../../src/lib/json.js';
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
  const client = new OpenAI({ baseURL: `${peer.url}/v1`, apiKey: key, maxRetries });
  // Version 4 has the helpers of chat among what was new then.
  const { stream, runTools } = recordOf(recordOf(recordOf(client.beta)['chat'])['completions']);
  if (stream !== undefined) Object.assign(client.chat.completions, { stream, runTools });
  return client;
}

/** One message of a user. */
export function user(content: string) {
  return { role: 'user' as const, content };
}
