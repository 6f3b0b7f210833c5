/**
 * H.264 without compression (ITU-T H.264, constrained baseline): blocks of 16 × 16 pixels come as
 * they are (I_PCM) or are left as they were before (P_Skip). No byte of a raw block is 0, so that
 * nothing can look like a start code, and the length of a picture is known before it is drawn.
 */
import type { Size } from './types.js';

/** The color of a pixel, 0 to 255 each. */
export type Paint = (x: number, y: number) => readonly [red: number, green: number, blue: number];

export interface Picture {
  /** How many pictures came since the last that needs none before it; 0 for that one. */
  readonly sinceKey: number;
  /** The numbers of the blocks that are sent, in order; of a key picture all. */
  readonly blocks: readonly number[];
}

const blockBytes = 384;

/** Sides in blocks. */
export function gridOf({ width, height }: Size) {
  return { columns: Math.ceil(width / 16), rows: Math.ceil(height / 16) };
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

/** The sequence's and the picture's parameters (7.3.2), for the head of a file. */
export function parameterSets(size: Size): { sequence: Uint8Array; picture: Uint8Array } {
  const { columns, rows } = gridOf(size);
  const [right, bottom] = [(columns * 16 - size.width) / 2, (rows * 16 - size.height) / 2];
  const level = columns * rows <= 8192 ? 40 : 51;
  const sequence = bytesOf(
    ...['01100111', fixed(66, 8), '11000000', fixed(level, 8)],
    // Its id; 8 bits of picture number; pictures come in the order they are shown; one reference.
    ...[ue(0), ue(4), ue(2), ue(1), '0'],
    ...[ue(columns - 1), ue(rows - 1), '11'],
    // What of the last blocks is not shown, in pairs of pixels.
    ...['1', ue(0), ue(right), ue(0), ue(bottom)],
    // Colors of BT.709 in limited range; none is shown out of order.
    ...['1', '00', '110101', fixed(1, 8), fixed(1, 8), fixed(1, 8), '000001'],
    ...['1', ue(0), ue(0), ue(10), ue(10), ue(0), ue(1), '1'],
  );
  // One slice group, one reference, CAVLC; the slice says that edges are not filtered.
  const picture = bytesOf('01101000', ue(0), ue(0), '00', ue(0), ue(0), ue(0), '000111', '1001');
  return { sequence, picture };
}

/** The NAL unit of a picture in pieces, each block as `draw` gives it. */
export function* pictureUnit(
  size: Size,
  { sinceKey, blocks }: Picture,
  draw: (block: number) => Uint8Array,
): Generator<Uint8Array> {
  const { columns, rows } = gridOf(size);
  const isKey = sinceKey === 0;
  // First block, kind of slice, parameters, number; then what the kind asks for, and no filter.
  let bits = isKey ? '01100101' : '01100001';
  bits += ue(0) + ue(isKey ? 7 : 5) + ue(0) + fixed(sinceKey % 256, 8);
  bits += `${isKey ? `${ue(0)}00` : '000'}${ue(0)}${ue(1)}`;
  let next = 0;
  for (const block of blocks) {
    // Among changes, how many blocks are skipped stands before each, and kinds count from 5 on.
    yield bytesOf(bits, isKey ? ue(25) : ue(block - next) + ue(30));
    yield draw(block);
    bits = '';
    next = block + 1;
  }
  if (!isKey && next < columns * rows) bits += ue(columns * rows - next);
  yield bytesOf(bits, '1');
}

const blank = new Uint8Array(blockBytes);

/** How many bytes `pictureUnit` gives. */
export function unitBytes(size: Size, picture: Picture): number {
  let sum = 0;
  for (const piece of pictureUnit(size, picture, () => blank)) sum += piece.length;
  return sum;
}

/**
 * The samples of a block: 256 of brightness, 64 each of two colors (BT.709, limited range). What
 * lies beyond the picture repeats its last pixels.
 */
export function rawBlock(size: Size, block: number, paint: Paint): Uint8Array {
  const { columns } = gridOf(size);
  const [left, top] = [(block % columns) * 16, Math.floor(block / columns) * 16];
  const samples = new Uint8Array(blockBytes);
  const sums = new Float32Array(128);
  for (let y = 0; y < 16; y++) {
    for (let x = 0; x < 16; x++) {
      const [r, g, b] = paint(
        Math.min(size.width - 1, left + x),
        Math.min(size.height - 1, top + y),
      );
      samples[y * 16 + x] = 16.5 + 0.18259 * r + 0.61423 * g + 0.06201 * b;
      const at = (y >> 1) * 8 + (x >> 1);
      sums[at] = (sums[at] ?? 0) - 0.10064 * r - 0.33857 * g + 0.43922 * b;
      sums[64 + at] = (sums[64 + at] ?? 0) + 0.43922 * r - 0.39894 * g - 0.04027 * b;
    }
  }
  for (const [at, sum] of sums.entries()) samples[256 + at] = 128.5 + sum / 4;
  return samples;
}
