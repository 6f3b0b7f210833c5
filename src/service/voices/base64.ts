/** Decodes base64 that arrives in pieces, as it stands in a JSON string or a data: URI. */

/** The text is no base64; the message follows the name of the recording. */
export class NotBase64 extends Error {
  override readonly name = 'NotBase64';
}

/** A data: URI has its base64 behind this, and nothing else in it may be longer. */
const longestHead = 200;

/**
 * The bytes; at most one more than `mostBytes`, though all of the text is read and judged.
 * @throws NotBase64
 */
export async function* decodeBase64(
  text: AsyncIterable<Buffer> | Iterable<Buffer>,
  mostBytes: number,
): AsyncGenerator<Buffer> {
  let [held, given, isStart, isPadded] = ['', 0, true, false];
  for await (const piece of text) {
    held += piece.toString('latin1');
    if (isStart) held = afterHead(held);
    isStart = false;
    const rest = /\\$/.test(held) ? '\\' : '';
    const letters = plain(held.slice(0, held.length - rest.length));
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(letters) || (isPadded && letters !== '')) {
      throw new NotBase64('is not base64');
    }
    // Four letters are three bytes; what is left waits for the next piece.
    const whole = letters.length - (letters.length % 4);
    isPadded ||= letters.slice(0, whole).endsWith('=');
    held = letters.slice(whole) + rest;
    const bytes = Buffer.from(letters.slice(0, whole), 'base64');
    yield bytes.subarray(0, Math.max(0, mostBytes + 1 - given));
    given += bytes.length;
  }
  // The padding at the end may be left out.
  if (!/^([A-Za-z0-9+/_-]{2,3})?$/.test(held)) throw new NotBase64('is not base64');
  if (given + held.length === 0) throw new NotBase64('is empty');
  yield Buffer.from(held, 'base64').subarray(0, Math.max(0, mostBytes + 1 - given));
}

/** JSON may escape a slash and the ends of lines; base64 may be cut into lines. */
function plain(text: string): string {
  return text
    .replaceAll('\\/', '/')
    .replaceAll(/\\[nrt]/g, '')
    .replaceAll(/\s/g, '');
}

function afterHead(text: string): string {
  const head = text.slice(0, longestHead);
  if (!/^data:/i.test(head)) return text;
  const end = /^[^,]*;base64,/i.exec(head);
  if (!end) throw new NotBase64('is a data: URI, but not one of base64');
  return text.slice(end[0].length);
}
