/** Writes blocks of coefficients as CAVLC (ITU-T H.264, 9.2). */
import type { BitWriter } from './bits.js';
import {
  chromaToken,
  chromaZeros,
  coefficientTokens,
  runs,
  totalZeros,
  type Codes,
} from './tables.js';

/** Stands for the number of neighbours' coefficients where chroma DC is written. */
export const chromaDc = -1;

const levels = new Int32Array(16);
const zerosBefore = new Int32Array(16);

/**
 * Writes one block and says how many of its coefficients are not zero.
 * @param block coefficients in the order they are scanned
 * @param from the first that belongs to the block
 * @param to the one after the last
 * @param neighbours the mean number of coefficients in the blocks beside it, or `chromaDc`
 */
export function writeBlock(
  bits: BitWriter,
  block: Int32Array,
  from: number,
  to: number,
  neighbours: number,
): number {
  let count = 0;
  let zeros = 0;
  let totalZerosBefore = 0;
  for (let at = from; at < to; at++) {
    const level = block[at] ?? 0;
    if (level === 0) {
      zeros++;
      continue;
    }
    levels[count] = level;
    zerosBefore[count++] = zeros;
    totalZerosBefore += zeros;
    zeros = 0;
  }
  const ones = trailingOnes(count);
  writeToken(bits, count, ones, neighbours);
  if (count === 0) return 0;
  writeLevels(bits, count, ones);
  if (count < to - from) {
    const table = neighbours === chromaDc ? chromaZeros : totalZeros;
    write(bits, table[count - 1], totalZerosBefore);
  }
  writeRuns(bits, count, totalZerosBefore);
  return count;
}

/** At most three coefficients at the end that are 1 or -1. */
function trailingOnes(count: number): number {
  let ones = 0;
  while (ones < 3 && ones < count && Math.abs(levels[count - 1 - ones] ?? 0) === 1) ones++;
  return ones;
}

function writeToken(bits: BitWriter, count: number, ones: number, neighbours: number): void {
  if (neighbours >= 8) {
    bits.bits(count === 0 ? 3 : ((count - 1) << 2) | ones, 6);
    return;
  }
  const [few, some, many] = coefficientTokens;
  const codes =
    neighbours === chromaDc ? chromaToken : neighbours < 2 ? few : neighbours < 4 ? some : many;
  write(bits, codes, count * 4 + ones);
}

/** The signs of the trailing ones, then all other levels, from the highest frequency down. */
function writeLevels(bits: BitWriter, count: number, ones: number): void {
  for (let index = 0; index < ones; index++)
    bits.bits((levels[count - 1 - index] ?? 0) < 0 ? 1 : 0, 1);
  let suffixLength = count > 10 && ones < 3 ? 1 : 0;
  for (let index = ones; index < count; index++) {
    const level = levels[count - 1 - index] ?? 0;
    const size = Math.abs(level);
    let code = level > 0 ? 2 * level - 2 : -2 * level - 1;
    // Were it a one, it would be a trailing one: the codes of ±1 are free.
    if (index === ones && ones < 3) code -= 2;
    writeLevel(bits, code, suffixLength);
    if (suffixLength === 0) suffixLength = 1;
    if (size > 3 << (suffixLength - 1) && suffixLength < 6) suffixLength++;
  }
}

function writeLevel(bits: BitWriter, code: number, suffixLength: number): void {
  if (suffixLength === 0 && code >= 14) {
    if (code < 30) {
      bits.bits(1, 15);
      bits.bits(code - 14, 4);
    } else {
      escape(bits, code - 30);
    }
    return;
  }
  const prefix = code >> suffixLength;
  if (prefix < 15) {
    bits.bits(1, prefix + 1);
    bits.bits(code, suffixLength);
  } else {
    escape(bits, code - (15 << suffixLength));
  }
}

/** level_prefix 15 and a suffix of 12 bits: more than the coefficients here can reach. */
function escape(bits: BitWriter, rest: number): void {
  if (rest >= 1 << 12) throw new RangeError('a coefficient is too large');
  bits.bits(1, 16);
  bits.bits(rest, 12);
}

/** How many zeros stand before each coefficient, from the last one on. */
function writeRuns(bits: BitWriter, count: number, zeros: number): void {
  let left = zeros;
  for (let index = count - 1; index > 0 && left > 0; index--) {
    const run = zerosBefore[index] ?? 0;
    write(bits, runs[Math.min(left, 7) - 1], run);
    left -= run;
  }
}

function write(bits: BitWriter, codes: Codes | undefined, index: number): void {
  bits.bits(codes?.values[index] ?? 0, codes?.lengths[index] ?? 0);
}
