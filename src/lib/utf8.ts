/**
 * The text that bytes are in UTF-8; undefined for any others, which would silently become
 * something else.
 * @param keepsMark whether a byte order mark at the start is part of it, for text that goes on to
 * the byte.
 */
export function utf8Text(bytes: Uint8Array, { keepsMark = false } = {}): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: keepsMark }).decode(bytes);
  } catch {
    return undefined;
  }
}
