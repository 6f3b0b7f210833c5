import { describe, expect, it } from 'vitest';
import { Encoder, type Paint } from '../../../../../src/service/media/engines/h264/encoder.js';
import {
  chromaToken,
  chromaZeros,
  coefficientTokens,
  runs,
  totalZeros,
} from '../../../../../src/service/media/engines/h264/tables.js';
import { seeded } from '../../../../helpers/random.js';
import { decodeUnits, type Frame } from './decoder.js';

const rest = () => Promise.resolve();

type Pixel = (x: number, y: number) => readonly [red: number, green: number, blue: number];

function painter(pixel: Pixel): Paint {
  return (y, from, to, rgb, offset) => {
    for (let x = from; x < to; x++) rgb.set(pixel(x, y), offset + (x - from) * 3);
  };
}

/** How far a decoded frame is off on average, in brightness and in color. */
function offBy(frame: Frame | undefined, width: number, height: number, pixel: Pixel) {
  const { samples = new Uint8Array(0), width: stride = 0, height: rows = 0 } = frame ?? {};
  const off = { luma: 0, blue: 0, red: 0 };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      off.luma += Math.abs(
        component(pixel(x, y), [0.2126, 0.7152, 0.0722], 16) - at(y * stride + x),
      );
    }
  }
  const planes = [
    ['blue', [-0.1146, -0.3854, 0.5], stride * rows],
    ['red', [0.5, -0.4542, -0.0458], (stride * rows * 5) / 4],
  ] as const;
  for (const [name, weights, from] of planes) {
    for (let y = 0; y < height / 2; y++) {
      for (let x = 0; x < width / 2; x++) {
        const four = [0, 1, 2, 3].map((part) =>
          component(pixel(2 * x + (part & 1), 2 * y + (part >> 1)), weights, 128),
        );
        const mean = four.reduce((sum, one) => sum + one, 0) / 4;
        off[name] += Math.abs(mean - at(from + (y * stride) / 2 + x)) * 4;
      }
    }
  }
  return Math.max(off.luma, off.blue, off.red) / (width * height);

  function at(index: number): number {
    return samples[index] ?? Infinity;
  }
}

/** BT.709: brightness from 16 to 235, color around 128. */
function component(rgb: readonly number[], weights: readonly number[], from: number): number {
  const range = from === 16 ? 219 : 224;
  const sum = rgb.reduce((total, value, index) => total + value * (weights[index] ?? 0), 0);
  return from + (sum * range) / 255;
}

function noise(seed: number, swing: number): Pixel {
  const random = seeded(seed);
  const values = Array.from({ length: 4096 }, () => random.below(swing + 1));
  return (x, y) => {
    const at = (x * 61 + y * 257) % 4093;
    return [values[at] ?? 0, values[at + 1] ?? 0, values[at + 2] ?? 0];
  };
}

describe('the codes of coefficients', () => {
  const tables = [...coefficientTokens, chromaToken, ...totalZeros, ...chromaZeros, ...runs];

  it('are such that none begins another', () => {
    for (const { lengths, values } of tables) {
      const codes = lengths
        .map((length, index) =>
          (values[index] ?? 0).toString(2).padStart(length, '0').slice(0, length),
        )
        .filter((code) => code !== '');
      for (const one of codes) {
        expect(codes.filter((other) => other.startsWith(one))).toEqual([one]);
      }
    }
  });
});

describe('the encoder', () => {
  const pictures: readonly (readonly [name: string, pixel: Pixel])[] = [
    ['a flat grey', () => [90, 90, 90]],
    ['black and white', (x) => (x % 40 < 20 ? [0, 0, 0] : [255, 255, 255])],
    ['a slow fade', (x, y) => [x, y, (x + y) >> 1]],
    ['faint noise', noise(1, 12)],
    ['noise', noise(2, 90)],
    ['the loudest noise', noise(3, 255)],
  ];

  it.each(pictures)('draws %s so that another decoder shows it', async (_, pixel) => {
    const [width, height] = [112, 80];
    const encoder = new Encoder({ width, height, framesPerSecond: 24 });
    const key = await encoder.key(painter(pixel), rest);
    const [frame, ...others] = await decodeUnits([encoder.sequence, encoder.picture, key]);
    expect(others).toEqual([]);
    expect([frame?.width, frame?.height]).toEqual([width, height]);
    expect(offBy(frame, width, height, pixel)).toBeLessThan(3.5);
  });

  it('repeats its last pixels up to whole blocks, which are not shown', async () => {
    const pixel: Pixel = (x, y) => [x * 5, y * 7, 40];
    const encoder = new Encoder({ width: 38, height: 22, framesPerSecond: 24 });
    const [frame] = await decodeUnits([
      encoder.sequence,
      encoder.picture,
      await encoder.key(painter(pixel), rest),
    ]);
    expect([frame?.width, frame?.height]).toEqual([48, 32]);
    expect(offBy(frame, 38, 22, pixel)).toBeLessThan(2);
  });

  it('sends of a change what has changed, and keeps the rest as it was', async () => {
    const [width, height] = [160, 96];
    const before = noise(5, 120);
    const after: Pixel = (x, y) =>
      x >= 70 && x < 90 && y >= 30 && y < 50 ? [250, 20, 20] : before(x, y);
    const encoder = new Encoder({ width, height, framesPerSecond: 24 });
    const key = await encoder.key(painter(before), rest);
    const change = encoder.change(painter(after), [{ left: 70, top: 30, right: 90, bottom: 50 }]);
    const none = encoder.change(painter(before), []);
    const frames = await decodeUnits([encoder.sequence, encoder.picture, key, change, none]);
    expect(frames).toHaveLength(3);
    expect(offBy(frames[1], width, height, after)).toBeLessThan(3.5);
    expect(frames[2]?.samples).toEqual(frames[1]?.samples);
    expect(change.length).toBeLessThan(key.length / 4);
    expect(none.length).toBeLessThan(12);
  });

  it('does not drift over hundreds of changes, and starts anew at every key', async () => {
    const [width, height] = [64, 48];
    const at = (step: number): Pixel => {
      const base = noise(9, 60);
      return (x, y) => (Math.abs(x - (step % 64)) < 6 ? [240, 240, 0] : base(x, y));
    };
    const encoder = new Encoder({ width, height, framesPerSecond: 24 });
    const units: Uint8Array[] = [];
    for (let step = 0; step < 300; step++) {
      const paint = painter(at(step));
      const left = step % 64;
      const regions = [
        { left: left - 8, top: 0, right: left + 8, bottom: height },
        { left: 0, top: 0, right: 8, bottom: height },
        { left: 56, top: 0, right: 64, bottom: height },
      ];
      units.push(
        step % 150 === 0 ? await encoder.key(paint, rest) : encoder.change(paint, regions),
      );
    }
    const frames = await decodeUnits([encoder.sequence, encoder.picture, ...units]);
    expect(frames).toHaveLength(300);
    expect(offBy(frames[149], width, height, at(149))).toBeLessThan(3.5);
    expect(offBy(frames[299], width, height, at(299))).toBeLessThan(3.5);
  });

  it('leaves out regions beyond the picture', async () => {
    const grey: Pixel = () => [128, 128, 128];
    const encoder = new Encoder({ width: 32, height: 32, framesPerSecond: 24 });
    const units = [
      await encoder.key(painter(grey), rest),
      encoder.change(painter(grey), [
        { left: -400, top: -400, right: -10, bottom: -10 },
        { left: 32, top: 0, right: 90, bottom: 32 },
        { left: 0, top: 32, right: 32, bottom: 99 },
      ]),
    ];
    const frames = await decodeUnits([encoder.sequence, encoder.picture, ...units]);
    expect(frames).toHaveLength(2);
    expect(units[1]?.length).toBeLessThan(12);
  });

  it('refuses a picture that no level holds', () => {
    expect(() => new Encoder({ width: 8192, height: 8192, framesPerSecond: 24 })).toThrow(
      RangeError,
    );
  });
});
