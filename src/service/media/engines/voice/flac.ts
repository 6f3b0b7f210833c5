/** Speech as FLAC (RFC 9639): the text in a comment, then blocks of one channel. */
import { blockFrames, blockHead, crc16, streamInfo } from '../flac/block.js';
import { BitWriter } from '../h264/bits.js';
import type { Sound } from '../wav/write.js';
import { software, wordsField } from './marks.js';

const lastBlock = 0x80;
const commentBlock = 4;
/** A sample is told by how far it is from where the two before it lead. */
const order = 2;
const mostRiceBits = 14;

/** The bytes of a FLAC file. */
export async function* encodeFlac(sound: Sound, text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.concat([
    Buffer.from('fLaC', 'latin1'),
    metadata(0, streamInfo(sound)),
    metadata(lastBlock | commentBlock, comment(text)),
  ]);
  let index = 0;
  for (const samples of blocks(sound)) {
    yield block(samples, index, sound);
    // Blocks are long enough for the event loop to have its turn after each.
    if (index % 16 === 15) await new Promise(setImmediate);
    index += 1;
  }
}

function metadata(kind: number, content: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(content.length, 0);
  head[0] = kind;
  return Buffer.concat([head, content]);
}

function comment(text: string): Buffer {
  const counted = (value: string) => {
    const bytes = Buffer.from(value, 'utf8');
    return Buffer.concat([littleEndian(bytes.length), bytes]);
  };
  return Buffer.concat([counted(software), littleEndian(1), counted(`${wordsField}=${text}`)]);
}

function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function* blocks(sound: Sound): Generator<Int16Array> {
  const held = new Int16Array(blockFrames);
  let filled = 0;
  for (const piece of sound.pieces()) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + blockFrames - filled);
      held.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled === blockFrames) {
        yield held;
        filled = 0;
      }
    }
  }
  if (filled > 0) yield held.subarray(0, filled);
}

function block(samples: Int16Array, index: number, sound: Sound): Uint8Array {
  const writer = new BitWriter();
  for (const byte of blockHead(index, samples.length, sound)) writer.bits(byte, 8);
  const warm = Math.min(order, samples.length);
  // A block of next to nothing is told by its samples alone.
  const predicted = samples.length > order ? warm : 0;
  writer.bits((0x08 | predicted) << 1, 8);
  for (const sample of samples.subarray(0, predicted)) writer.bits(sample, 16);
  residuals(writer, samples, predicted);
  writer.align();
  const bytes = writer.toBytes();
  const sum = crc16(bytes);
  return Buffer.concat([bytes, Buffer.from([sum >> 8, sum & 255])]);
}

/** One partition, each number as a unary part and the bits of a Rice code. */
function residuals(writer: BitWriter, samples: Int16Array, from: number): void {
  const folded = new Uint32Array(samples.length - from);
  let total = 0;
  for (let at = from; at < samples.length; at++) {
    const [one = 0, two = 0] = from === 0 ? [] : [samples[at - 1], samples[at - 2]];
    const off = (samples[at] ?? 0) - (2 * one - two);
    const code = off < 0 ? -2 * off - 1 : 2 * off;
    folded[at - from] = code;
    total += code;
  }
  const mean = total / Math.max(1, folded.length);
  const rice = Math.min(mostRiceBits, Math.max(0, Math.floor(Math.log2(mean * 0.7 + 1))));
  writer.bits(0, 6);
  writer.bits(rice, 4);
  for (const code of folded) {
    for (let left = code >> rice; left > 0; left -= 16) writer.bits(0, Math.min(16, left));
    writer.bits(1, 1);
    if (rice > 0) writer.bits(code, rice);
  }
}
