/** Puts samples into a film as FLAC (RFC 9639), each as it is: players know no plain samples. */
import { flacEntry } from '../mp4/entries.js';
import type { Sample, Track } from '../mp4/write.js';
import type { Samples } from './samples.js';

const blockFrames = 4096;
const bitsPerSample = 16;
const verbatim = 0x02;

export function flacTrack(samples: Samples): Track {
  const { sampleRate, channels, frames } = samples;
  const blocks = Math.ceil(frames / blockFrames);
  return {
    kind: 'audio',
    timescale: sampleRate,
    ticksPerSample: blockFrames,
    ticks: frames,
    entry: flacEntry({ channels, sampleRate }, streamInfo(samples)),
    samples: Array.from({ length: blocks }, (_, index) => block(samples, index)),
  };
}

/** The sizes of blocks, the kind of samples, how many there are; no checksum of all. */
function streamInfo({ sampleRate, channels, frames }: Samples): Uint8Array {
  const bytes = Buffer.alloc(34);
  bytes.writeUInt16BE(blockFrames, 0);
  bytes.writeUInt16BE(blockFrames, 2);
  // 20 bits of rate, 3 of channels, 5 of depth; then 36 of length.
  bytes.writeUInt32BE(
    ((sampleRate << 12) | ((channels - 1) << 9) | ((bitsPerSample - 1) << 4)) >>> 0,
    10,
  );
  bytes[13] = (bytes[13] ?? 0) | Math.floor(frames / 2 ** 32);
  bytes.writeUInt32BE(frames % 2 ** 32, 14);
  return bytes;
}

function block(samples: Samples, index: number): Sample {
  const { channels } = samples;
  const from = index * blockFrames;
  const frames = Math.min(blockFrames, samples.frames - from);
  const head = blockHead(index, frames, samples);
  const byteLength = head.length + channels * (1 + frames * 2) + 2;
  return {
    byteLength,
    isKey: true,
    bytes: async () => {
      const heard = await samples.read(from, from + frames);
      return blockBytes(head, heard, frames, channels);
    },
  };
}

function blockBytes(
  head: Uint8Array,
  heard: Int16Array,
  frames: number,
  channels: number,
): Uint8Array {
  const bytes = Buffer.alloc(head.length + channels * (1 + frames * 2) + 2);
  bytes.set(head);
  let at = head.length;
  for (let channel = 0; channel < channels; channel++) {
    bytes[at++] = verbatim;
    for (let frame = 0; frame < frames; frame++) {
      at = bytes.writeInt16BE(heard[frame * channels + channel] ?? 0, at);
    }
  }
  bytes.writeUInt16BE(crc16(bytes.subarray(0, at)), at);
  return bytes;
}

function blockHead(index: number, frames: number, { channels, sampleRate }: Samples): Uint8Array {
  const sizeFollows = 7;
  const sixteenBits = 4;
  const rate = rateOf(sampleRate);
  const head = [
    0xff,
    0xf8,
    (sizeFollows << 4) | rate.code,
    ((channels - 1) << 4) | (sixteenBits << 1),
    ...codedNumber(index),
    ...twoBytes(frames - 1),
    ...rate.bytes,
  ];
  return Uint8Array.from([...head, crc8(head)]);
}

/** The rate stands in every block, so that a decoder can begin at any: in hertz, or in tens. */
function rateOf(sampleRate: number): { code: number; bytes: readonly number[] } {
  if (sampleRate < 65_536) return { code: 13, bytes: twoBytes(sampleRate) };
  if (sampleRate % 10 === 0 && sampleRate < 655_360) {
    return { code: 14, bytes: twoBytes(sampleRate / 10) };
  }
  return { code: 0, bytes: [] };
}

function twoBytes(value: number): readonly number[] {
  return [value >> 8, value & 255];
}

/** A number in the way UTF-8 codes letters, which goes on further than letters do. */
function codedNumber(value: number): readonly number[] {
  if (value < 0x80) return [value];
  const rest: number[] = [];
  let left = value;
  // The first byte has room for fewer bits with every byte that follows.
  while (left >= 1 << (6 - rest.length)) {
    rest.unshift(0x80 | (left & 0x3f));
    left >>= 6;
  }
  const marks = (0xff << (7 - rest.length)) & 0xff;
  return [marks | left, ...rest];
}

function crc8(bytes: readonly number[]): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x80 ? (crc << 1) ^ 0x07 : crc << 1) & 0xff;
  }
  return crc;
}

const crc16Table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x8005 : crc << 1;
  return crc & 0xffff;
});

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = ((crc << 8) & 0xffff) ^ (crc16Table[(crc >> 8) ^ byte] ?? 0);
  return crc;
}
