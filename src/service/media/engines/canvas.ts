/** local/canvas: pictures of colored shapes. */
import * as z from 'zod/mini';
import { imageSizes } from '../../../contract/enums.js';
import { defineModel, priceOf, randomFrom, seedOption, wordOption } from './define.js';
import type { Size } from './types.js';

/** The shapes of picture that local/canvas makes (section 2.12), in lowest terms as people say. */
const ratios = ['1:1', '7:4', '4:7', '3:2', '2:3', '4:3', '3:4', '16:9', '9:16', '21:9'] as const;
type Ratio = (typeof ratios)[number];

const sizeByRatio: Readonly<Record<Ratio, Size>> = {
  '1:1': { width: 1024, height: 1024 },
  '7:4': { width: 1792, height: 1024 },
  '4:7': { width: 1024, height: 1792 },
  '3:2': { width: 1536, height: 1024 },
  '2:3': { width: 1024, height: 1536 },
  '4:3': { width: 1280, height: 960 },
  '3:4': { width: 960, height: 1280 },
  '16:9': { width: 1536, height: 864 },
  '9:16': { width: 864, height: 1536 },
  '21:9': { width: 1792, height: 768 },
};

const qualities = ['draft', 'standard', 'high'] as const;
type Quality = (typeof qualities)[number];

/** For a picture of up to `plainPixels`; larger ones cost half as much again. */
const rubPerPicture: Readonly<Record<Quality, number>> = { draft: 0.6, standard: 2.4, high: 7.2 };
const plainPixels = 1_400_000;
const largeFactor = 1.5;
const mostPictures = 4;

/** The ratio that a size such as `1920x1080` reduces to; undefined when it is none of the above. */
function ratioOf(size: string): Ratio | undefined {
  if (size === 'auto') return '1:1';
  const [, width, height] = /^([1-9]\d{0,5})x([1-9]\d{0,5})$/.exec(size) ?? [];
  return ratios.find((ratio) => {
    const ours = sizeByRatio[ratio];
    return Number(width) * ours.height === Number(height) * ours.width;
  });
}

export const canvas = defineModel({
  id: 'local/canvas',
  kind: 'image',
  title: 'Canvas',
  summary: 'Draws colored shapes from the words of a prompt',
  prompt: 'required',
  opts: {
    size: z.optional(
      z
        .enum(imageSizes)
        .check(z.describe('Pixels, width by height; auto is 1024x1024. Not with aspect_ratio')),
    ),
    aspect_ratio: z.optional(
      z.enum(ratios).check(z.describe('Width to height; the size follows from it. Not with size')),
    ),
    quality: wordOption(qualities, 'standard', 'How finely it is drawn; sets the price'),
    n: z._default(
      z.int().check(z.gte(1), z.lte(mostPictures), z.describe('How many pictures, each another')),
      1,
    ),
    ...seedOption,
  },
  either: ['size', 'aspect_ratio'],
  fromRub: rubPerPicture.draft,
  priceAxes: ['quality', 'size', 'aspect_ratio', 'n'],
  defaultTookMs: 4000,
  price: ({ opts }) => {
    const { width, height } = canvasSize(opts);
    const sizeFactor = width * height > plainPixels ? largeFactor : 1;
    const perImageRub = rubPerPicture[opts.quality];
    return priceOf({ perImageRub, sizeFactor, images: opts.n });
  },
  make: async ({ prompt, opts }, input) => {
    const { encodePng } = await import('./png.js');
    const { quality, seed = input.seed } = opts;
    const size = canvasSize(opts);
    const texts = { Description: prompt, Software: 'svc local/canvas' };
    const files = Array.from({ length: opts.n }, (_, index) => {
      const rows = () => paintRows(makeScene(prompt, `${seed}:${index}`, size), size, quality);
      const bytes = () => encodePng({ ...size, channels: 3, rows }, texts);
      return { mediaType: 'image/png', ext: 'png', bytes };
    });
    return { files, resultMeta: { ...size, seed, quality } };
  },
});

function canvasSize(opts: { readonly size?: string; readonly aspect_ratio?: Ratio }): Size {
  return sizeByRatio[opts.aspect_ratio ?? ratioOf(opts.size ?? 'auto') ?? '1:1'];
}

/** What an image made while the caller waits asks for (section 2.12). */
interface ImageOptions {
  readonly size?: string;
  readonly quality?: string;
}

/**
 * The options of local/canvas for a synchronous image, or the field that it does not offer.
 * `auto` leaves the choice to the model.
 */
export function canvasOptions({
  size = 'auto',
  quality = 'auto',
}: ImageOptions):
  { readonly opts: Readonly<Record<string, string>> } | { readonly refused: keyof ImageOptions } {
  const ratio = ratioOf(size);
  if (!ratio) return { refused: 'size' };
  if (quality === 'auto') return { opts: { aspect_ratio: ratio } };
  if (!qualities.some((one) => one === quality)) return { refused: 'quality' };
  return { opts: { aspect_ratio: ratio, quality } };
}

type Color = readonly [red: number, green: number, blue: number];
/** The color of a point. */
export type Scene = (x: number, y: number) => Color;

interface Shape {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  /** How much of the shape is seen over what lies behind it, 0 to 1. */
  readonly opacity: number;
  readonly isRound: boolean;
  readonly color: Color;
}

/**
 * Round and square shapes on a ground that changes its color. Places are parts of the shorter
 * side, so that the same prompt and seed show the same scene at every size of one shape.
 */
export function makeScene(prompt: string, seed: string, { width, height }: Size): Scene {
  const random = randomFrom('scene', prompt, seed);
  const channel = () => 30 + 160 * random();
  const color = (): Color => [channel(), channel(), channel()];
  const unit = Math.min(width, height);
  const [left, right, bottom] = [color(), color(), color()];
  const shapes = Array.from({ length: 12 }, (): Shape => ({
    x: width * random(),
    y: height * random(),
    radius: unit * (0.03 + 0.2 * random()),
    opacity: 0.3 + 0.6 * random(),
    isRound: random() < 0.6,
    color: color(),
  }));
  return (x, y) => {
    const [across, down] = [x / width, y / height];
    const ground = mix(mix(left, right, across), bottom, down);
    return shapes.reduce((behind, shape) => {
      const [dx, dy] = [Math.abs(x - shape.x), Math.abs(y - shape.y)];
      if (dx > shape.radius || dy > shape.radius) return behind;
      if (shape.isRound && dx * dx + dy * dy > shape.radius ** 2) return behind;
      return mix(behind, shape.color, shape.opacity);
    }, ground);
  };
}

function mix(from: Color, to: Color, part: number): Color {
  return [
    from[0] + (to[0] - from[0]) * part,
    from[1] + (to[1] - from[1]) * part,
    from[2] + (to[2] - from[2]) * part,
  ];
}

/** A draft repeats each pixel four times; a high picture is the mean of four points a pixel. */
function* paintRows(scene: Scene, { width, height }: Size, quality: Quality) {
  const row = new Uint8Array(width * 3);
  const block = quality === 'draft' ? 2 : 1;
  const places = quality === 'high' ? [0.25, 0.75] : [0.5];
  const points = places.flatMap((down) => places.map((across) => ({ across, down })));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const colors = points.map(({ across, down }) =>
        scene(x - (x % block) + across, y - (y % block) + down),
      );
      for (const channel of [0, 1, 2] as const) {
        const sum = colors.reduce((total, color) => total + color[channel], 0);
        row[x * 3 + channel] = sum / colors.length;
      }
    }
    yield row;
  }
}
