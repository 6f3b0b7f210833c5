/**
 * Keeps secrets out of everything a person may paste elsewhere: errors, verbose lines, dry runs.
 * Keys in use are remembered by value, so that a service that echoes one cannot leak it either.
 */
const secrets = new Set<string>();

const keyPattern = /\bsk-[A-Za-z0-9]+-[A-Za-z0-9_-]+/g;
const bearerPattern = /\b(Bearer\s+)[^\s"',]+/gi;
const signaturePattern = /([?&]sig=)[^&\s"'#]+/gi;

/** Remembers a secret for the life of the process, so that `redact` hides it by value. */
export function rememberSecret(secret: string): void {
  if (secret.length >= 6) secrets.add(secret);
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
