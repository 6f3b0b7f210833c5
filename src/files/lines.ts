/** Text that arrives in pieces, as lines. */
import { isUtf8 } from 'node:buffer';
import { UsageError } from '../errors.js';
import { utf16Of } from '../lib/plain-text.js';

/**
 * Blocks of complete lines, without line ends (LF or CR LF; with `isCr`, also CR alone). UTF-16 with
 * its mark becomes UTF-8.
 * @param maxBytes the longest line; what is longer is not read into memory
 */
export async function* lineBlocks(
  pieces: AsyncIterable<Buffer>,
  maxBytes: number,
  tooLong: (line: number) => Error,
  isCr = false,
): AsyncGenerator<string[], void, undefined> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let number = 1;
  let utf16: ReturnType<typeof utf16Of>;
  for await (const raw of pieces) {
    if (number === 1 && restBytes === 0) utf16 ??= utf16Of(raw);
    const text = utf16 ? Buffer.from(utf16.decode(raw, { stream: true })) : raw;
    const piece = isCr ? text.map((byte) => (byte === 0x0d ? 0x0a : byte)) : text;
    const end = piece.lastIndexOf(0x0a);
    if (end !== -1) {
      const lines = linesIn(Buffer.concat([...rest, piece.subarray(0, end)]), number);
      number += lines.length;
      yield lines;
      rest = [];
      restBytes = 0;
    }
    const open = piece.subarray(end + 1);
    if (open.length === 0) continue;
    // A copy: the rest of a piece must not keep all of it in memory.
    rest.push(Buffer.from(open));
    restBytes += open.length;
    if (restBytes > maxBytes) throw tooLong(number);
  }
  if (restBytes > 0) yield linesIn(Buffer.concat(rest), number);
}

/** @param first the number of the first line, which may have a byte order mark. */
function linesIn(bytes: Buffer, first: number): string[] {
  if (!isUtf8(bytes)) {
    const lines = bytes.toString('latin1').split('\n');
    const broken = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
    throw new UsageError(`line ${first + broken} is not UTF-8 text`, { code: 'not_text' });
  }
  const text = bytes.toString('utf8');
  return (first === 1 ? text.replace(/^\ufeff/, '') : text)
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}
