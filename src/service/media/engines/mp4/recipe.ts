/** Reads the recipe that a video of this service carries. */
import type { ByteSource } from '../types.js';
import { boxesIn, contentOf, findBox, type FoundBox } from './read.js';
import { recipeMean, recipeName } from './notes.js';

const mostRecipeBytes = 256 * 1024;

/** The text of the recipe; undefined when the file has none. */
export async function readRecipe(source: ByteSource): Promise<string | undefined> {
  const list = await findBox(source, ['moov', 'udta', 'meta', 'ilst']);
  if (!list) return undefined;
  for (const item of await boxesIn(source, list.from, list.to)) {
    if (item.type !== '----') continue;
    const parts = await boxesIn(source, item.from, item.to);
    const text = async (type: string, headBytes: number) => {
      const part = parts.find((one) => one.type === type);
      return part && textOf(source, part, headBytes);
    };
    const isOurs = (await text('mean', 4)) === recipeMean && (await text('name', 4)) === recipeName;
    if (isOurs) return text('data', 8);
  }
  return undefined;
}

async function textOf(source: ByteSource, part: FoundBox, headBytes: number): Promise<string> {
  const content = await contentOf(source, part, mostRecipeBytes);
  return content.toString('utf8', headBytes);
}
