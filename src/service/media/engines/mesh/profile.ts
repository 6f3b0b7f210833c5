/** The outlines that are turned on the lathe. */
import { randomFrom, type Random } from '../random.js';

/** A point of the outline. */
export interface ProfilePoint {
  readonly radius: number;
  readonly height: number;
}

type Tint = readonly [red: number, green: number, blue: number];

/** A straight piece of the outline, in one color. */
export interface Stretch {
  readonly from: ProfilePoint;
  readonly to: ProfilePoint;
  /** 0 to 255. */
  readonly color: Tint;
}

/**
 * An outline from the foot up to the top, both on the axis. It is one unit high.
 * @param steps pieces of each curve
 */
export function profileOf(prompt: string, seed: number, steps: number): readonly Stretch[] {
  const random = randomFrom('mesh', prompt, seed);
  return /lighthouse|маяк/iu.test(prompt) ? lighthouse() : vessel(random, steps);
}

const white: Tint = [240, 236, 226];
const red: Tint = [190, 54, 46];
const iron: Tint = [70, 72, 84];
const glass: Tint = [250, 226, 140];

function lighthouse(): readonly Stretch[] {
  const bands = 6;
  const wall = Array.from({ length: bands + 1 }, (_, index) => ({
    radius: 0.17 - 0.075 * (index / bands),
    height: 0.06 + 0.72 * (index / bands),
  }));
  return [
    ...outline(
      [
        [0, 0],
        [0.26, 0],
        [0.24, 0.06],
        [0.17, 0.06],
      ],
      iron,
    ),
    ...pairs(wall).map(([from, to], index) => ({ from, to, color: index % 2 === 0 ? white : red })),
    ...outline(
      [
        [0.095, 0.78],
        [0.14, 0.78],
        [0.14, 0.8],
        [0.07, 0.8],
      ],
      iron,
    ),
    ...outline(
      [
        [0.07, 0.8],
        [0.07, 0.88],
      ],
      glass,
    ),
    ...outline(
      [
        [0.07, 0.88],
        [0.095, 0.88],
        [0.05, 0.95],
        [0.008, 0.96],
        [0.006, 1],
        [0, 1],
      ],
      red,
    ),
  ];
}

/** A turned piece: a curve through a few widths, in two colors that alternate now and then. */
function vessel(random: Random, steps: number): readonly Stretch[] {
  const widths = Array.from({ length: 4 + random.below(4) }, () => random.between(0.08, 0.36));
  const colors = [tint(random), tint(random)] as const;
  const bands = 2 + random.below(7);
  const last = widths.length - 1;
  const curve = Array.from({ length: last * steps + 1 }, (_, index) => ({
    radius: Math.max(0.03, smooth(widths, index / steps)),
    height: index / (last * steps),
  }));
  const [foot, top] = [curve[0], curve.at(-1)];
  const body = pairs(curve).map(([from, to], index) => ({
    from,
    to,
    color: colors[Math.floor((index / (last * steps)) * bands) % 2] ?? colors[0],
  }));
  if (!foot || !top) return body;
  const [low, high] = [
    { radius: 0, height: 0 },
    { radius: 0, height: 1 },
  ];
  return [
    { from: low, to: foot, color: colors[0] },
    ...body,
    { from: top, to: high, color: colors[1] },
  ];
}

function tint(random: Random): Tint {
  const part = () => Math.floor(random.between(50, 235));
  return [part(), part(), part()];
}

/** A curve through all values (Catmull and Rom). */
function smooth(values: readonly number[], at: number): number {
  const index = Math.min(values.length - 2, Math.floor(at));
  const part = at - index;
  const value = (offset: number) =>
    values[Math.min(values.length - 1, Math.max(0, index + offset))] ?? 0;
  const [a, b, c, d] = [value(-1), value(0), value(1), value(2)];
  const cubic = -a + 3 * b - 3 * c + d;
  const square = 2 * a - 5 * b + 4 * c - d;
  return b + 0.5 * part * (c - a + part * (square + part * cubic));
}

function outline(
  points: readonly (readonly [radius: number, height: number])[],
  color: Tint,
): readonly Stretch[] {
  const corners = points.map(([radius, height]) => ({ radius, height }));
  return pairs(corners).map(([from, to]) => ({ from, to, color }));
}

function pairs<Item>(items: readonly Item[]): readonly (readonly [Item, Item])[] {
  return items.flatMap((item, index) => {
    const next = items[index + 1];
    return next === undefined ? [] : [[item, next] as const];
  });
}
