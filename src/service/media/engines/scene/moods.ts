/** Times of day, as colors. */
import type { Color } from './shapes.js';

export interface Mood {
  /** From the zenith down to the horizon. */
  readonly sky: readonly [Color, Color, Color];
  readonly sun: Color;
  /** What the sun sheds on the sky around it and on the water. */
  readonly light: Color;
  /** The farthest range of hills; nearer ones turn towards `near`. */
  readonly far: Color;
  readonly near: Color;
  /** From the horizon down. */
  readonly sea: readonly [Color, Color];
  readonly dark: boolean;
}

const dawn: Mood = {
  sky: [rgb('4a5d94'), rgb('c58fa8'), rgb('ffd9a8')],
  sun: rgb('fff1c9'),
  light: rgb('ffe3b0'),
  far: rgb('a98aa8'),
  near: rgb('3b3557'),
  sea: [rgb('dcae9f'), rgb('4b5583')],
  dark: false,
};

const day: Mood = {
  sky: [rgb('2f7fc4'), rgb('7fbce4'), rgb('d9f0f2')],
  sun: rgb('fffbe0'),
  light: rgb('ffffff'),
  far: rgb('8fb3c4'),
  near: rgb('2c6650'),
  sea: [rgb('8fcbd6'), rgb('1c5d86')],
  dark: false,
};

const mist: Mood = {
  sky: [rgb('8ea7ad'), rgb('c3d0cc'), rgb('f1ead8')],
  sun: rgb('ffffff'),
  light: rgb('fff6dc'),
  far: rgb('b9c7c2'),
  near: rgb('46605d'),
  sea: [rgb('c9d3cb'), rgb('5f7f82')],
  dark: false,
};

const dusk: Mood = {
  sky: [rgb('2b2350'), rgb('a8456b'), rgb('ffab5e')],
  sun: rgb('ffe08a'),
  light: rgb('ffb36b'),
  far: rgb('8a4a6e'),
  near: rgb('211a38'),
  sea: [rgb('d97f5f'), rgb('35245a')],
  dark: true,
};

const night: Mood = {
  sky: [rgb('070b1f'), rgb('142552'), rgb('35568a')],
  sun: rgb('f4f1dc'),
  light: rgb('8fb0dc'),
  far: rgb('2b4470'),
  near: rgb('0a1226'),
  sea: [rgb('2d4a7c'), rgb('0a1430')],
  dark: true,
};

const daily = [dawn, day, mist, dusk] as const;

/** The mood that a prompt asks for by a word, or one of all. */
export function moodFor(prompt: string, choice: number): Mood {
  if (/night|midnight|moon|stars|ночь|луна|звёзд/iu.test(prompt)) return night;
  if (/sunset|dusk|evening|закат|вечер/iu.test(prompt)) return dusk;
  if (/sunrise|dawn|morning|рассвет|утро/iu.test(prompt)) return dawn;
  return [...daily, night][Math.floor(choice * (daily.length + 1))] ?? day;
}

function rgb(hex: string): Color {
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
