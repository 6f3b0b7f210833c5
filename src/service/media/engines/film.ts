/** local/reel: short videos, which can be drawn again from the recipe in their notes. */
import type { SizedSource } from '../../../lib/audio/source.js';
import * as z from 'zod/mini';
import type { extendTiers } from '../../../contract/enums.js';
import {
  defineModel,
  numberOption,
  priceOf,
  randomFrom,
  seedOption,
  wordOption,
} from './define.js';
import { gridOf, parameterSets, pictureUnit, rawBlock, unitBytes, type Paint } from './h264.js';
import { makeScene } from './canvas.js';
import { encodeMp4, h264Entry, readRecipe, u32, type Sample, type Track } from './mp4.js';
import { MediaRefusal, type MediaFile, type MediaResult, type Size } from './types.js';

const resolutions = ['480p', '720p', '1080p'] as const;
type Resolution = (typeof resolutions)[number];

export const rubPerSecond: Readonly<Record<Resolution, number>> = {
  '480p': 1.2,
  '720p': 2.4,
  '1080p': 4.8,
};

export const reel = defineModel({
  id: 'local/reel',
  kind: 'video',
  title: 'Reel',
  summary: 'Films a slowly moving picture from the words of a prompt, without sound',
  prompt: 'required',
  opts: {
    seconds: numberOption(1, 60, 5, 'Length, to the nearest of 24 frames a second; sets the price'),
    resolution: wordOption(resolutions, '720p', 'The shorter side in pixels; sets the price'),
    aspect_ratio: wordOption(['16:9', '9:16', '1:1', '4:3'], '16:9', 'Width to height'),
    ...seedOption,
  },
  fromRub: rubPerSecond['480p'],
  priceAxes: ['seconds', 'resolution'],
  defaultTookMs: 15_000,
  price: ({ opts: { resolution, seconds } }) =>
    priceOf({ rubPerSecond: rubPerSecond[resolution], seconds }),
  make: ({ prompt, opts }, input) => {
    const seed = opts.seed ?? input.seed;
    const [width = 16, height = 9] = opts.aspect_ratio.split(':').map(Number);
    const size = frameSize(opts.resolution, { width, height });
    const parts = [{ prompt, seed, from: 0, seconds: opts.seconds }];
    return resultOf({ ...size, parts }, 'svc local/reel', { seed });
  },
});

/** The even sides of a picture of a shape. */
export function frameSize(resolution: Resolution, { width, height }: Size): Size {
  const scale = Number.parseInt(resolution, 10) / Math.min(width, height);
  const even = (side: number) => Math.round((side * scale) / 2) * 2;
  return { width: even(width), height: even(height) };
}

const side = () => z.int().check(z.gte(2), z.lte(4096), z.multipleOf(2));

/** What a film shows. It stands in the film's own notes, so that it can be drawn again. */
const Recipe = z.strictObject({
  width: side(),
  height: side(),
  parts: z
    .array(
      z.strictObject({
        prompt: z.string(),
        seed: z.int().check(z.gte(0)),
        /** The moment of the scene at which it begins, in seconds. */
        from: z.number().check(z.gte(0), z.lte(3600)),
        seconds: z.number().check(z.gt(0), z.lte(3600)),
      }),
    )
    .check(z.minLength(1), z.maxLength(64)),
  /** Shown as a small mark in a corner. */
  watermark: z.optional(z.string()),
});
type Recipe = z.output<typeof Recipe>;

/** The recipe of a film of this service; undefined for any other file. */
export async function recipeOf(source: SizedSource): Promise<Recipe | undefined> {
  try {
    return Recipe.parse(JSON.parse(await readRecipe(source)));
  } catch {
    // There is none, or somebody else wrote it.
    return undefined;
  }
}

export const framesPerSecond = 24;

function framesIn(length: number): number {
  return Math.max(1, Math.round(length * framesPerSecond));
}

function secondsOf({ parts }: Recipe): number {
  return parts.reduce((sum, part) => sum + framesIn(part.seconds), 0) / framesPerSecond;
}

function resultOf(recipe: Recipe, software: string, meta: object): MediaResult {
  const { width, height, parts } = recipe;
  const description = parts[0]?.prompt ?? '';
  const title = Array.from(description).slice(0, 80).join('');
  const notes = { title, description, software, recipe: JSON.stringify(recipe) };
  const file = videoFile(async function* (signal) {
    yield* encodeMp4([await videoTrack({ width, height }, framesOf(recipe), signal)], notes);
  });
  const resultMeta = { seconds: secondsOf(recipe), width, height, framesPerSecond, ...meta };
  return { files: [file], resultMeta };
}

export function videoFile(bytes: MediaFile['bytes']): MediaFile {
  return { mediaType: 'video/mp4', ext: 'mp4', bytes };
}

/** The same film at a larger size. */
export async function redraw(
  source: SizedSource,
  factor: number,
  software: string,
): Promise<MediaResult> {
  const recipe = await recipeOf(source);
  if (!recipe) throw new MediaRefusal('source_unsupported', 'the video has no recipe');
  const larger = { ...recipe, width: recipe.width * factor, height: recipe.height * factor };
  return resultOf(larger, software, { factor, method: 'redrawn' });
}

type Tier = (typeof extendTiers)[number];

/** How much longer a film gets. */
export const extensionSeconds: Readonly<Record<Tier, number>> = { lite: 3, fast: 5, quality: 8 };
const mostSeconds = 180;
const mostParts = 64;

interface Extension {
  readonly prompt: string;
  readonly tier: Tier;
  /** Another scene than the film's last; the same prompt without one goes on with it. */
  readonly seed?: number | undefined;
  /** Shown as a small mark in a corner, and kept in the film. */
  readonly watermark?: string | undefined;
}

/**
 * The whole film, and what comes after it: its last scene goes on when the prompt is the same,
 * another scene follows when it is not (section 4.3).
 */
export async function extendReel(source: SizedSource, extension: Extension): Promise<MediaResult> {
  const recipe = await recipeOf(source);
  const last = recipe?.parts.at(-1);
  if (!recipe || !last) {
    throw new MediaRefusal('source_unsupported', 'only videos of local/reel can be extended');
  }
  const { prompt, tier, seed = last.seed, watermark = recipe.watermark } = extension;
  const goesOn = prompt === last.prompt && seed === last.seed;
  const from = goesOn ? last.from + last.seconds : 0;
  const parts = [...recipe.parts, { prompt, seed, from, seconds: extensionSeconds[tier] }];
  const longer: Recipe = { ...recipe, parts, ...(watermark === undefined ? {} : { watermark }) };
  if (secondsOf(longer) > mostSeconds || parts.length > mostParts) {
    throw new MediaRefusal('source_too_long', `a film can have at most ${mostSeconds} seconds`);
  }
  return resultOf(longer, 'svc local/reel', { seed });
}

interface Frame {
  readonly paint: Paint;
  /** The blocks in which it differs from the last one; absent where a player can begin. */
  readonly blocks?: readonly number[];
}

const ticksPerFrame = 512;
/** A player can begin anew after so many frames. */
export const framesBetweenKeys = 5 * framesPerSecond;

/** Whoever waits for the keyboard or the network gets a turn. */
async function turn(signal: AbortSignal | undefined): Promise<void> {
  await new Promise(setImmediate);
  signal?.throwIfAborted();
}

/** Frames as a track. They are drawn when they are read, so that a long film takes no memory. */
export async function videoTrack(
  size: Size,
  frames: Iterable<Frame>,
  signal?: AbortSignal,
): Promise<Track> {
  const { columns, rows } = gridOf(size);
  const all = Array.from({ length: columns * rows }, (_, block) => block);
  const keyBytes = unitBytes(size, { sinceKey: 0, blocks: all });
  const samples: Sample[] = [];
  let sinceKey = 0;
  for (const { paint, blocks = all } of frames) {
    const isKey = blocks === all;
    sinceKey = isKey ? 0 : sinceKey + 1;
    const picture = { sinceKey, blocks };
    const length = isKey ? keyBytes : unitBytes(size, picture);
    const pieces = () => pictureUnit(size, picture, (block) => rawBlock(size, block, paint));
    samples.push({
      byteLength: 4 + length,
      isKey,
      pieces: async function* () {
        let held = [u32(length)];
        for (const piece of pieces()) {
          held.push(piece);
          if (held.length < 2 * columns) continue;
          yield Buffer.concat(held);
          held = [];
          await turn(signal);
        }
        yield Buffer.concat(held);
        await turn(signal);
      },
    });
    if (samples.length % framesPerSecond === 0) await turn(signal);
  }
  const timescale = framesPerSecond * ticksPerFrame;
  const ticks = samples.length * ticksPerFrame;
  const entry = h264Entry(size, parameterSets(size));
  const kind = 'video';
  return { kind, timescale, ticksPerSample: ticksPerFrame, ticks, entry, samples, size };
}

const white = [235, 235, 235] as const;

/** A scene for each part, and a white disc that wanders over it. */
function* framesOf({ width, height, parts, watermark }: Recipe): Generator<Frame> {
  const unit = Math.min(width, height);
  const radius = unit * 0.03;
  const { columns, rows } = gridOf({ width, height });
  const all = Array.from({ length: columns * rows }, (_, block) => block);
  const mark = watermark === undefined ? undefined : markOf(watermark, { width, height });
  for (const { prompt, seed, from, seconds: length } of parts) {
    const scene = makeScene(prompt, `${seed}:0`, { width, height });
    const discAt = (time: number) => ({
      x: width * (0.5 + 0.3 * Math.sin(time / 3 + (seed % 7))),
      y: height * (0.5 + 0.3 * Math.cos(time / 4)),
    });
    for (let frame = 0; frame < framesIn(length); frame++) {
      const time = from + frame / framesPerSecond;
      const [before, disc] = [discAt(time - 1 / framesPerSecond), discAt(time)];
      const paint: Paint = (x, y) => {
        const isDisc = Math.hypot(x - disc.x, y - disc.y) < radius;
        return isDisc || mark?.(x, y) ? white : scene(x + 0.5, y + 0.5);
      };
      const isTouched = (block: number) =>
        [before, disc].some(
          ({ x, y }) =>
            Math.abs(x - ((block % columns) + 0.5) * 16) < radius + 8 &&
            Math.abs(y - (Math.floor(block / columns) + 0.5) * 16) < radius + 8,
        );
      yield frame % framesBetweenKeys === 0 ? { paint } : { paint, blocks: all.filter(isTouched) };
    }
  }
}

/** A mark of five by five fields in the lower right corner, another one for every text. */
function markOf(text: string, { width, height }: Size): (x: number, y: number) => boolean {
  const random = randomFrom('mark', text);
  const fields = Array.from({ length: 25 }, () => random() < 0.55);
  const side = Math.min(width, height) * 0.014;
  const [left, top] = [width - side * 6.5, height - side * 6.5];
  return (x, y) => {
    const [column, row] = [Math.floor((x - left) / side), Math.floor((y - top) / side)];
    const isInside = column >= 0 && column < 5 && row >= 0 && row < 5;
    return isInside && fields[row * 5 + column] === true;
  };
}
