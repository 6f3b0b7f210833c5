/** Vectors as the service sends them, and their similarity. */
import { npyRow } from './table-files.js';

export type Vector = ArrayLike<number>;

/** From base64 of little-endian 32-bit floats; undefined for anything else. */
export function vectorFromBase64(text: string): Float32Array | undefined {
  // A single digit is not a byte: the text was truncated.
  const digits = /^([A-Za-z0-9+/_-]+)={0,2}$/.exec(text)?.[1] ?? '';
  const bytes = new Uint8Array(Buffer.from(digits, 'base64'));
  if (digits.length % 4 === 1 || bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  return new Float32Array(bytes.buffer);
}

export function vectorToBase64(vector: Vector): string {
  return npyRow(vector).toString('base64');
}

/** A vector as a JSON list of 32-bit floats, with no more digits than needed. */
export function vectorJson(vector: Vector): string {
  if (!(vector instanceof Float32Array)) return JSON.stringify(Array.from(vector));
  return JSON.stringify(Array.from(vector, short));
}

/** The shortest decimal of the same 32-bit float: 0.1, not 0.10000000149011612. */
function short(value: number): number {
  for (const digits of [7, 8]) {
    const fewer = Number(value.toPrecision(digits));
    if (Math.fround(fewer) === value) return fewer;
  }
  return Number(value.toPrecision(9));
}

/** Cosine, from -1 to 1; 0 when one has no direction. Both need the same length. */
export function cosine(one: Vector, other: Vector): number {
  let dot = 0;
  let oneSquare = 0;
  let otherSquare = 0;
  for (let index = 0; index < one.length; index += 1) {
    const [a, b] = [one[index] ?? 0, other[index] ?? 0];
    dot += a * b;
    oneSquare += a * a;
    otherSquare += b * b;
  }
  const lengths = Math.sqrt(oneSquare) * Math.sqrt(otherSquare);
  return lengths === 0 ? 0 : Math.max(-1, Math.min(1, dot / lengths));
}
