/** local/embed: feature hashing. Every feature of a text falls on one of the numbers of its vector. */
import { featuresOf } from './features.js';

/** How many numbers a vector has; a power of two. */
export const dimensions = 512;

/** Decimals that are kept: finer than a 32-bit float near 1. */
const scale = 1e7;

/**
 * The vector of a text, of length 1. Texts that share words, or spellings of words, are near:
 * their cosine, which is the product of two such vectors, is high. The same text has the same
 * vector everywhere.
 */
export function embed(text: string): Float64Array {
  const vector = new Float64Array(dimensions);
  for (const [code, weight] of featuresOf(text)) {
    // The sign makes features that fall together cancel as often as they add up.
    const sign = code & 0x8000_0000 ? -1 : 1;
    const place = code % dimensions;
    vector[place] = (vector[place] ?? 0) + sign * weight;
  }
  return normalized(vector);
}

/** How near two vectors of length 1 are: 1 is the same direction, 0 nothing in common. */
export function cosine(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < dimensions; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

function normalized(vector: Float64Array): Float64Array {
  const length = Math.hypot(...vector);
  // All features cancelled each other, or there were none.
  if (length === 0) return vector.fill(1 / Math.sqrt(dimensions));
  return vector.map((value) => Math.round((value / length) * scale) / scale);
}
