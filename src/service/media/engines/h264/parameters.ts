/** Parameter sets and slice headers (ITU-T H.264, 7.3.2 and 7.3.3) of constrained baseline. */
import { BitWriter, nalUnit } from './bits.js';
import { quantizer } from './transform.js';

export interface VideoFormat {
  /** Pixels as they are shown; both even. */
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
}

/** Sides in macroblocks of 16 × 16 pixels. */
export interface Grid {
  readonly columns: number;
  readonly rows: number;
}

export function gridOf({ width, height }: VideoFormat): Grid {
  return { columns: Math.ceil(width / 16), rows: Math.ceil(height / 16) };
}

const baseline = 66;
/** Also fit for the main profile's decoders: constrained baseline. */
const constraints = 0xc0;
const frameNumberBits = 8;

/** Levels (table A-1): macroblocks a second, macroblocks a picture. */
const levels = [
  { level: 30, perSecond: 40_500, perPicture: 1620 },
  { level: 31, perSecond: 108_000, perPicture: 3600 },
  { level: 40, perSecond: 245_760, perPicture: 8192 },
  { level: 42, perSecond: 522_240, perPicture: 8704 },
  { level: 51, perSecond: 983_040, perPicture: 36_864 },
] as const;

function levelOf({ columns, rows }: Grid, framesPerSecond: number): number {
  const blocks = columns * rows;
  const fitting = levels.find(
    ({ perSecond, perPicture }) => blocks <= perPicture && blocks * framesPerSecond <= perSecond,
  );
  if (!fitting) throw new RangeError('the picture is too large for any level');
  return fitting.level;
}

export function sequenceParameters(format: VideoFormat): Uint8Array {
  const grid = gridOf(format);
  const bits = new BitWriter();
  bits.bits(baseline, 8);
  bits.bits(constraints, 8);
  bits.bits(levelOf(grid, format.framesPerSecond), 8);
  bits.unsigned(0); // its id
  bits.unsigned(frameNumberBits - 4);
  bits.unsigned(2); // pictures are shown in the order they are coded
  bits.unsigned(1); // one reference picture
  bits.bits(0, 1);
  bits.unsigned(grid.columns - 1);
  bits.unsigned(grid.rows - 1);
  bits.bits(0b11, 2); // frames alone; direct_8x8_inference
  writeCrop(bits, format, grid);
  bits.bits(1, 1);
  writeUsability(bits, format.framesPerSecond);
  bits.trailing();
  return nalUnit(0x67, bits.toBytes());
}

/** What of the last macroblocks is not shown, in pairs of pixels. */
function writeCrop(bits: BitWriter, { width, height }: VideoFormat, grid: Grid): void {
  const right = (grid.columns * 16 - width) / 2;
  const bottom = (grid.rows * 16 - height) / 2;
  bits.bits(right > 0 || bottom > 0 ? 1 : 0, 1);
  if (right > 0 || bottom > 0) for (const edge of [0, right, 0, bottom]) bits.unsigned(edge);
}

/** Colors of BT.709, the rate of frames, and that none is shown out of order (annex E). */
function writeUsability(bits: BitWriter, framesPerSecond: number): void {
  bits.bits(0b00, 2);
  bits.bits(0b1_101_0_1, 6); // signal type: unspecified format, limited range, colors described
  for (const bt709 of [1, 1, 1]) bits.bits(bt709, 8);
  bits.bits(0, 1);
  bits.bits(1, 1); // timing: a tick is half a frame
  for (const half of [0, 1, 0, framesPerSecond * 2]) bits.bits(half, 16);
  bits.bits(0b1_0_0_0_1, 5); // fixed rate; no decoder buffers; restrictions follow
  bits.bits(1, 1);
  for (const restriction of [0, 0, 10, 10, 0, 1]) bits.unsigned(restriction);
}

export function pictureParameters(): Uint8Array {
  const bits = new BitWriter();
  bits.unsigned(0); // its id
  bits.unsigned(0); // the sequence's
  bits.bits(0b00, 2); // CAVLC
  for (const one of [0, 0, 0]) bits.unsigned(one); // one slice group, one reference
  bits.bits(0b000, 3);
  bits.signed(quantizer - 26);
  bits.signed(0);
  bits.signed(0);
  bits.bits(0b100, 3); // the slice says whether edges are filtered
  bits.trailing();
  return nalUnit(0x68, bits.toBytes());
}

/** The header of the one slice of a picture. `number` counts the pictures since the last key. */
export function writeSliceHeader(
  bits: BitWriter,
  isKey: boolean,
  number: number,
  keyId: number,
): void {
  bits.unsigned(0); // the first macroblock
  bits.unsigned(isKey ? 7 : 5);
  bits.unsigned(0);
  bits.bits(number, frameNumberBits);
  if (isKey) {
    bits.unsigned(keyId);
    bits.bits(0b00, 2);
  } else {
    bits.bits(0b00, 2); // the reference as it is
    bits.bits(0, 1);
  }
  bits.signed(0); // the quantizer as it is
  bits.unsigned(1); // edges are not filtered
}
