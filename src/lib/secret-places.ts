/** Where secrets stand in bytes: in plain, percent-encoded and base64, whatever is around them. */
import { knownSecrets, secretPatterns } from './redact.js';

/** From the first byte of a secret to the one after its last. */
type Place = readonly [start: number, end: number];

/** A query's parameter that is a secret by its name. */
const parameter =
  /([?&](?:key|(?:[\w.~-]{0,40}[-_.])?(?:(?:api|access)[-_]?key|[a-z]{0,20}token|secret|signature|sig|password|credential|session))=)[^&\s"'<>#\\]+/gi;
/** A signature within a link that is itself encoded. */
const encodedSignature = /(?<![a-z])(sig%3D)(?:(?!%26)[\w%.~-])+/gi;

let forms: { readonly of: readonly string[]; readonly pattern: RegExp } | undefined;

/** @param onlyKnown in results, which a pattern could change */
export function secretPlaces(bytes: Buffer, onlyKnown: boolean): Place[] {
  const text = bytes.toString('latin1');
  const known = knownSecrets();
  if (forms?.of !== known) forms = { of: known, pattern: patternOf(known) };
  const patterns = onlyKnown ? [] : [...secretPatterns, parameter, encodedSignature];
  const ofKnown = known.length > 0 ? [forms.pattern] : [];
  return [...ofKnown, ...patterns].flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ({ 0: whole, 1: before = '', index }): Place => [
      index + before.length,
      index + whole.length,
    ]),
  );
}

/** The same bytes with an `x` for each byte of a secret: lengths and borders stay true. */
export function maskSecrets(bytes: Buffer, onlyKnown = false): Buffer {
  const places = secretPlaces(bytes, onlyKnown);
  if (places.length === 0) return bytes;
  const masked = Buffer.from(bytes);
  for (const [start, end] of places) masked.fill('x', start, end);
  return masked;
}

function patternOf(secrets: readonly string[]): RegExp {
  const all = [...new Set(secrets.flatMap(formsOf))].sort((one, two) => two.length - one.length);
  return new RegExp(all.map((form) => form.replace(/[^\w%]/g, '\\$&')).join('|'), 'g');
}

/** A secret as it may be written, one character for each byte. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const each = bytes.toString('hex').replace(/../g, '%$&');
  const percent = encodeURIComponent(secret);
  const plain = [secret, JSON.stringify(secret).slice(1, -1)];
  const encoded = [percent, percent.replace(/%../g, (one) => one.toLowerCase())];
  // The characters in which no bit is of a neighbour, after 0, 1 or 2 bytes of something else.
  const base64 = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const bits = 8 * (before + bytes.length);
    return text.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
  });
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const inUrl = base64.map(encodeURIComponent);
  const all = [...plain, ...encoded, each, each.toUpperCase(), ...base64, ...url, ...inUrl];
  return all.map((form) => Buffer.from(form).toString('latin1'));
}
