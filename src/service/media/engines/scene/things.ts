/** What stands, floats and flies in a scene. */
import type { Setting } from './scene.js';
import { cloud, disc, mix, polygon, stroke, type Color, type Point, type Shape } from './shapes.js';

const white: Color = [255, 255, 255];

export function stars({ width, horizon, unit, random }: Setting): readonly Shape[] {
  return Array.from({ length: 70 }, () => {
    const center = { x: random.next() * width, y: random.next() ** 1.5 * horizon * 0.85 };
    return disc(center, unit * random.between(0.0008, 0.002), white, random.between(0.3, 0.9));
  });
}

export function clouds({ width, horizon, unit, mood, random }: Setting): readonly Shape[] {
  const color = mix(mood.sky[2], white, mood.dark ? 0.05 : 0.6);
  return Array.from({ length: 1 + random.below(4) }, () => {
    const size = unit * random.between(0.03, 0.07);
    const middle = { x: random.next() * width, y: horizon * random.between(0.12, 0.6) };
    const discs = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5].map((place) => ({
      center: { x: middle.x + place * size * 0.8, y: middle.y - random.between(0, 0.4) * size },
      radius: size * random.between(0.6, 1) * (1 - Math.abs(place) / 5),
    }));
    return cloud(discs, middle.y + size * 0.2, color, mood.dark ? 0.35 : 0.75);
  });
}

/** Light on the water, most of it below the sun. */
export function glints({ height, horizon, unit, mood, sun, random }: Setting): readonly Shape[] {
  return Array.from({ length: 90 }, () => {
    const depth = random.next();
    const spread = unit * (0.03 + 0.22 * depth);
    const x = sun.x + (random.next() + random.next() - 1) * spread * 2;
    const y = horizon + unit * 0.004 + depth ** 1.4 * (height - horizon);
    const half = unit * (0.004 + 0.03 * depth) * random.between(0.4, 1);
    const thickness = Math.max(1, unit * (0.001 + 0.004 * depth));
    const alpha = random.between(0.2, 0.7);
    return stroke({ x: x - half, y }, { x: x + half, y }, thickness, mood.light, alpha);
  });
}

/** Spruces along a crest. */
export function pines(setting: Setting, crest: Float32Array): readonly Shape[] {
  const { width, unit, mood, random } = setting;
  const color = mix(mood.near, [0, 0, 0], 0.35);
  return Array.from({ length: 14 + random.below(16) }, () => {
    const x = random.next() * width;
    const foot = (crest[Math.min(width - 1, Math.floor(x))] ?? 0) + unit * random.between(0, 0.1);
    const tall = unit * random.between(0.05, 0.13);
    return [0, 1, 2].map((tier) => {
      const low = foot - tall * 0.27 * tier;
      const half = tall * (0.24 - 0.055 * tier);
      return polygon(
        [
          { x, y: low - tall * 0.46 },
          { x: x + half, y: low },
          { x: x - half, y: low },
        ],
        color,
      );
    });
  }).flat();
}

/** Sailing boats that drift across the water. */
export function boats(setting: Setting): (seconds: number) => readonly Shape[] {
  const { width, height, horizon, unit, mood, random } = setting;
  const fleet = Array.from({ length: 1 + random.below(3) }, () => {
    const depth = random.between(0.08, 0.6);
    return {
      y: horizon + (height - horizon) * depth,
      size: unit * (0.025 + 0.07 * depth),
      start: random.next(),
      speed: random.between(0.008, 0.02) * (random.next() < 0.5 ? -1 : 1),
      phase: random.next() * 7,
      sail: mix(white, mood.light, random.next() * 0.6),
    };
  });
  return (seconds) =>
    fleet.flatMap(({ y, size, start, speed, phase, sail }) => {
      const x = wrap(start + speed * seconds, width, size * 2);
      const bow = Math.sign(speed) * size;
      return boat({ x, y: y + Math.sin(seconds * 1.7 + phase) * size * 0.06 }, size, bow, sail);
    });
}

function boat({ x, y }: Point, size: number, bow: number, sail: Color): readonly Shape[] {
  const hull: Color = [94, 46, 38];
  const top = y - size * 1.5;
  const low = y - size * 0.12;
  return [
    polygon(
      [
        { x: x - size, y: y - size * 0.05 },
        { x: x + size, y: y - size * 0.05 },
        { x: x + size * 0.65, y: y + size * 0.3 },
        { x: x - size * 0.65, y: y + size * 0.3 },
      ],
      hull,
    ),
    stroke({ x, y }, { x, y: top }, Math.max(1, size * 0.05), hull),
    polygon(
      clockwise([
        { x, y: top },
        { x: x + bow * 0.75, y: low },
        { x, y: low },
      ]),
      sail,
    ),
    polygon(
      clockwise([
        { x, y: top + size * 0.2 },
        { x: x - bow * 0.5, y: low },
        { x, y: low },
      ]),
      mix(sail, hull, 0.25),
    ),
  ];
}

/** Balloons that rise and sink over the hills. */
export function balloons(setting: Setting): (seconds: number) => readonly Shape[] {
  const { width, horizon, unit, random } = setting;
  const colors: readonly [Color, ...Color[]] = [
    [206, 72, 58],
    [232, 176, 64],
    [64, 128, 150],
    [140, 92, 150],
  ];
  const fleet = Array.from({ length: 1 + random.below(3) }, () => ({
    start: random.next(),
    y: horizon * random.between(0.25, 0.75),
    size: unit * random.between(0.025, 0.055),
    speed: random.between(0.006, 0.014),
    phase: random.next() * 7,
    color: random.pick(colors),
  }));
  return (seconds) =>
    fleet.flatMap(({ start, y, size, speed, phase, color }) => {
      const x = wrap(start + speed * seconds, width, size * 2);
      return balloon({ x, y: y + Math.sin(seconds * 0.4 + phase) * size * 0.5 }, size, color);
    });
}

function balloon({ x, y }: Point, size: number, color: Color): readonly Shape[] {
  const rope: Color = [60, 44, 40];
  const basket = y + size * 1.75;
  return [
    stroke({ x: x - size * 0.4, y: y + size * 0.8 }, { x: x - size * 0.15, y: basket }, 1, rope),
    stroke({ x: x + size * 0.4, y: y + size * 0.8 }, { x: x + size * 0.15, y: basket }, 1, rope),
    polygon(
      [
        { x: x - size * 0.9, y: y + size * 0.44 },
        { x: x + size * 0.9, y: y + size * 0.44 },
        { x: x + size * 0.3, y: y + size * 1.25 },
        { x: x - size * 0.3, y: y + size * 1.25 },
      ],
      color,
    ),
    disc({ x, y }, size, color),
    disc({ x: x - size * 0.3, y: y - size * 0.25 }, size * 0.45, white, 0.18),
    stroke({ x, y: basket }, { x, y: basket + size * 0.12 }, size * 0.34, rope),
  ];
}

/** A loose flock that crosses the sky. */
export function birds(setting: Setting): (seconds: number) => readonly Shape[] {
  const { width, horizon, unit, mood, random } = setting;
  const color = mix(mood.near, [0, 0, 0], 0.3);
  const start = random.next();
  const height = horizon * random.between(0.15, 0.55);
  const flock = Array.from({ length: 3 + random.below(5) }, () => ({
    x: random.between(-0.09, 0.09) * unit,
    y: random.between(-0.05, 0.05) * unit,
    phase: random.next() * 7,
    size: unit * random.between(0.007, 0.013),
  }));
  return (seconds) => {
    const middle = wrap(start + 0.015 * seconds, width, unit * 0.15);
    return flock.flatMap(({ x, y, phase, size }) => {
      const body = { x: middle + x, y: height + y };
      const lift = size * (0.25 + 0.45 * Math.sin(seconds * 5 + phase));
      return [-1, 1].map((side) =>
        stroke(
          body,
          { x: body.x + side * size, y: body.y - lift },
          Math.max(1, size * 0.16),
          color,
        ),
      );
    });
  };
}

/** A place on a way across the picture that starts again beyond its edge. */
function wrap(part: number, width: number, margin: number): number {
  return (part - Math.floor(part)) * (width + 2 * margin) - margin;
}

function clockwise([a, b, c]: readonly [Point, Point, Point]): readonly Point[] {
  const turn = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  return turn > 0 ? [a, b, c] : [a, c, b];
}
