/** Foreign text, decoded and reduced to one line. */

// Control characters, line separators, and marks that change the direction of the following text.
const unfit = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
// Direction marks without width: they are removed, not replaced.
const marks = /[\u061c\u200e\u200f]+/g;

/** What a terminal does not show, or shows as a usual space. Reading these classes takes 1 ms. */
export const hidden = () => /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** One line without control characters, of at most `maxLength` characters; `…` marks a cut. */
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

/** UTF-8 text; `keepsMark` keeps a byte order mark; `isCut` allows a truncated last character. */
export function utf8Text(bytes: Uint8Array, how: { keepsMark?: boolean; isCut?: boolean } = {}) {
  const { keepsMark: ignoreBOM = false, isCut: stream = false } = how;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM }).decode(bytes, { stream });
  } catch {
    return undefined;
  }
}

/** What a person's program wrote: UTF-8, or UTF-16 with its mark, as `>` does in PowerShell 5. */
export function writtenText(bytes: Uint8Array, how: { keepsMark?: boolean } = {}) {
  const wide = utf16Of(bytes);
  return wide ? wide.decode(bytes) : utf8Text(bytes, how);
}

/** The decoder of a text that starts with the mark of UTF-16. */
export function utf16Of([first, second]: Uint8Array) {
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  return first === 0xfe && second === 0xff ? new TextDecoder('utf-16be') : undefined;
}

/** A blank line separates two texts; one alone stays unchanged, byte for byte. */
export function joinText(piped: string, words: string): string {
  if (piped.trim() === '') return words.trim() === '' ? piped : words;
  if (words.trim() === '') return piped;
  return `${piped}${piped.endsWith('\n') ? '\n' : '\n\n'}${words}`;
}
