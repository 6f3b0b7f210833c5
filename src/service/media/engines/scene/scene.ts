/** A landscape from the words of a prompt: still, or at any moment of a slow day. */
import { randomFrom, type Random } from '../random.js';
import { ground, moving, sky, still, type Layer } from './layers.js';
import { lighthouse } from './lighthouse.js';
import { moodFor, type Mood } from './moods.js';
import { balloons, birds, boats, clouds, glints, pines, stars } from './things.js';
import { disc, glow, mix, type Box, type Point } from './shapes.js';

export interface Scene {
  readonly width: number;
  readonly height: number;
  /**
   * Paints the pixels `from` up to, not including, `to` of row `y` as they are at a time.
   * @param rgb takes three bytes a pixel from `offset` on
   */
  paint(
    y: number,
    from: number,
    to: number,
    seconds: number,
    rgb: Uint8Array,
    offset: number,
  ): void;
  /** Where the picture may differ between two times; parts may lie outside it. */
  changes(fromSeconds: number, toSeconds: number): readonly Box[];
}

/** What all parts of a scene share: the measures of the picture, its mood, its chance. */
export interface Setting {
  readonly width: number;
  readonly height: number;
  /** The shorter side: lengths are parts of it, so that any size shows the same scene. */
  readonly unit: number;
  /** The row where sky and land meet. */
  readonly horizon: number;
  readonly mood: Mood;
  readonly random: Random;
  readonly sun: Point;
}

export interface SceneOrder {
  readonly prompt: string;
  readonly seed: string;
  readonly width: number;
  readonly height: number;
}

/** The same prompt and seed show the same scene at every size of one shape. */
export function makeScene(order: SceneOrder): Scene {
  return stack(landscape(order), order);
}

/** Layers as one picture, the first one at the back. */
export function stack(
  layers: readonly Layer[],
  { width, height }: { readonly width: number; readonly height: number },
): Scene {
  let row = new Float32Array(0);
  return {
    width,
    height,
    paint: (y, from, to, seconds, rgb, offset) => {
      const length = (to - from) * 3;
      if (row.length < length) row = new Float32Array(length);
      for (const layer of layers) layer.paint(row, { y, from, to }, seconds);
      for (let at = 0; at < length; at++) rgb[offset + at] = (row[at] ?? 0) + 0.5;
    },
    changes: (fromSeconds, toSeconds) =>
      layers.flatMap(({ boxesAt }) =>
        boxesAt ? [...boxesAt(fromSeconds), ...boxesAt(toSeconds)] : [],
      ),
  };
}

/** The layers of the scene that a prompt asks for. */
export function landscape({ prompt, seed, width, height }: SceneOrder): readonly Layer[] {
  const random = randomFrom('scene', prompt, seed);
  const mood = moodFor(prompt, random.next());
  const horizon = height * random.between(0.52, 0.66);
  const sun = { x: width * random.between(0.18, 0.82), y: horizon * random.between(0.3, 0.8) };
  const unit = Math.min(width, height);
  const setting: Setting = { width, height, unit, horizon, mood, random, sun };
  const hasLighthouse = /lighthouse|маяк/iu.test(prompt);
  const hasSea = hasLighthouse || random.next() < 0.5;
  return [
    sky(mood.sky, horizon, sun, mood.light),
    still(mood.dark ? stars(setting) : []),
    still([
      glow(sun, unit * 0.16, mood.light, 0.5),
      disc(sun, unit * random.between(0.035, 0.06), mood.sun),
    ]),
    still(clouds(setting)),
    ...hills(setting, hasSea ? 2 : 4),
    moving(birds(setting)),
    ...(hasSea ? shore(setting) : meadow(setting)),
    ...(hasLighthouse ? lighthouse(setting) : []),
  ];
}

/** Ranges of hills, each nearer, lower and darker than the one behind it. */
function hills(setting: Setting, count: number): readonly Layer[] {
  const { unit, horizon, mood, height } = setting;
  return Array.from({ length: count }, (_, index) => {
    const nearness = index / Math.max(1, count);
    const base = horizon - unit * 0.1 * (1 - nearness) + (height - horizon) * 0.5 * nearness ** 1.5;
    const color = mix(mood.far, mood.near, nearness * 0.9);
    const crest = ridge(setting, base, unit * (0.1 - 0.04 * nearness));
    return ground(crest, color, mix(color, mood.sky[2], 0.45), unit * 0.3);
  });
}

function shore(setting: Setting): readonly Layer[] {
  const { width, height, horizon, mood } = setting;
  const level = new Float32Array(width).fill(horizon);
  return [
    ground(level, ...mood.sea, height - horizon),
    still(glints(setting)),
    moving(boats(setting)),
  ];
}

function meadow(setting: Setting): readonly Layer[] {
  const { unit, height, horizon, mood } = setting;
  const crest = ridge(setting, horizon + (height - horizon) * 0.66, unit * 0.04);
  return [
    moving(balloons(setting)),
    ground(crest, mood.near, mix(mood.near, [0, 0, 0], 0.5), height - horizon),
    still(pines(setting, crest)),
  ];
}

/** The upper edge of a range: waves of ever shorter length on each other. */
function ridge({ width, unit, random }: Setting, base: number, swing: number): Float32Array {
  const waves = [0.9, 2.1, 4.7, 11].map((frequency, index) => ({
    frequency: (frequency * random.between(0.8, 1.25) * 2 * Math.PI) / (2 * unit),
    phase: random.between(0, 2 * Math.PI),
    swing: swing / 2 ** index,
  }));
  return Float32Array.from({ length: width }, (_, x) =>
    waves.reduce((y, wave) => y - wave.swing * Math.sin(x * wave.frequency + wave.phase), base),
  );
}
