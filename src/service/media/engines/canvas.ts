/** local/canvas: images of colored shapes, written as PNG (ISO/IEC 15948) while they are drawn. */
import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflate } from 'node:zlib';
import * as z from 'zod/mini';
import { imageSizes } from '../../../contract/enums.js';
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { ServiceFailure } from '../../failure.js';
import { defineModel, randomFrom, seedOption, wordOption } from './define.js';
import { priceOf, type Color, type Paint, type Size } from './model.js';
import { u32 } from './movie.js';

/** The image formats (section 2.12), with their usual aspect ratios in lowest terms. */
const formats = [
  { ratio: '1:1', width: 1024, height: 1024 },
  { ratio: '7:4', width: 1792, height: 1024 },
  { ratio: '4:7', width: 1024, height: 1792 },
  { ratio: '3:2', width: 1536, height: 1024 },
  { ratio: '2:3', width: 1024, height: 1536 },
  { ratio: '4:3', width: 1280, height: 960 },
  { ratio: '3:4', width: 960, height: 1280 },
  { ratio: '16:9', width: 1536, height: 864 },
  { ratio: '9:16', width: 864, height: 1536 },
  { ratio: '21:9', width: 1792, height: 768 },
] as const;

type Choice = Partial<Record<'size' | 'aspect_ratio', string | undefined>>;

/** The format of a ratio or of a size such as `1920x1080`; undefined if not supported. */
function formatOf({ size = 'auto', aspect_ratio = '1:1' }: Choice) {
  if (size === 'auto') return formats.find(({ ratio }) => ratio === aspect_ratio);
  const [, width, height] = /^([1-9]\d{0,5})x([1-9]\d{0,5})$/.exec(size) ?? [];
  return formats.find((one) => Number(width) * one.height === Number(height) * one.width);
}

/** The price of an image of up to `plainPixels`; larger ones cost 50% more. */
const rubPerPicture = { draft: 0.6, standard: 2.4, high: 7.2 } as const;
const plainPixels = 1_400_000;
const shapeCount = { draft: 6, standard: 12, high: 30 } as const;
const qualities = ['draft', 'standard', 'high'] as const;

const sizeText = 'Width by height in pixels; auto is 1024x1024. Excludes aspect_ratio';
const ratioText = 'Aspect ratio, which sets the size. Excludes size';
const countText = 'Number of different images';
const ratios = formats.map(({ ratio }) => ratio);

export const canvas = defineModel({
  id: 'local/canvas',
  kind: 'image',
  summary: 'Draws colored shapes from a prompt',
  opts: {
    size: z.optional(z.enum(imageSizes).check(z.describe(sizeText))),
    aspect_ratio: z.optional(z.enum(ratios).check(z.describe(ratioText))),
    quality: wordOption(qualities, 'standard', 'Level of detail; sets the price'),
    n: z._default(z.int().check(z.gte(1), z.lte(4), z.describe(countText)), 1),
    ...seedOption,
  },
  either: ['size', 'aspect_ratio'],
  fromRub: rubPerPicture.draft,
  priceAxes: ['quality', 'size', 'aspect_ratio', 'n'],
  defaultTookMs: 4000,
  price: ({ opts }) => {
    const { width, height } = formatOf(opts) ?? formats[0];
    const sizeFactor = width * height > plainPixels ? 1.5 : 1;
    return priceOf({ perImageRub: rubPerPicture[opts.quality], sizeFactor, images: opts.n });
  },
  make: ({ prompt, opts }) => {
    const { quality, seed = 0 } = opts;
    const { width, height } = formatOf(opts) ?? formats[0];
    const size = { width, height };
    const texts = { Description: prompt, Software: 'svc local/canvas' };
    const files = Array.from({ length: opts.n }, (_, index) => {
      const scene = makeScene(prompt, `${seed}:${index}`, size, shapeCount[quality]);
      return { mediaType: 'image/png', ext: 'png', bytes: () => encodePng(size, scene, texts) };
    });
    return { files, resultMeta: { ...size, seed, quality } };
  },
});

/** The options of a synchronous image (2.12), or the unsupported field. */
export function canvasOptions({ size, quality = 'auto' }: { size?: string; quality?: string }) {
  const { ratio: aspect_ratio } = formatOf({ size }) ?? {};
  if (aspect_ratio === undefined) return { refused: 'size' };
  if (quality === 'auto') return { opts: { aspect_ratio } };
  const isOffered = qualities.some((one) => one === quality);
  return isOffered ? { opts: { aspect_ratio, quality } } : { refused: 'quality' };
}

/** Round and square shapes; every size of one ratio shows the same scene. */
export function makeScene(prompt: string, seed: string, size: Size, count = 12): Paint {
  const { width, height } = size;
  const random = randomFrom('scene', prompt, seed);
  const channel = () => 30 + 160 * random();
  const color = (): Color => [channel(), channel(), channel(), 255];
  const [left, right, bottom] = [color(), color(), color()];
  const shapes = Array.from({ length: count }, () => ({
    x: width * random(),
    y: height * random(),
    radius: Math.min(width, height) * (0.03 + 0.2 * random()),
    opacity: 0.3 + 0.6 * random(),
    isRound: random() < 0.6,
    color: color(),
  }));
  let line: number | undefined;
  let onLine = shapes;
  return (x, y) => {
    if (y !== line) {
      // Most shapes are far from most lines, and pictures are drawn line by line.
      line = y;
      onLine = shapes.filter((shape) => Math.abs(y - shape.y) < shape.radius);
    }
    const [across, down] = [x / width, y / height];
    let red = between(between(left[0], right[0], across), bottom[0], down);
    let green = between(between(left[1], right[1], across), bottom[1], down);
    let blue = between(between(left[2], right[2], across), bottom[2], down);
    for (const shape of onLine) {
      const [dx, dy] = [Math.abs(x - shape.x), Math.abs(y - shape.y)];
      // Math.hypot is slow.
      if (dx >= shape.radius || (shape.isRound && Math.hypot(dx, dy) >= shape.radius)) continue;
      const { color, opacity } = shape;
      red = between(red, color[0], opacity);
      green = between(green, color[1], opacity);
      blue = between(blue, color[2], opacity);
    }
    return [red, green, blue, 255];
  };
}

/** A value between two others, `part` of the way to the second. */
function between(from: number, to: number, part: number): number {
  return from + (to - from) * part;
}

/** The bytes of a PNG file; `texts` are notes by keyword, whose NULs become U+FFFD. */
export async function* encodePng(
  size: Size,
  paint: Paint,
  texts: Readonly<Record<string, string>>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  // Bit depth, RGBA, deflate, the five filters, not interlaced.
  const kind = Uint8Array.of(8, 6, 0, 0, 0);
  yield chunk('IHDR', Buffer.concat([u32(size.width), u32(size.height), kind]));
  for (const [keyword, text] of Object.entries(texts)) {
    // Keyword, NUL, not compressed, no language, no translated keyword, UTF-8.
    yield chunk('iTXt', Buffer.from(`${keyword}\0\0\0\0\0${text.replaceAll('\0', '\ufffd')}`));
  }
  const deflate = createDeflate({ chunkSize: 64 * 1024 });
  // The loop below throws the errors of both ends.
  pipeline(Readable.from(rows(size, paint), { objectMode: false }), deflate, () => undefined);
  const pieces: AsyncIterable<Uint8Array> = deflate;
  for await (const piece of pieces) yield chunk('IDAT', piece);
  yield chunk('IEND', new Uint8Array(0));
}

/** Rows of a filter and pixels; filter 1 gives the difference to the pixel before. */
function* rows({ width, height }: Size, paint: Paint): Generator<Uint8Array> {
  const pixels = new Uint8ClampedArray(width * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const color = paint(x + 0.5, y + 0.5);
      for (let channel = 0; channel < 4; channel++) pixels[x * 4 + channel] = color[channel] ?? 0;
    }
    const row = new Uint8Array(1 + pixels.length);
    row[0] = 1;
    for (let at = 0; at < pixels.length; at++) {
      row[1 + at] = (pixels[at] ?? 0) - (at < 4 ? 0 : (pixels[at - 4] ?? 0));
    }
    yield row;
  }
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([u32(data.length), body, u32(crc32(body))]);
}

/** Scales a PNG with bilinear interpolation. */
export async function readScaled(source: SizedSource, to: Size): Promise<Paint> {
  const { width, height, data } = await decode(await exactly(source, 0, source.length));
  const placeOf = (x: number, y: number) =>
    (Math.min(height - 1, y) * width + Math.min(width - 1, x)) * 4;
  return (x, y) => {
    const across = Math.max(0, x * (width / to.width) - 0.5);
    const down = Math.max(0, y * (height / to.height) - 0.5);
    const [left, top] = [Math.floor(across), Math.floor(down)];
    const [above, aboveRight] = [placeOf(left, top), placeOf(left + 1, top)];
    const [below, belowRight] = [placeOf(left, top + 1), placeOf(left + 1, top + 1)];
    const channel = (index: number) => {
      const inRow = (from: number, to: number) =>
        between(data[from + index] ?? 0, data[to + index] ?? 0, across - left);
      return between(inRow(above, aboveRight), inRow(below, belowRight), down - top);
    };
    return [channel(0), channel(1), channel(2), channel(3)];
  };
}

async function decode(bytes: Buffer) {
  // Loaded here, so that the service starts without it.
  const { PNG } = (await import('pngjs')).default;
  try {
    return PNG.sync.read(bytes);
  } catch {
    const message = 'the PNG is damaged: its pixels cannot be read';
    throw new ServiceFailure(422, 'source_unreadable', message);
  }
}
