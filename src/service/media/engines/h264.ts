/** H.264 (constrained baseline) of blocks as they are (I_PCM) or were (P_Skip): no compression. */
import type { Paint, Size } from './define.js';
import { h264Entry, u32, type Track } from './mp4.js';

export const framesPerSecond = 24;
const ticksPerFrame = 512;

export interface Frame {
  readonly paint: Paint;
  /** The blocks in which it differs from the last one, in order; absent where a player can begin. */
  readonly blocks?: readonly number[];
}

/** Sides in blocks of 16 x 16 pixels. */
export function gridOf({ width, height }: Size) {
  return { columns: Math.ceil(width / 16), rows: Math.ceil(height / 16) };
}

/** An unsigned number as bits, ue(v). */
function ue(value: number): string {
  const code = (value + 1).toString(2);
  return code.padStart(2 * code.length - 1, '0');
}

function byte(value: number): string {
  return (value % 256).toString(2).padStart(8, '0');
}

/** Bits as bytes, with zeros up to the last whole one. */
function bytesOf(...bits: readonly string[]): Uint8Array {
  const all = bits.join('').match(/.{1,8}/g) ?? [];
  return Uint8Array.from(all, (bits) => Number.parseInt(bits.padEnd(8, '0'), 2));
}

/** The parameters of the sequence (7.3.2.1). */
function sequenceOf(size: Size): Uint8Array {
  const { columns, rows } = gridOf(size);
  const [right, bottom] = [(columns * 16 - size.width) / 2, (rows * 16 - size.height) / 2];
  const level = columns * rows <= 8192 ? 40 : 51;
  // 8 bits of picture number, pictures in the order they are shown, one reference.
  const head = ['011001110100001011000000', byte(level), '1', ue(4), ue(2), ue(1), '0'];
  // What of the last blocks is not shown, in pairs of pixels.
  const crop = ['1', ue(0), ue(right), ue(0), ue(bottom)];
  // BT.709 in limited range.
  const colors = ['100110101', byte(1), byte(1), byte(1), '0000001'];
  return bytesOf(...head, ue(columns - 1), ue(rows - 1), '11', ...crop, ...colors);
}

/** One slice group, one reference, CAVLC; the slice says that edges are not filtered (7.3.2.2). */
const pictureParameters = Uint8Array.of(0x68, 0xce, 0x3c, 0x80);

/** The NAL unit of a frame in pieces, each block as `draw` gives it; a key has number 0. */
function* unitOf(
  count: number,
  number: number,
  blocks: readonly number[],
  draw: (block: number) => Uint8Array,
): Generator<Uint8Array> {
  const isKey = number === 0;
  // First block, kind of slice, parameters, number; then what the kind asks for, and no filter.
  const [unit, slice, own] = isKey ? ['01100101', 7, `${ue(0)}00`] : ['01100001', 5, '000'];
  let bits = unit + ue(0) + ue(slice) + ue(0) + byte(number) + own + ue(0) + ue(1);
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
function drawBlock({ width, height }: Size, left: number, top: number, paint: Paint): Uint8Array {
  const samples = new Uint8Array(384);
  for (let at = 0; at < 256; at++) {
    const x = Math.min(width - 1, left + (at % 16)) + 0.5;
    const y = Math.min(height - 1, top + (at >> 4)) + 0.5;
    const [r, g, b] = paint(x, y);
    samples[at] = 16.5 + 0.18259 * r + 0.61423 * g + 0.06201 * b;
    // Four pixels share a color: that of the last.
    const color = 256 + (at >> 5) * 8 + ((at % 16) >> 1);
    samples[color] = 128.5 - 0.10064 * r - 0.33857 * g + 0.43922 * b;
    samples[color + 64] = 128.5 + 0.43922 * r - 0.39894 * g - 0.04027 * b;
  }
  return samples;
}

/** Frames as a track. They are drawn when they are read, so that a long film takes no memory. */
export function videoTrack(size: Size, frames: readonly Frame[]): Track {
  const { columns, rows } = gridOf(size);
  const count = columns * rows;
  const all = Array.from({ length: count }, (_, block) => block);
  const blank = new Uint8Array(384);
  const lengthOf = (pieces: Iterable<Uint8Array>) =>
    [...pieces].reduce((sum, { length }) => sum + length, 0);
  const keyBytes = lengthOf(unitOf(count, 0, all, () => blank));
  let number = 0;
  const units = frames.map(({ paint, blocks }) => {
    number = blocks ? number + 1 : 0;
    if (!blocks) return { paint, number, blocks: all, byteLength: keyBytes };
    return {
      paint,
      number,
      blocks,
      byteLength: lengthOf(unitOf(count, number, blocks, () => blank)),
    };
  });
  return {
    timescale: framesPerSecond * ticksPerFrame,
    ticksPerSample: ticksPerFrame,
    ticks: frames.length * ticksPerFrame,
    entry: h264Entry(size, sequenceOf(size), pictureParameters),
    sampleBytes: units.map(({ byteLength }) => 4 + byteLength),
    keys: units.flatMap((unit, index) => (unit.number === 0 ? [index + 1] : [])),
    size,
    bytes: async function* () {
      for (const { paint, number, blocks, byteLength } of units) {
        const draw = (block: number) =>
          drawBlock(size, (block % columns) * 16, Math.floor(block / columns) * 16, paint);
        const held: Uint8Array[] = [u32(byteLength)];
        for (const piece of unitOf(count, number, blocks, draw)) {
          held.push(piece);
          if (held.length < 2 * columns) continue;
          yield Buffer.concat(held.splice(0));
          // The event loop gets its turn.
          await new Promise(setImmediate);
        }
        yield Buffer.concat(held);
      }
    },
  };
}
