/** local/reel: short videos, which can be redrawn from the recipe stored in them. */
import * as z from 'zod/mini';
import type { ExtendRequest } from '../../../contract/media.js';
import type { SizedSource } from '../../../lib/audio/source.js';
import { parsedJson } from '../../../lib/json.js';
import { assertHolds } from '../../failure.js';
import { makeScene } from './canvas.js';
import { defineModel, numberOption, seedOption, wordOption } from './define.js';
import { priceOf, type MediaResult, type Paint, type Size } from './model.js';
import { boxesIn, framesPerSecond, gridOf, movieBytes, videoTrack, type Frame } from './movie.js';

export const rubPerSecond = { '480p': 1.2, '720p': 2.4, '1080p': 4.8 } as const;
const resolutions = ['480p', '720p', '1080p'] as const;

const lengthText = 'Length in seconds, rounded to a frame (24 a second); sets the price';

export const reel = defineModel({
  id: 'local/reel',
  kind: 'video',
  summary: 'Makes a slow, silent video from a prompt',
  opts: {
    seconds: numberOption(1, 60, 5, lengthText),
    resolution: wordOption(resolutions, '720p', 'The shorter side in pixels; sets the price'),
    aspect_ratio: wordOption(['16:9', '9:16', '1:1', '4:3'], '16:9', 'Aspect ratio'),
    ...seedOption,
  },
  fromRub: rubPerSecond['480p'],
  priceAxes: ['seconds', 'resolution'],
  defaultTookMs: 15_000,
  price: ({ opts: { resolution, seconds } }) =>
    priceOf({ rubPerSecond: rubPerSecond[resolution], seconds }),
  make: ({ prompt, opts: { resolution, seconds, aspect_ratio, seed = 0 } }) => {
    const [width, height] = aspect_ratio.split(':').map(Number);
    const parts = [{ prompt, seed, from: 0, seconds }];
    return resultOf({ ...frameSize(resolution, { width, height }), parts }, { seed });
  },
});

/** The frame size for an aspect ratio; both sides are even. */
export function frameSize(
  resolution: (typeof resolutions)[number],
  { width = 1, height = 1 }: Partial<Size>,
): Size {
  const scale = Number.parseInt(resolution, 10) / Math.min(width, height);
  const even = (side: number) => Math.round((side * scale) / 2) * 2;
  return { width: even(width), height: even(height) };
}

const maxSeconds = 180;
const evenSide = z.int().check(z.gte(2), z.lte(4096), z.multipleOf(2));
const Part = z.strictObject({
  prompt: z.string(),
  seed: z.int().check(z.gte(0)),
  /** Its start in the scene and its length, in seconds. */
  from: z.number(),
  seconds: z.number().check(z.gt(0)),
});

const Recipe = z
  .strictObject({
    width: evenSide,
    height: evenSide,
    parts: z.array(Part).check(z.minLength(1)),
    /** Shown as a small mark in a corner. */
    watermark: z.optional(z.string()),
  })
  .check(z.refine((recipe) => secondsOf(recipe) <= maxSeconds));
type Recipe = z.output<typeof Recipe>;

/** The recipe of a film of this service; undefined for any other file. */
export async function recipeOf(source: SizedSource): Promise<Recipe | undefined> {
  const note = (await boxesIn(source)).find(({ type }) => type === 'svcr');
  // It is missing or was written by other software.
  return Recipe.safeParse(parsedJson(String(note?.content))).data;
}

function frameCount(seconds: number): number {
  return Math.max(1, Math.round(seconds * framesPerSecond));
}

function secondsOf({ parts }: { readonly parts: readonly z.output<typeof Part>[] }): number {
  return parts.reduce((sum, part) => sum + frameCount(part.seconds), 0) / framesPerSecond;
}

function resultOf(recipe: Recipe, meta: object): MediaResult {
  const { width, height } = recipe;
  // Frames are listed when the film is read, not when the job ends.
  const bytes = () => movieBytes([videoTrack(recipe, framesOf(recipe))], JSON.stringify(recipe));
  const resultMeta = { seconds: secondsOf(recipe), width, height, framesPerSecond, ...meta };
  return { files: [{ mediaType: 'video/mp4', ext: 'mp4', bytes }], resultMeta };
}

export async function redraw(source: SizedSource, factor: number): Promise<MediaResult> {
  const recipe = await recipeOf(source);
  assertHolds(recipe, 422, 'source_unsupported', 'the video has no recipe');
  const larger = { ...recipe, width: recipe.width * factor, height: recipe.height * factor };
  return resultOf(larger, { factor, method: 'redrawn' });
}

export const extensionSeconds = { lite: 3, fast: 5, quality: 8 } as const;

/** The film and its extension: the last scene continues, or another follows (4.3). */
export async function extendReel(
  source: SizedSource,
  { prompt, tier, seeds, watermark }: Omit<z.output<typeof ExtendRequest>, 'taskId'>,
): Promise<MediaResult> {
  const recipe = await recipeOf(source);
  const last = recipe?.parts.at(-1);
  const foreign = 'only videos of local/reel can be extended';
  assertHolds(recipe && last, 422, 'source_unsupported', foreign);
  const seed = seeds ?? last.seed;
  const continues = prompt === last.prompt && seed === last.seed;
  const from = continues ? last.from + last.seconds : 0;
  const parts = [...recipe.parts, { prompt, seed, from, seconds: extensionSeconds[tier] }];
  const longer = { ...recipe, parts, ...(watermark !== undefined && { watermark }) };
  const long = `a film can have at most ${maxSeconds} seconds`;
  assertHolds(secondsOf(longer) <= maxSeconds, 422, 'source_too_long', long);
  return resultOf(longer, { seed });
}

/** A scene for each part, and a white square of complete blocks that moves across it. */
function framesOf({ parts, watermark, ...size }: Recipe): Frame[] {
  const { columns, rows } = gridOf(size);
  const side = Math.max(1, Math.round(Math.min(columns, rows) / 16));
  // A watermark is a small square in the lower right corner.
  const mark = watermark === undefined ? 0 : Math.min(size.width, size.height) * 0.07;
  return parts.flatMap(({ prompt, seed, from, seconds }) => {
    const scene = makeScene(prompt, `${seed}:0`, size);
    /** The blocks that are white at a frame. */
    const squareAt = (frame: number) => {
      const time = from + frame / framesPerSecond;
      const left = Math.floor(columns * (0.5 + 0.3 * Math.sin(time / 3 + (seed % 7))));
      const top = Math.floor(rows * (0.5 + 0.3 * Math.cos(time / 4)));
      const blockAt = (_: unknown, index: number) =>
        (top + Math.floor(index / side)) * columns + left + (index % side);
      return new Set(Array.from({ length: side ** 2 }, blockAt));
    };
    return Array.from({ length: frameCount(seconds) }, (_, frame): Frame => {
      const [before, now] = [squareAt(frame - 1), squareAt(frame)];
      const paint: Paint = (x, y) => {
        const isWhite = now.has(Math.floor(y / 16) * columns + Math.floor(x / 16));
        const isMark = x > size.width - mark && y > size.height - mark;
        return isWhite || isMark ? [235, 235, 235, 255] : scene(x, y);
      };
      // A player can start every five seconds.
      if (frame % (5 * framesPerSecond) === 0) return { paint };
      const blocks = [...before, ...now].filter((block) => before.has(block) !== now.has(block));
      return { paint, blocks: blocks.sort((one, other) => one - other) };
    });
  });
}
