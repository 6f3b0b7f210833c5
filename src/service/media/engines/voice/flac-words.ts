/** Reads the words that a FLAC file of local/voice has in its comment. */
import { blockFrames, blockHead, crc16 } from '../flac/block.js';
import { bufferOf } from '../sources.js';
import type { ByteSource } from '../types.js';
import { software, wordsField } from './marks.js';

const commentBlock = 4;
/** A file of more blocks before its sound is none of ours. */
const mostBlocks = 16;
/** A comment larger than this holds no text of ours. */
const mostCommentBytes = 1024 * 1024;
/** No block is larger. */
const mostBlockBytes = 32 * 1024;

/** The words of a file of ours; undefined for any other, and for one that was cut short. */
export async function readFlacWords(source: ByteSource): Promise<string | undefined> {
  const info = bufferOf(await source.read(8, 34));
  for (let at = 4, count = 0; at + 4 <= source.byteLength && count < mostBlocks; count++) {
    const head = bufferOf(await source.read(at, 4));
    const [kind, length] = [head.readUInt8(0), head.readUIntBE(1, 3)];
    if ((kind & 0x7f) === commentBlock && length <= mostCommentBytes) {
      const words = wordsOf(bufferOf(await source.read(at + 4, length)), length);
      return words !== undefined && (await isWhole(source, info)) ? words : undefined;
    }
    if (kind >= 0x80) break;
    at += 4 + length;
  }
  return undefined;
}

function wordsOf(comment: Buffer, length: number): string | undefined {
  if (comment.length < length) return undefined;
  const strings: string[] = [];
  for (let at = 0; at + 4 <= comment.length;) {
    const end = at + 4 + comment.readUInt32LE(at);
    if (end > comment.length) return undefined;
    strings.push(comment.toString('utf8', at + 4, end));
    // After the name of the writer comes the number of fields.
    at = strings.length === 1 ? end + 4 : end;
  }
  const [writer, ...fields] = strings;
  const name = `${wordsField}=`;
  const words = fields.filter((field) => field.startsWith(name));
  if (writer !== software || words.length === 0) return undefined;
  return words.map((field) => field.slice(name.length)).join('');
}

/** Whether the last block that the file speaks of stands at its end, without a fault. */
async function isWhole(source: ByteSource, info: Buffer): Promise<boolean> {
  if (info.length < 34) return false;
  const sampleRate = info.readUIntBE(10, 3) >> 4;
  const frames = ((info[13] ?? 0) & 15) * 2 ** 32 + info.readUInt32BE(14);
  if (frames === 0) return false;
  const index = Math.ceil(frames / blockFrames) - 1;
  const head = blockHead(index, frames - index * blockFrames, { sampleRate, channels: 1, frames });
  const from = Math.max(0, source.byteLength - mostBlockBytes);
  const end = bufferOf(await source.read(from, mostBlockBytes));
  const at = end.lastIndexOf(head);
  return at >= 0 && crc16(end.subarray(at)) === 0;
}
