/** Codes pictures as H.264: whole ones as keys, between them what has changed. */
import { BitWriter, nalUnit } from './bits.js';
import { MacroblockCoder, makeSurroundings } from './macroblock.js';
import {
  gridOf,
  pictureParameters,
  sequenceParameters,
  writeSliceHeader,
  type Grid,
  type VideoFormat,
} from './parameters.js';
import { makeSamples, takeSamples } from './planes.js';

/** Paints the pixels `from` up to, not including, `to` of row `y` as RGB from `offset` on. */
export type Paint = (y: number, from: number, to: number, rgb: Uint8Array, offset: number) => void;

/** Pixels; the right and lower edges do not belong to it. Parts may lie outside the picture. */
export interface Region {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const keySlice = 0x65;
const changeSlice = 0x61;
/** In slices of changes the intra types come after five others. */
const intraTypesInChanges = 5;

export class Encoder {
  readonly sequence: Uint8Array;
  readonly picture: Uint8Array;
  private readonly grid: Grid;
  private readonly coder: MacroblockCoder;
  private readonly bits = new BitWriter();
  private readonly samples = makeSamples();
  private readonly band: Uint8Array;
  private keys = 0;
  private sinceKey = 0;

  constructor(private readonly format: VideoFormat) {
    this.grid = gridOf(format);
    this.sequence = sequenceParameters(format);
    this.picture = pictureParameters();
    this.coder = new MacroblockCoder(this.grid, makeSurroundings(this.grid));
    this.band = new Uint8Array(this.grid.columns * 16 * 16 * 3);
  }

  /**
   * A picture that needs none before it: one NAL unit.
   * @param pause is waited for after every row of macroblocks: a large picture takes a while
   */
  async key(paint: Paint, pause: () => Promise<void>): Promise<Uint8Array> {
    const { bits, grid } = this;
    this.sinceKey = 0;
    bits.clear();
    writeSliceHeader(bits, true, 0, this.keys++ % 2);
    for (let row = 0; row < grid.rows; row++) {
      this.codeRun(paint, row, 0, grid.columns, 0, () => undefined);
      await pause();
    }
    bits.trailing();
    return nalUnit(keySlice, bits.toBytes());
  }

  /** A picture that differs from the one before in these regions alone: one NAL unit. */
  change(paint: Paint, regions: readonly Region[]): Uint8Array {
    const { bits, grid, coder } = this;
    bits.clear();
    writeSliceHeader(bits, false, ++this.sinceKey % 256, 0);
    const changed = this.touched(regions);
    let skipped = 0;
    const told = () => {
      bits.unsigned(skipped);
      skipped = 0;
    };
    for (let row = 0; row < grid.rows; row++) {
      for (let column = 0; column < grid.columns;) {
        const end = runEnd(changed, row * grid.columns, column, grid.columns);
        if (end > column) {
          this.codeRun(paint, row, column, end, intraTypesInChanges, told);
          column = end;
          continue;
        }
        coder.skip(column++, row);
        skipped++;
      }
    }
    if (skipped > 0) told();
    bits.trailing();
    return nalUnit(changeSlice, bits.toBytes());
  }

  /** Paints and codes neighbouring macroblocks of one row. */
  private codeRun(
    paint: Paint,
    row: number,
    from: number,
    to: number,
    typeOffset: number,
    beforeEach: () => void,
  ): void {
    const { band, bits, coder, samples } = this;
    const { width, height } = this.format;
    const stride = (to - from) * 16 * 3;
    const right = Math.min(width, to * 16);
    for (let line = 0; line < 16; line++) {
      const y = Math.min(height - 1, row * 16 + line);
      paint(y, from * 16, right, band, line * stride);
      repeatLast(band, line * stride + (right - from * 16) * 3, (line + 1) * stride);
    }
    for (let column = from; column < to; column++) {
      takeSamples(band, stride, (column - from) * 16 * 3, samples);
      beforeEach();
      coder.code(bits, column, row, samples, typeOffset);
    }
  }

  /** Which macroblocks a region touches. */
  private touched(regions: readonly Region[]): Uint8Array {
    const { columns, rows } = this.grid;
    const changed = new Uint8Array(columns * rows);
    for (const { left, top, right, bottom } of regions) {
      const from = Math.max(0, left >> 4);
      const to = Math.min(columns, (right + 15) >> 4);
      if (to <= from) continue;
      const last = Math.min(rows, (bottom + 15) >> 4);
      for (let row = Math.max(0, top >> 4); row < last; row++) {
        changed.fill(1, row * columns + from, row * columns + to);
      }
    }
    return changed;
  }
}

/** The end of the run of changed macroblocks that begins at a column; the column when none does. */
function runEnd(changed: Uint8Array, rowStart: number, column: number, columns: number): number {
  let end = column;
  while (end < columns && changed[rowStart + end] === 1) end++;
  return end;
}

/** Fills what lies beyond the picture with its last pixel. */
function repeatLast(rgb: Uint8Array, from: number, to: number): void {
  for (let at = from; at < to; at++) rgb[at] = rgb[at - 3] ?? 0;
}
