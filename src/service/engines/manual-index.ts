/** The index of the manual, which the build makes: how its texts become terms. */
import { joinVerbs, termOf } from './terms.js';

export const indexOptions = {
  fields: ['title', 'text', 'command'],
  tokenize: wordsOf,
  processTerm: termOf,
};

export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Only this much of a question is read: the rest adds no topic. */
const maxQuestion = 2000;

export function termsOf(question: string): ReadonlySet<string> {
  const words = wordsOf(joinVerbs(question.slice(0, maxQuestion)));
  return new Set(words.flatMap((word) => termOf(word) ?? []));
}

/** The content of manual-index.json. */
export interface SavedIndex {
  /** The JSON of the index without its entries. */
  readonly head: string;
  /** The JSON of the entry of each term. */
  readonly entries: readonly string[];
  /** The terms of each topic's title; a bar stands for a colon. */
  readonly titles: readonly string[];
}
