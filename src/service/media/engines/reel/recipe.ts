/** What a film shows. It stands in the film's own notes, so that it can be drawn again. */
import * as z from 'zod/mini';
import { readRecipe } from '../mp4/recipe.js';
import type { ByteSource } from '../types.js';

const side = () => z.int().check(z.gte(2), z.lte(4096), z.multipleOf(2));

const Part = z.strictObject({
  prompt: z.string(),
  seed: z.int().check(z.gte(0)),
  /** The moment of the scene at which it begins, in seconds. */
  from: z.number().check(z.gte(0), z.lte(3600)),
  seconds: z.number().check(z.gt(0), z.lte(3600)),
});

const Recipe = z.strictObject({
  width: side(),
  height: side(),
  parts: z.array(Part).check(z.minLength(1), z.maxLength(64)),
  /** Shown as a small mark in a corner. */
  watermark: z.optional(z.string()),
});

export type Recipe = z.output<typeof Recipe>;
export type RecipePart = z.output<typeof Part>;

export const framesPerSecond = 24;

/** Whole frames, one at least. */
export function framesOf({ seconds }: RecipePart): number {
  return Math.max(1, Math.round(seconds * framesPerSecond));
}

export function secondsOf({ parts }: Recipe): number {
  return parts.reduce((sum, part) => sum + framesOf(part), 0) / framesPerSecond;
}

/** The recipe of a film of this service; undefined for any other file. */
export async function recipeOf(source: ByteSource): Promise<Recipe | undefined> {
  const text = await readRecipe(source);
  if (text === undefined) return undefined;
  try {
    return Recipe.parse(JSON.parse(text));
  } catch {
    // Whoever wrote it, it was not this service.
    return undefined;
  }
}
