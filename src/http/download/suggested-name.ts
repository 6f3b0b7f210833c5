/** The name that a server gives a file: a hint, no more. */
import { safeFileName } from '../../lib/file-name.js';

/** By the Content-Disposition header (RFC 6266), else by the last part of the URL's path. */
export function suggestedName(disposition: string | undefined, url: URL): string | undefined {
  return nameIn(disposition?.slice(0, 8192) ?? '') ?? safeFileName(decoded(url.pathname));
}

function nameIn(disposition: string): string | undefined {
  const extended = /;\s*filename\*\s*=\s*([\w-]+)'[^']*'([^\s;]+)/i.exec(disposition);
  const name = extended && decodedAs(extended[1] ?? '', extended[2] ?? '');
  if (name) return safeFileName(name);
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(disposition);
  const text = plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2];
  return text === undefined ? undefined : safeFileName(utf8(text));
}

/** RFC 8187: percent-encoded bytes of a character set. */
function decodedAs(charset: string, text: string): string | undefined {
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  if (/^utf-8$/i.test(charset)) return utf8(bytes);
  return /^iso-8859-1$/i.test(charset) ? bytes : undefined;
}

/** Headers arrive one byte a character; most servers write UTF-8. */
function utf8(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
