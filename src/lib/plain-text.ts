/** Foreign text: decoded, and made fit for one line. */

// Controls, line separators, and what turns the direction of the text that follows.
const unfit = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
// Marks of direction, which have no width: a terminal does not get them, nor a replacement.
const marks = /[\u061c\u200e\u200f]+/g;

/** One line without control characters, at most `maxLength` characters long; `…` marks a cut. */
export function plainText(text: string, maxLength = 500): string {
  // Characters beyond four times the limit cannot be shown: do not scan megabytes for them.
  const line = text
    .slice(0, maxLength * 4)
    .replace(unfit, ' ')
    .replace(marks, '')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  if (characters.length <= maxLength) return line;
  return `${characters.slice(0, maxLength - 1).join('')}…`;
}

/** The text that bytes are in UTF-8, with `keepsMark` also a byte order mark; `isCut` maybe in a character. */
export function utf8Text(bytes: Uint8Array, how: { keepsMark?: boolean; isCut?: boolean } = {}) {
  const { keepsMark: ignoreBOM = false, isCut: stream = false } = how;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM }).decode(bytes, { stream });
  } catch {
    return undefined;
  }
}
