/** The index of the manual, which the build makes: how its texts become terms. */
import { termOf } from './terms.js';

export const indexOptions = {
  fields: ['title', 'text', 'command'],
  tokenize: wordsOf,
  processTerm: termOf,
};

export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
