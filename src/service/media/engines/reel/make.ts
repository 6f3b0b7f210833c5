/** Makes the films of local/reel, and longer ones of them. */
import type { extendTiers } from '../../../../contract/enums.js';
import type { Ordered } from '../define.js';
import { MediaRefusal } from '../refusal.js';
import type { ByteSource, MakeInput, MediaResult } from '../types.js';
import { filmFile } from './film.js';
import { framesPerSecond, recipeOf, secondsOf, type Recipe } from './recipe.js';
import type { ReelOpts, Resolution } from './reel.js';

const shortSide: Readonly<Record<Resolution, number>> = { '480p': 480, '720p': 720, '1080p': 1080 };

/** The even sides of a picture whose shorter one is given. */
export function frameSize(resolution: Resolution, width: number, height: number) {
  const short = shortSide[resolution];
  const scale = short / Math.min(width, height);
  const even = (side: number) => Math.round((side * scale) / 2) * 2;
  return { width: even(width), height: even(height) };
}

export function shoot({ prompt, opts }: Ordered<ReelOpts>, input: MakeInput): Promise<MediaResult> {
  const seed = opts.seed ?? input.seed;
  const [across = 16, down = 9] = opts.aspect_ratio.split(':').map(Number);
  const recipe: Recipe = {
    ...frameSize(opts.resolution, across, down),
    parts: [{ prompt, seed, from: 0, seconds: opts.seconds }],
  };
  return Promise.resolve(resultOf(recipe, 'svc local/reel', { seed }));
}

/** The film of a recipe, and what there is to say of it. */
export function resultOf(
  recipe: Recipe,
  software: string,
  meta: Readonly<Record<string, unknown>>,
): MediaResult {
  const { width, height } = recipe;
  return {
    files: [filmFile(recipe, software)],
    resultMeta: { seconds: secondsOf(recipe), width, height, framesPerSecond, ...meta },
  };
}

type Tier = (typeof extendTiers)[number];

/** How much longer a film gets. */
export const extensionSeconds: Readonly<Record<Tier, number>> = { lite: 3, fast: 5, quality: 8 };
const mostSeconds = 180;
const mostPartsOfFilm = 64;

export interface Extension {
  readonly prompt: string;
  readonly tier: Tier;
  /** Another scene than the film's last; the same prompt without one goes on with it. */
  readonly seed?: number;
  /** Shown as a small mark in a corner, and kept in the film. */
  readonly watermark?: string;
}

/**
 * The whole film, and what comes after it: its last scene goes on when the prompt is the same,
 * another scene follows when it is not (section 4.3).
 * @throws MediaRefusal when the source is no film of this service, or would get too long
 */
export async function extendReel(source: ByteSource, extension: Extension): Promise<MediaResult> {
  const recipe = await recipeOf(source);
  const last = recipe?.parts.at(-1);
  if (!recipe || !last) {
    throw new MediaRefusal('source_unsupported', 'only videos of local/reel can be extended');
  }
  const { prompt, tier, seed = last.seed, watermark = recipe.watermark } = extension;
  const goesOn = prompt === last.prompt && seed === last.seed;
  const from = goesOn ? last.from + last.seconds : 0;
  const longer: Recipe = {
    ...recipe,
    parts: [...recipe.parts, { prompt, seed, from, seconds: extensionSeconds[tier] }],
    ...(watermark === undefined ? {} : { watermark }),
  };
  if (secondsOf(longer) > mostSeconds || longer.parts.length > mostPartsOfFilm) {
    throw new MediaRefusal('source_too_long', `a film can have at most ${mostSeconds} seconds`);
  }
  return resultOf(longer, 'svc local/reel', { seed });
}
