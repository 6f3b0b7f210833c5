/** H.264 (constrained baseline) of blocks as they are (I_PCM) or were (P_Skip): no compression. */
import { h264Entry, u32, type Track } from './mp4.js';
import type { Paint, Size } from './types.js';

export const framesPerSecond = 24;
const ticksPerFrame = 512;
const blockBytes = 384;

export interface Frame {
  readonly paint: Paint;
  /** The blocks in which it differs from the last one, in order; absent where a player can begin. */
  readonly blocks?: readonly number[];
}

/** Sides in blocks, and the numbers of all blocks. */
export function gridOf({ width, height }: Size) {
  const [columns, rows] = [Math.ceil(width / 16), Math.ceil(height / 16)];
  return { columns, rows, all: Array.from({ length: columns * rows }, (_, block) => block) };
}

/** An unsigned number as bits, ue(v). */
function ue(value: number): string {
  const code = (value + 1).toString(2);
  return '0'.repeat(code.length - 1) + code;
}

function fixed(value: number, bits: number): string {
  return value.toString(2).padStart(bits, '0');
}

/** Bits as bytes, with zeros up to the last whole one. */
function bytesOf(...bits: readonly string[]): Uint8Array {
  const all = bits.join('').match(/.{1,8}/g) ?? [];
  return Uint8Array.from(all, (byte) => Number.parseInt(byte.padEnd(8, '0'), 2));
}

/** The parameters of the sequence (7.3.2.1). */
function sequenceOf(size: Size): Uint8Array {
  const { columns, rows } = gridOf(size);
  const [right, bottom] = [(columns * 16 - size.width) / 2, (rows * 16 - size.height) / 2];
  const level = columns * rows <= 8192 ? 40 : 51;
  // 8 bits of picture number, pictures in the order they are shown, one reference.
  const head = ['011001110100001011000000', fixed(level, 8), '1', ue(4), ue(2), ue(1), '0'];
  // What of the last blocks is not shown, in pairs of pixels.
  const crop = ['1', ue(0), ue(right), ue(0), ue(bottom)];
  // BT.709 in limited range.
  const colors = ['100110101', '00000001'.repeat(3), '0000001'];
  return bytesOf(...head, ue(columns - 1), ue(rows - 1), '11', ...crop, ...colors);
}

/** One slice group, one reference, CAVLC; the slice says that edges are not filtered (7.3.2.2). */
const pictureParameters = Uint8Array.of(0x68, 0xce, 0x3c, 0x80);

/** The NAL unit of a frame in pieces, each block as `draw` gives it. */
function* unitOf(
  count: number,
  sinceKey: number,
  blocks: readonly number[],
  draw: (block: number) => Uint8Array,
): Generator<Uint8Array> {
  const isKey = sinceKey === 0;
  // First block, kind of slice, parameters, number; then what the kind asks for, and no filter.
  const [unit, slice, own] = isKey ? ['01100101', 7, `${ue(0)}00`] : ['01100001', 5, '000'];
  let bits = unit + ue(0) + ue(slice) + ue(0) + fixed(sinceKey % 256, 8) + own + ue(0) + ue(1);
  let next = 0;
  for (const block of blocks) {
    // Among changes, how many blocks are skipped stands before each, and kinds count from 5 on.
    yield bytesOf(bits, isKey ? ue(25) : ue(block - next) + ue(30));
    yield draw(block);
    bits = '';
    next = block + 1;
  }
  if (!isKey && next < count) bits += ue(count - next);
  yield bytesOf(bits, '1');
}

/** The samples of a block: 256 of brightness, 64 each of two colors (BT.709, limited range). */
function rawBlock({ width, height }: Size, left: number, top: number, paint: Paint): Uint8Array {
  const samples = new Uint8Array(blockBytes);
  const sums = new Float32Array(128);
  for (let y = 0; y < 16; y++) {
    for (let x = 0; x < 16; x++) {
      const column = Math.min(width - 1, left + x) + 0.5;
      const [r, g, b] = paint(column, Math.min(height - 1, top + y) + 0.5);
      samples[y * 16 + x] = 16.5 + 0.18259 * r + 0.61423 * g + 0.06201 * b;
      const at = (y >> 1) * 8 + (x >> 1);
      sums[at] = (sums[at] ?? 0) - 0.10064 * r - 0.33857 * g + 0.43922 * b;
      sums[64 + at] = (sums[64 + at] ?? 0) + 0.43922 * r - 0.39894 * g - 0.04027 * b;
    }
  }
  for (const [at, sum] of sums.entries()) samples[256 + at] = 128.5 + sum / 4;
  return samples;
}

/** Frames as a track. They are drawn when they are read, so that a long film takes no memory. */
export function videoTrack(size: Size, frames: readonly Frame[]): Track {
  const { columns, all } = gridOf(size);
  const blank = new Uint8Array(blockBytes);
  const lengthOf = (sinceKey: number, blocks: readonly number[]) => {
    const pieces = unitOf(all.length, sinceKey, blocks, () => blank);
    return [...pieces].reduce((sum, { length }) => sum + length, 0);
  };
  const keyBytes = lengthOf(0, all);
  let sinceKey = -1;
  const units = frames.map(({ paint, blocks }) => {
    sinceKey = blocks ? sinceKey + 1 : 0;
    const byteLength = blocks ? lengthOf(sinceKey, blocks) : keyBytes;
    return { paint, sinceKey, blocks: blocks ?? all, byteLength };
  });
  return {
    timescale: framesPerSecond * ticksPerFrame,
    ticksPerSample: ticksPerFrame,
    ticks: frames.length * ticksPerFrame,
    entry: h264Entry(size, sequenceOf(size), pictureParameters),
    sampleBytes: units.map(({ byteLength }) => 4 + byteLength),
    keys: units.flatMap((unit, index) => (unit.sinceKey === 0 ? [index + 1] : [])),
    size,
    bytes: async function* () {
      for (const { paint, sinceKey, blocks, byteLength } of units) {
        const draw = (block: number) =>
          rawBlock(size, (block % columns) * 16, Math.floor(block / columns) * 16, paint);
        const held = [u32(byteLength)];
        for (const piece of unitOf(all.length, sinceKey, blocks, draw)) {
          held.push(piece);
          if (held.length < 2 * columns) continue;
          yield Buffer.concat(held.splice(0));
          // Whoever waits for the keyboard or the network gets a turn.
          await new Promise(setImmediate);
        }
        yield Buffer.concat(held);
      }
    },
  };
}
