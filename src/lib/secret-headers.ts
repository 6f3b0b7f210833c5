/** Which headers prove who sends them, and what in them nobody else may see. */
import { rememberSecret } from './redact.js';

/** Those that hold the key of the service, in lower case. */
export const keyHeaders: readonly string[] = ['authorization', 'x-api-key'];

const secretName =
  /authorization|\bauth\b|(?:api|access)-key|cookie|token|secret|password|session|credential|signature/;

/**
 * `Bearer `, or nothing, when the rest of the header is a secret; undefined when it holds none.
 * @param name in lower case.
 */
export function secretScheme(name: string, value: string): string | undefined {
  if (!secretName.test(name)) return undefined;
  return name.includes('authorization') ? (/^[a-z]+ +/i.exec(value)?.[0] ?? '') : '';
}

/**
 * Remembers the secret of a header, so that `redact` hides it: as a whole, and each of its values,
 * for a service may answer with one cookie alone.
 * @param name in lower case.
 * @returns whether it holds one.
 */
export function rememberHeader(name: string, value: string): boolean {
  const scheme = secretScheme(name, value);
  if (scheme === undefined) return false;
  const secret = value.slice(scheme.length).trim();
  rememberSecret(secret);
  for (const part of secret.split(/[;,]\s*/)) {
    rememberSecret(part);
    rememberSecret(part.replace(/^[^=]*=/, '').replace(/^"(.*)"$/, '$1'));
  }
  return true;
}
