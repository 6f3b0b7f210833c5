/** What every FLAC stream of 16-bit samples has (RFC 9639): its description, and heads of blocks. */

/** How many samples of each channel a block holds; the last one holds what is left. */
export const blockFrames = 4096;
const bitsPerSample = 16;

/** A whole stream. */
export interface FlacStream {
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  /** How many samples each channel has. */
  readonly frames: number;
}

/** The sizes of blocks, the kind of samples, how many there are; no checksum of all. */
export function streamInfo({ sampleRate, channels, frames }: FlacStream): Uint8Array {
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

/** @param frames how many samples of each channel the block has */
export function blockHead(
  index: number,
  frames: number,
  { channels, sampleRate }: FlacStream,
): Uint8Array {
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

/** The checksum at the end of a block, of all that stands before it. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = ((crc << 8) & 0xffff) ^ (crc16Table[(crc >> 8) ^ byte] ?? 0);
  return crc;
}
