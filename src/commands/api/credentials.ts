/** By what a request of `svc api` proves who sends it. */
import type { Client } from '../../api/client.js';
import { authorization, refuseCleartext } from '../../api/headers.js';
import type { Context } from '../../cli/context.js';
import { keyHeaders, rememberHeader } from '../../lib/redact.js';
import type { Row } from './row.js';

type Headers = Readonly<Record<string, string>>;

/**
 * Holds what headers prove to what holds for the key: it is shown nowhere, and not sent in the clear.
 * @param headers by names in lower case.
 * @throws ConfigError when it cannot be sent so.
 */
export function guardSecrets({ baseUrl }: Client, headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!rememberHeader(name, value)) continue;
    if (keyHeaders.includes(name)) authorization({ key: value.split(/\s+/).at(-1), baseUrl });
    else refuseCleartext(baseUrl, 'key');
  }
}

/**
 * Whether the key goes along: not where the contract asks for none, nor beside another one that
 * a header gives.
 * @throws ConfigError when a key is needed and none is known.
 */
export async function carriesKey(
  context: Context,
  client: Client,
  { auth }: Row,
  headers: Headers,
): Promise<boolean> {
  if (auth === 'none' || auth === 'signature') return false;
  if (keyHeaders.some((name) => name in headers)) return false;
  if (client.key !== undefined) return true;
  if ('cookie' in headers) return false;
  // Asked for as required, it says why there is none.
  await context.client();
  return true;
}
