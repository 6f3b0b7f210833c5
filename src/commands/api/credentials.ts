/** By what a request of `svc api` proves who sends it. */
import type { Client } from '../../api/client.js';
import { authorization } from '../../api/headers.js';
import type { Context } from '../../cli/context.js';
import { rememberSecret } from '../../lib/redact.js';
import type { Row } from './row.js';

/**
 * Whether the key goes along: not where the contract asks for none, nor beside another one that
 * a header gives.
 * @throws ConfigError when a key is needed and none is known, or a secret would travel in the clear.
 */
export async function carriesKey(
  context: Context,
  client: Client,
  { auth }: Row,
  headers: Readonly<Record<string, string>>,
): Promise<boolean> {
  for (const name of ['authorization', 'x-api-key', 'cookie']) {
    const secret = headers[name]?.split(/\s+/).at(-1);
    if (secret === undefined) continue;
    rememberSecret(secret);
    // It is held to what holds for the key.
    authorization({ key: secret, baseUrl: client.baseUrl });
  }
  if (auth === 'none' || auth === 'signature') return false;
  if ('authorization' in headers || 'x-api-key' in headers) return false;
  if (client.key !== undefined) return true;
  if ('cookie' in headers) return false;
  // Asked for as required, it says why there is none.
  await context.client();
  return true;
}
