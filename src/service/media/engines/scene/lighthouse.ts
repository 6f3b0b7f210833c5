/** A lighthouse on its rock. */
import { ground, moving, still, type Layer } from './layers.js';
import type { Setting } from './scene.js';
import { disc, glow, mix, polygon, stroke, type Color, type Shape } from './shapes.js';

const white: Color = [244, 240, 230];
const red: Color = [196, 58, 48];
const iron: Color = [52, 54, 66];
const lampLight: Color = [255, 238, 170];

export function lighthouse(setting: Setting): readonly Layer[] {
  const { width, height, unit, horizon, mood, random, sun } = setting;
  // Opposite the sun, so that neither hides the other.
  const left = sun.x > width / 2;
  const x = width * (left ? random.between(0.16, 0.3) : random.between(0.7, 0.84));
  const foot = horizon + (height - horizon) * 0.3;
  const tall = Math.min(unit * random.between(0.42, 0.5), foot * 0.8);
  const shade = mood.dark ? 0.4 : 0;
  const tinted = (color: Color) => mix(color, mood.near, shade);
  const lamp = { x, y: foot - tall * 1.045 };
  return [
    ground(
      rock(setting, x, foot),
      mix(mood.near, iron, 0.3),
      mix(mood.near, [0, 0, 0], 0.4),
      unit * 0.3,
    ),
    still([...tower(x, foot, tall, tinted), ...house(x, foot, tall, tinted, mood.dark)]),
    still(mood.dark ? beams(lamp, width) : []),
    moving((seconds) => {
      const bright = 0.55 + 0.45 * Math.sin(seconds * 2.5);
      return [
        glow(lamp, tall * 0.17, lampLight, (mood.dark ? 0.85 : 0.4) * bright),
        disc(lamp, tall * 0.028, lampLight, 0.5 + 0.5 * bright),
      ];
    }),
  ];
}

/** A headland that sinks into the sea on both sides. */
function rock({ width, unit, random }: Setting, x: number, foot: number): Float32Array {
  const half = unit * random.between(0.24, 0.34);
  const rough = random.between(0, 7);
  return Float32Array.from({ length: width }, (_, column) => {
    const out = Math.abs(column - x) / half;
    const ragged = Math.sin((column / unit) * 60 + rough) + Math.sin((column / unit) * 143 + rough);
    const level = out < 0.35 ? 0 : ((out - 0.35) / 0.65) ** 1.6;
    return foot + level * unit * 0.17 + (out < 0.3 ? 0 : ragged * unit * 0.004);
  });
}

function tower(
  x: number,
  foot: number,
  tall: number,
  tinted: (color: Color) => Color,
): readonly Shape[] {
  const halfAt = (part: number) => tall * (0.1 - 0.045 * part);
  const bands = 6;
  const body = Array.from({ length: bands }, (_, index) => {
    const [low, high] = [index / bands, (index + 1) / bands];
    // A little overlap keeps the seams shut.
    const bottom = foot - tall * low + (index === 0 ? tall * 0.04 : 0.5);
    return polygon(
      [
        { x: x - halfAt(high), y: foot - tall * high },
        { x: x + halfAt(high), y: foot - tall * high },
        { x: x + halfAt(low), y: bottom },
        { x: x - halfAt(low), y: bottom },
      ],
      tinted(index % 2 === 0 ? white : red),
    );
  });
  const top = foot - tall;
  const half = halfAt(1);
  return [
    ...body,
    // The side away from the light.
    polygon(
      [
        { x: x + half * 0.35, y: top },
        { x: x + half, y: top },
        { x: x + halfAt(0), y: foot },
        { x: x + halfAt(0) * 0.35, y: foot },
      ],
      [20, 20, 40],
      0.22,
    ),
    stroke({ x: x - half * 1.5, y: top }, { x: x + half * 1.5, y: top }, tall * 0.022, iron),
    stroke({ x, y: top }, { x, y: top - tall * 0.07 }, half * 1.1, tinted([150, 170, 180])),
    disc({ x, y: top - tall * 0.09 }, half * 0.72, tinted(red)),
    stroke({ x, y: top - tall * 0.1 }, { x, y: top - tall * 0.2 }, Math.max(1, tall * 0.008), iron),
  ];
}

function house(
  x: number,
  foot: number,
  tall: number,
  tinted: (color: Color) => Color,
  lit: boolean,
): readonly Shape[] {
  const [from, to] = [x + tall * 0.08, x + tall * 0.34];
  const [roof, low] = [foot - tall * 0.13, foot + tall * 0.06];
  const window = lit ? lampLight : iron;
  return [
    polygon(
      [
        { x: from, y: roof },
        { x: to, y: roof },
        { x: to, y: low },
        { x: from, y: low },
      ],
      tinted(white),
    ),
    polygon(
      [
        { x: (from + to) / 2, y: roof - tall * 0.11 },
        { x: to + tall * 0.02, y: roof },
        { x: from - tall * 0.02, y: roof },
      ],
      tinted(red),
    ),
    ...[0.36, 0.72].map((part) => {
      const middle = from + (to - from) * part;
      return stroke(
        { x: middle, y: roof + tall * 0.045 },
        { x: middle, y: roof + tall * 0.075 },
        tall * 0.035,
        window,
      );
    }),
  ];
}

/** Two cones of light. */
function beams({ x, y }: { x: number; y: number }, reach: number): readonly Shape[] {
  return [-1, 1].flatMap((side) =>
    [0.05, 0.09, 0.14].map((width) => {
      const end = x + side * reach;
      const [high, low] = [
        { x: end, y: y - reach * width },
        { x: end, y: y + reach * width },
      ];
      return polygon(side > 0 ? [{ x, y }, high, low] : [{ x, y }, low, high], lampLight, 0.09);
    }),
  );
}
