/** Codes one macroblock as Intra_16x16 and keeps what a decoder will see of it. */
import type { BitWriter } from './bits.js';
import type { Grid } from './parameters.js';
import { makePlanes, makeSamples, type Plane, type Planes, type Samples } from './planes.js';
import { predictChroma, predictLuma, type Place } from './predict.js';
import { chromaDc, writeBlock } from './residual.js';
import * as transform from './transform.js';

/** What has been written so far, as the neighbours of the next block. */
export interface Surroundings {
  /** The picture as a decoder shows it. */
  readonly planes: Planes;
  /** How many coefficients each 4 × 4 block has. */
  readonly lumaCounts: Uint8Array;
  readonly blueCounts: Uint8Array;
  readonly redCounts: Uint8Array;
}

export function makeSurroundings(grid: Grid): Surroundings {
  const blocks = grid.columns * grid.rows;
  return {
    planes: makePlanes(grid),
    lumaCounts: new Uint8Array(blocks * 16),
    blueCounts: new Uint8Array(blocks * 4),
    redCounts: new Uint8Array(blocks * 4),
  };
}

/** A component of a macroblock: its blocks' levels, and whether any is not zero. */
interface Component {
  readonly blocks: readonly Int32Array[];
  readonly first: Int32Array;
  hasFirst: boolean;
  hasRest: boolean;
}

function component(count: number): Component {
  return {
    blocks: Array.from({ length: count }, () => new Int32Array(16)),
    first: new Int32Array(count),
    hasFirst: false,
    hasRest: false,
  };
}

/** The order in which the 4 × 4 blocks of brightness are written: quarter by quarter. */
const writingOrder = [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15] as const;

export class MacroblockCoder {
  private readonly luma = component(16);
  private readonly blue = component(4);
  private readonly red = component(4);
  private readonly guess = makeSamples();
  private readonly scratch = new Uint8Array(256);
  private readonly scanned = new Int32Array(16);
  /** By macroblock: whether it was coded last time, and may have coefficients. */
  private readonly hasCounts: Uint8Array;

  constructor(
    private readonly grid: Grid,
    private readonly surroundings: Surroundings,
  ) {
    this.hasCounts = new Uint8Array(grid.columns * grid.rows);
  }

  /** @param typeOffset the number of the first intra type in slices of this kind */
  code(bits: BitWriter, column: number, row: number, actual: Samples, typeOffset: number): void {
    const { planes } = this.surroundings;
    const { guess, luma, blue, red } = this;
    this.hasCounts[row * this.grid.columns + column] = 1;
    const sides = { hasLeft: column > 0, hasTop: row > 0 };
    const place: Place = { x: column * 16, y: row * 16, ...sides };
    const chromaPlace: Place = { x: column * 8, y: row * 8, ...sides };
    const mode = predictLuma(planes.luma, place, actual.luma, guess.luma, this.scratch);
    predictChroma(planes.blue, chromaPlace, guess.blue);
    predictChroma(planes.red, chromaPlace, guess.red);
    analyse(luma, actual.luma, guess.luma, 4, transform.quantizeLumaDc);
    analyse(blue, actual.blue, guess.blue, 2, transform.quantizeChromaDc);
    analyse(red, actual.red, guess.red, 2, transform.quantizeChromaDc);
    const chroma = chromaPattern(blue, red);
    bits.unsigned(typeOffset + 1 + mode + 4 * chroma + (luma.hasRest ? 12 : 0));
    bits.unsigned(0); // color by means
    bits.signed(0); // the quantizer as it is
    this.writeLuma(bits, column, row);
    this.writeChroma(bits, column, row, chroma);
    rebuild(luma, guess.luma, 4, transform.dequantizeLumaDc, planes.luma, place);
    rebuild(blue, guess.blue, 2, transform.dequantizeChromaDc, planes.blue, chromaPlace);
    rebuild(red, guess.red, 2, transform.dequantizeChromaDc, planes.red, chromaPlace);
  }

  /** A macroblock that stays as it was in the picture before: it has no coefficients. */
  skip(column: number, row: number): void {
    const index = row * this.grid.columns + column;
    if (this.hasCounts[index] === 0) return;
    this.hasCounts[index] = 0;
    const { lumaCounts, blueCounts, redCounts } = this.surroundings;
    this.clear(lumaCounts, column * 4, row * 4, 4);
    this.clear(blueCounts, column * 2, row * 2, 2);
    this.clear(redCounts, column * 2, row * 2, 2);
  }

  private writeLuma(bits: BitWriter, column: number, row: number): void {
    const { lumaCounts } = this.surroundings;
    const { luma, scanned } = this;
    const [left, top] = [column * 4, row * 4];
    scan(luma.first, scanned);
    writeBlock(bits, scanned, 0, 16, this.neighbours(lumaCounts, left, top, 4));
    if (!luma.hasRest) {
      this.clear(lumaCounts, left, top, 4);
      return;
    }
    for (const index of writingOrder) {
      this.writeRest(bits, luma, index, lumaCounts, left + (index & 3), top + (index >> 2), 4);
    }
  }

  private writeChroma(bits: BitWriter, column: number, row: number, pattern: number): void {
    const { blueCounts, redCounts } = this.surroundings;
    const { blue, red } = this;
    if (pattern > 0) {
      writeBlock(bits, blue.first, 0, 4, chromaDc);
      writeBlock(bits, red.first, 0, 4, chromaDc);
    }
    const [left, top] = [column * 2, row * 2];
    for (const [part, counts] of [
      [blue, blueCounts],
      [red, redCounts],
    ] as const) {
      if (pattern < 2) {
        this.clear(counts, left, top, 2);
        continue;
      }
      for (let index = 0; index < 4; index++) {
        this.writeRest(bits, part, index, counts, left + (index & 1), top + (index >> 1), 2);
      }
    }
  }

  /** The 15 coefficients of a block without its first. */
  private writeRest(
    bits: BitWriter,
    { blocks }: Component,
    index: number,
    counts: Uint8Array,
    x: number,
    y: number,
    perSide: number,
  ): void {
    const { scanned } = this;
    const block = blocks[index];
    if (block) scan(block, scanned);
    const beside = this.neighbours(counts, x, y, perSide);
    counts[y * this.grid.columns * perSide + x] = writeBlock(bits, scanned, 1, 16, beside);
  }

  /** The mean number of coefficients of the blocks to the left and above. */
  private neighbours(counts: Uint8Array, x: number, y: number, perSide: number): number {
    const stride = this.grid.columns * perSide;
    const left = x > 0 ? (counts[y * stride + x - 1] ?? 0) : undefined;
    const above = y > 0 ? (counts[(y - 1) * stride + x] ?? 0) : undefined;
    if (left !== undefined && above !== undefined) return (left + above + 1) >> 1;
    return left ?? above ?? 0;
  }

  private clear(counts: Uint8Array, x: number, y: number, perSide: number): void {
    const stride = this.grid.columns * perSide;
    for (let row = y; row < y + perSide; row++) {
      counts.fill(0, row * stride + x, row * stride + x + perSide);
    }
  }
}

/** 0: no color at all; 1: the first coefficients alone; 2: all. */
function chromaPattern(blue: Component, red: Component): number {
  if (blue.hasRest || red.hasRest) return 2;
  return blue.hasFirst || red.hasFirst ? 1 : 0;
}

/** Turns what the guess is off by into levels. */
function analyse(
  part: Component,
  actual: Uint8Array,
  guess: Uint8Array,
  perSide: number,
  quantizeFirst: (first: Int32Array) => boolean,
): void {
  const stride = perSide * 4;
  part.hasRest = false;
  for (const [index, block] of part.blocks.entries()) {
    const from = Math.floor(index / perSide) * 4 * stride + (index % perSide) * 4;
    for (let place = 0; place < 16; place++) {
      const at = from + (place >> 2) * stride + (place & 3);
      block[place] = (actual[at] ?? 0) - (guess[at] ?? 0);
    }
    transform.forward(block);
    part.first[index] = block[0] ?? 0;
    if (transform.quantize(block)) part.hasRest = true;
  }
  part.hasFirst = quantizeFirst(part.first);
}

/** Adds the levels to the guess, as every decoder does. */
function rebuild(
  part: Component,
  guess: Uint8Array,
  perSide: number,
  dequantizeFirst: (first: Int32Array) => void,
  { samples, stride }: Plane,
  { x, y }: Place,
): void {
  const guessStride = perSide * 4;
  dequantizeFirst(part.first);
  for (const [index, block] of part.blocks.entries()) {
    const [left, top] = [(index % perSide) * 4, Math.floor(index / perSide) * 4];
    transform.dequantize(block);
    block[0] = part.first[index] ?? 0;
    transform.inverse(block);
    for (let place = 0; place < 16; place++) {
      const column = left + (place & 3);
      const row = top + (place >> 2);
      const value = (guess[row * guessStride + column] ?? 0) + (block[place] ?? 0);
      samples[(y + row) * stride + x + column] = value < 0 ? 0 : value > 255 ? 255 : value;
    }
  }
}

function scan(block: Int32Array, scanned: Int32Array): void {
  for (let place = 0; place < 16; place++)
    scanned[place] = block[transform.zigzag[place] ?? 0] ?? 0;
}
