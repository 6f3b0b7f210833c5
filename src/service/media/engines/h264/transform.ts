/** The transform of 4 × 4 samples and its steps (ITU-T H.264, 8.5), as the encoder needs them. */

/** The step: small enough that a soft sky shows no bands. */
export const quantizer = 22;

const sixth = Math.floor(quantizer / 6);
const shift = 15 + sixth;
/** By place: both even, both odd, other. The rows are those of quantizer modulo 6 = 4. */
const forwardScale = [8192, 3355, 5243] as const;
const inverseScale = [16, 25, 20] as const;
const rounding = Math.floor(2 ** shift / 3);

const kindOfPlace = Array.from({ length: 16 }, (_, place) => {
  const [x, y] = [place & 3, place >> 2];
  return x % 2 === 0 && y % 2 === 0 ? 0 : x % 2 === 1 && y % 2 === 1 ? 1 : 2;
});
const forwardScales = Int32Array.from(kindOfPlace, (kind) => forwardScale[kind]);
const inverseScales = Int32Array.from(kindOfPlace, (kind) => inverseScale[kind] << sixth);

/** Where the coefficients of a block stand, from the lowest frequency up. */
export const zigzag = Uint8Array.of(0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15);

/** Transforms 16 differences in place. */
export function forward(block: Int32Array): void {
  for (let row = 0; row < 16; row += 4) forwardFour(block, row, 1);
  for (let column = 0; column < 4; column++) forwardFour(block, column, 4);
}

function forwardFour(block: Int32Array, from: number, step: number): void {
  const a = block[from] ?? 0;
  const b = block[from + step] ?? 0;
  const c = block[from + 2 * step] ?? 0;
  const d = block[from + 3 * step] ?? 0;
  block[from] = a + b + c + d;
  block[from + step] = 2 * a + b - c - 2 * d;
  block[from + 2 * step] = a - b - c + d;
  block[from + 3 * step] = a - 2 * b + 2 * c - d;
}

/** Turns coefficients back into 16 differences, in place. */
export function inverse(block: Int32Array): void {
  for (let row = 0; row < 16; row += 4) inverseFour(block, row, 1);
  for (let column = 0; column < 4; column++) inverseFour(block, column, 4);
  for (let place = 0; place < 16; place++) block[place] = ((block[place] ?? 0) + 32) >> 6;
}

function inverseFour(block: Int32Array, from: number, step: number): void {
  const a = block[from] ?? 0;
  const b = block[from + step] ?? 0;
  const c = block[from + 2 * step] ?? 0;
  const d = block[from + 3 * step] ?? 0;
  const even = a + c;
  const odd = a - c;
  const low = (b >> 1) - d;
  const high = b + (d >> 1);
  block[from] = even + high;
  block[from + step] = odd + low;
  block[from + 2 * step] = odd - low;
  block[from + 3 * step] = even - high;
}

/** Coefficients to levels, all but the first, in place; whether any is left. */
export function quantize(block: Int32Array): boolean {
  let any = false;
  for (let place = 1; place < 16; place++) {
    const level = toLevel(block[place] ?? 0, forwardScales[place] ?? 0, rounding, shift);
    block[place] = level;
    any ||= level !== 0;
  }
  return any;
}

/** Levels to coefficients, all but the first, in place. */
export function dequantize(block: Int32Array): void {
  for (let place = 1; place < 16; place++) {
    block[place] = (block[place] ?? 0) * (inverseScales[place] ?? 0);
  }
}

/** The 16 first coefficients of a macroblock's blocks to levels, in place; whether any is left. */
export function quantizeLumaDc(first: Int32Array): boolean {
  hadamard(first);
  let any = false;
  for (let place = 0; place < 16; place++) {
    const halved = ((first[place] ?? 0) + 1) >> 1;
    const level = toLevel(halved, forwardScale[0], 2 * rounding, shift + 1);
    first[place] = level;
    any ||= level !== 0;
  }
  return any;
}

/** And back. */
export function dequantizeLumaDc(first: Int32Array): void {
  hadamard(first);
  // The scale counts 16 times, and is shifted down by 6 less a sixth of the quantizer.
  const half = 1 << (5 - sixth);
  for (let place = 0; place < 16; place++) {
    first[place] = ((first[place] ?? 0) * inverseScale[0] * 16 + half) >> (6 - sixth);
  }
}

/** The 4 first coefficients of a chroma component to levels, in place; whether any is left. */
export function quantizeChromaDc(first: Int32Array): boolean {
  hadamardFour(first);
  let any = false;
  for (let place = 0; place < 4; place++) {
    const level = toLevel(first[place] ?? 0, forwardScale[0], 2 * rounding, shift + 1);
    first[place] = level;
    any ||= level !== 0;
  }
  return any;
}

/** And back. */
export function dequantizeChromaDc(first: Int32Array): void {
  hadamardFour(first);
  for (let place = 0; place < 4; place++) {
    first[place] = (((first[place] ?? 0) * inverseScale[0] * 16) << sixth) >> 5;
  }
}

/** No coefficient is so large that its product leaves 31 bits: the largest is 32640 × 8192. */
function toLevel(coefficient: number, scale: number, round: number, by: number): number {
  const level = (Math.abs(coefficient) * scale + round) >> by;
  return coefficient < 0 ? -level : level;
}

function hadamard(block: Int32Array): void {
  for (let row = 0; row < 16; row += 4) hadamardLine(block, row, 1);
  for (let column = 0; column < 4; column++) hadamardLine(block, column, 4);
}

function hadamardLine(block: Int32Array, from: number, step: number): void {
  const a = block[from] ?? 0;
  const b = block[from + step] ?? 0;
  const c = block[from + 2 * step] ?? 0;
  const d = block[from + 3 * step] ?? 0;
  block[from] = a + b + c + d;
  block[from + step] = a + b - c - d;
  block[from + 2 * step] = a - b - c + d;
  block[from + 3 * step] = a - b + c - d;
}

function hadamardFour(block: Int32Array): void {
  const a = block[0] ?? 0;
  const b = block[1] ?? 0;
  const c = block[2] ?? 0;
  const d = block[3] ?? 0;
  block[0] = a + b + c + d;
  block[1] = a - b + c - d;
  block[2] = a + b - c - d;
  block[3] = a - b - c + d;
}
