/** Guesses a block from the samples above it and to its left (ITU-T H.264, 8.3.3 and 8.3.4). */
import type { Plane } from './planes.js';

/** How a block of brightness is guessed; the numbers are those of the standard. */
export const vertical = 0;
export const horizontal = 1;
export const mean = 2;

/** Where a block lies in a plane, and which neighbours it has. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly hasLeft: boolean;
  readonly hasTop: boolean;
}

/** The best of the guesses for a block of 16 × 16; `guess` holds it afterwards. */
export function predictLuma(
  plane: Plane,
  place: Place,
  actual: Uint8Array,
  guess: Uint8Array,
  scratch: Uint8Array,
): number {
  fillMean(plane, place, 16, guess);
  let best = mean;
  let least = difference(actual, guess);
  const others = [...(place.hasTop ? [vertical] : []), ...(place.hasLeft ? [horizontal] : [])];
  for (const mode of others) {
    fillLines(plane, place, mode, scratch);
    const off = difference(actual, scratch);
    if (off >= least) continue;
    best = mode;
    least = off;
    guess.set(scratch);
  }
  return best;
}

/** Guesses an 8 × 8 block of color by the mean of what lies beside each of its quarters. */
export function predictChroma(plane: Plane, place: Place, guess: Uint8Array): void {
  for (const [quarterX, quarterY] of [
    [0, 0],
    [4, 0],
    [0, 4],
    [4, 4],
  ] as const) {
    const above = place.hasTop ? sum(plane, place.x + quarterX, place.y - 1, 4, 1) : undefined;
    const left = place.hasLeft
      ? sum(plane, place.x - 1, place.y + quarterY, 4, plane.stride)
      : undefined;
    const value = quarterMean(above, left, quarterX, quarterY);
    for (let y = 0; y < 4; y++) {
      const row = (quarterY + y) * 8 + quarterX;
      guess.fill(value, row, row + 4);
    }
  }
}

/** The quarters off the diagonal hold to the side that they touch. */
function quarterMean(
  above: number | undefined,
  left: number | undefined,
  x: number,
  y: number,
): number {
  const one = x > y ? (above ?? left) : y > x ? (left ?? above) : undefined;
  if (one !== undefined) return (one + 2) >> 2;
  if (above !== undefined && left !== undefined) return (above + left + 4) >> 3;
  const only = above ?? left;
  return only === undefined ? 128 : (only + 2) >> 2;
}

function fillMean(plane: Plane, place: Place, side: number, guess: Uint8Array): void {
  const above = place.hasTop ? sum(plane, place.x, place.y - 1, side, 1) : undefined;
  const left = place.hasLeft ? sum(plane, place.x - 1, place.y, side, plane.stride) : undefined;
  if (above !== undefined && left !== undefined) guess.fill((above + left + side) >> 5);
  else
    guess.fill(above === undefined && left === undefined ? 128 : ((above ?? left ?? 0) + 8) >> 4);
}

function fillLines(
  { samples, stride }: Plane,
  place: Place,
  mode: number,
  guess: Uint8Array,
): void {
  const above = (place.y - 1) * stride + place.x;
  for (let y = 0; y < 16; y++) {
    if (mode === vertical) guess.set(samples.subarray(above, above + 16), y * 16);
    else guess.fill(samples[(place.y + y) * stride + place.x - 1] ?? 0, y * 16, y * 16 + 16);
  }
}

function sum(
  { samples, stride }: Plane,
  x: number,
  y: number,
  count: number,
  step: number,
): number {
  let total = 0;
  for (let index = 0, at = y * stride + x; index < count; index++, at += step) {
    total += samples[at] ?? 0;
  }
  return total;
}

function difference(a: Uint8Array, b: Uint8Array): number {
  let total = 0;
  for (let at = 0; at < a.length; at++) total += Math.abs((a[at] ?? 0) - (b[at] ?? 0));
  return total;
}
