/**
 * Keeps secrets out of everything a person may paste elsewhere: errors, verbose lines, dry runs.
 * Keys in use are remembered by value, so that a service that echoes one cannot leak it either.
 */
import { isRecord } from './json.js';

let secrets: readonly string[] = [];

const keyPattern = /\bsk-[A-Za-z0-9]+-[A-Za-z0-9_-]+/g;
// What follows is a token when it is long or has a digit: "a bearer token" is no secret.
const bearerPattern = /\b(Bearer\s+)(?=[^\s"',]{20}|[^\s"',]*\d)[^\s"',]+/gi;
// Also where the ampersand is written as an escape or an entity.
const signaturePattern = /(?<![a-z])(sig=)[^&\s"'#\\]+/gi;

/** Remembers a secret for the life of the process, so that `redact` hides it by value. */
export function rememberSecret(secret: string): void {
  if (secret.length < 6 || secrets.includes(secret)) return;
  // The longest first: a shorter one may be its beginning.
  secrets = [...secrets, secret].sort((one, other) => other.length - one.length);
}

/** Forgets them all, for whoever runs svc several times in one process. */
export function forgetSecrets(): void {
  secrets = [];
}

/** A JSON value without the secrets in its texts and names. */
export function redactJson(value: unknown): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(redactJson);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [redact(name), redactJson(inner)]),
  );
}

/** Hides keys, bearer tokens and link signatures in a text. */
export function redact(text: string): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, '[key]');
  return clean
    .replace(bearerPattern, '$1[key]')
    .replace(keyPattern, '[key]')
    .replace(signaturePattern, '$1[sig]');
}
