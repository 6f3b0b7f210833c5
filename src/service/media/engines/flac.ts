/** FLAC of 16-bit samples (RFC 9639), each sample as it is: for speech, and for sound in films. */
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { voiceSoftware } from './types.js';
import type { Sound, SoundFormat } from './wav.js';

/** How many samples of each channel a block holds; the last one holds what is left. */
export const blockFrames = 4096;
const lastBlock = 0x80;
const commentBlock = 4;
const headBytes = 42;
/** The field of a comment that holds the words. */
const wordsField = 'LYRICS=';
/** A comment larger than this holds no text of ours. */
const mostCommentBytes = 1024 * 1024;

/** The sizes of blocks, the kind of samples, how many there are; no checksum of all. */
export function streamInfo({ sampleRate, channels, frames }: SoundFormat): Buffer {
  const bytes = Buffer.alloc(34);
  bytes.writeUInt16BE(blockFrames, 0);
  bytes.writeUInt16BE(blockFrames, 2);
  // 20 bits of rate, 3 of channels, 5 of depth; then 36 of length.
  bytes.writeUInt32BE(((sampleRate << 12) | ((channels - 1) << 9) | (15 << 4)) >>> 0, 10);
  bytes[13] = bytes.readUInt8(13) | Math.floor(frames / 2 ** 32);
  bytes.writeUInt32BE(frames % 2 ** 32, 14);
  return bytes;
}

/** How many samples of each channel the block with this number has. */
export function framesIn({ frames }: SoundFormat, index: number): number {
  return Math.min(blockFrames, frames - index * blockFrames);
}

/** How many bytes that block has. */
export function blockBytes(format: SoundFormat, index: number): number {
  return blockHead(format, index).length + format.channels * (1 + framesIn(format, index) * 2) + 2;
}

/** @param samples those of the block, channels interleaved */
export function block(format: SoundFormat, index: number, samples: Int16Array): Buffer {
  const { channels } = format;
  const bytes = Buffer.alloc(blockBytes(format, index));
  let at = Buffer.from(blockHead(format, index)).copy(bytes);
  for (let channel = 0; channel < channels; channel++) {
    bytes[at++] = 0x02; // verbatim
    for (let frame = 0; frame < framesIn(format, index); frame++) {
      at = bytes.writeInt16BE(samples[frame * channels + channel] ?? 0, at);
    }
  }
  bytes.writeUInt16BE(checksum(bytes.subarray(0, at), 16, 0x8005), at);
  return bytes;
}

function blockHead(format: SoundFormat, index: number): readonly number[] {
  const { channels, sampleRate } = format;
  const last = framesIn(format, index) - 1;
  // The rate stands in every block where it fits, so that a decoder can begin at any.
  const rate = sampleRate < 65_536 ? [sampleRate >> 8, sampleRate & 255] : [];
  const head = [
    ...[0xff, 0xf8, 0x70 | (rate.length > 0 ? 13 : 0), ((channels - 1) << 4) | (4 << 1)],
    // In the way UTF-8 codes letters, which is what block numbers have.
    ...Buffer.from(String.fromCodePoint(index), 'utf8'),
    ...[last >> 8, last & 255, ...rate],
  ];
  return [...head, checksum(head, 8, 0x07)];
}

function checksum(bytes: Iterable<number>, width: 8 | 16, polynomial: number): number {
  const top = 1 << (width - 1);
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) sum = (sum << 1) ^ (sum & top ? polynomial : 0);
    sum &= (1 << width) - 1;
  }
  return sum;
}

/** The bytes of a FLAC file with words in its comment. */
export async function* encodeFlac(sound: Sound, words: string): AsyncGenerator<Uint8Array> {
  const body = Buffer.from(words, 'utf8');
  const lead = commentLead(body.length);
  const commentHead = Buffer.alloc(4);
  commentHead.writeUInt32BE(lead.length + body.length);
  commentHead[0] = lastBlock | commentBlock;
  const start = Buffer.from('fLaC\0\0\0\x22', 'latin1');
  yield Buffer.concat([start, streamInfo(sound), commentHead, lead, body]);
  const held = new Int16Array(blockFrames);
  let [filled, index] = [0, 0];
  for (const piece of sound.pieces()) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + blockFrames - filled);
      held.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled < blockFrames) continue;
      yield block(sound, index++, held);
      filled = 0;
    }
    await new Promise(setImmediate);
  }
  if (filled > 0) yield block(sound, index, held);
}

/** What stands in a comment before the words: the writer, and the head of the only field. */
function commentLead(wordsBytes: number): Buffer {
  const { length } = voiceSoftware;
  const lead = Buffer.alloc(4 + length + 8 + wordsField.length);
  lead.writeUInt32LE(length);
  lead.write(voiceSoftware, 4);
  lead.writeUInt32LE(1, 4 + length);
  lead.writeUInt32LE(wordsField.length + wordsBytes, 8 + length);
  lead.write(wordsField, 12 + length);
  return lead;
}

/** The words of a file that `encodeFlac` made; undefined for any other, and for one cut short. */
export async function readFlacWords(source: SizedSource): Promise<string | undefined> {
  const head = await exactly(source, 8, 38);
  if (head.length < 38 || head[34] !== (lastBlock | commentBlock)) return undefined;
  const length = head.readUIntBE(35, 3);
  if (length > mostCommentBytes) return undefined;
  const comment = await exactly(source, headBytes + 4, length);
  const lead = commentLead(length - commentLead(0).length);
  if (!comment.subarray(0, lead.length).equals(lead)) return undefined;
  const sampleRate = head.readUIntBE(10, 3) >> 4;
  const frames = head.readUIntBE(13, 5) % 2 ** 36;
  const format: SoundFormat = { sampleRate, channels: 1, frames };
  let end = headBytes + 4 + length;
  for (let index = 0; index * blockFrames < frames && end < source.length; index++) {
    end += blockBytes(format, index);
  }
  return end === source.length ? comment.toString('utf8', lead.length) : undefined;
}
