/** Removes secrets from anything that a person may share: errors, verbose lines, dry runs, results. */
import { isRecord, parsedJson, withDigits } from './json.js';

let secrets: readonly string[] = [];
/** Those of JSON in which a secret may be written; a usual key has no quotes or control characters. */
const usualEscapes = /\\[u/]/;
let escapes = usualEscapes;

const keyPattern = /\bsk-[A-Za-z0-9]+-[A-Za-z0-9_-]+/g;
// A long word or one with a digit is a token: "a bearer token" is not a secret.
const bearerPattern = /\b(Bearer\s+)(?=[^\s"',]{20}|[^\s"',]*\d)[^\s"',]+/gi;
// Also with the ampersand as an escape or an entity.
const signaturePattern = /(?<![a-z])(sig=)[^&\s"'#\\]+/gi;

export function rememberSecret(secret: string): void {
  if (secret.length < 6 || secrets.includes(secret)) return;
  secrets = [...secrets, secret].sort((one, other) => other.length - one.length);
  if (/["\\\p{Cc}]/u.test(secret)) escapes = /\\/;
}

/** What `rememberSecret` was given, the longest first; another list after each new one. */
export const knownSecrets = (): readonly string[] => secrets;

/** What looks like a secret; what stands before it, if anything, is the first group. */
export const secretPatterns = [bearerPattern, keyPattern, signaturePattern] as const;

export function forgetSecrets(): void {
  secrets = [];
  escapes = usualEscapes;
}

/** The same JSON value with each text, including names, changed. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  const inner = (item: unknown) => mapTexts(item, change);
  if (Array.isArray(value)) return withDigits(value.map(inner), value);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).map(([name, item]) => [change(name), inner(item)]);
  return withDigits(Object.fromEntries(fields), value);
}

export const redactJson = (value: unknown): unknown => mapTexts(value, redact);

/** For results, which are paid for: a pattern could change them, so only known secrets go. */
export const withoutSecrets = (text: string): string =>
  secrets.reduce((clean, secret) => clean.replaceAll(secret, '[key]'), text);

/** The same for the texts in JSON, which may hold a secret in escapes. All else keeps its bytes. */
export function jsonWithoutSecrets(json: string): string {
  if (!escapes.test(json) && !secrets.some((secret) => json.includes(secret))) return json;
  return json.replace(/"(?:[^"\\]+|\\.)*"/g, (literal) => {
    const text = String(parsedJson(literal));
    const clean = withoutSecrets(text);
    return clean === text ? literal : JSON.stringify(clean);
  });
}

/** For what svc itself says: also what looks like a secret goes. */
export function redact(text: string): string {
  return withoutSecrets(text)
    .replace(bearerPattern, '$1[key]')
    .replace(keyPattern, '[key]')
    .replace(signaturePattern, '$1[sig]');
}

/** Lower-case names of the headers for the service's key. */
export const keyHeaders: readonly string[] = ['authorization', 'x-api-key'];

const secretName =
  /authorization|\bauth\b|(?:api|access)-key|cookie|token|secret|password|session|credential|signature/;

/** The text before a header's secret: `Bearer ` or nothing; undefined when it has none. */
export function secretScheme(name: string, value: string): string | undefined {
  if (!secretName.test(name)) return undefined;
  return name.includes('authorization') ? (/^[a-z]+ +/i.exec(value)?.[0] ?? '') : '';
}

/** Remembers a header's secret as a whole and in parts: a service may echo a single cookie. */
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
