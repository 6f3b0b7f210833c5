/** The index of the manual, which the build makes: how its texts become terms. */
import * as english from './terms.js';

/** How the words of one language become terms. */
export interface Language {
  /** Mistakes are forgiven in terms with more characters than this. */
  readonly exactLength: number;
  /** The term of a word; null for a stop word. */
  readonly termOf: (word: string) => string | null;
  /** Makes one word of each phrase that is one in the manual. */
  readonly joinVerbs: (text: string) => string;
}

export function indexOptions({ termOf }: Language) {
  return { fields: ['title', 'text', 'command'], tokenize: wordsOf, processTerm: termOf };
}

export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Only this much of a question is read: the rest adds no topic. */
const maxQuestion = 2000;

export function termsOf(question: string, language: Language = english): ReadonlySet<string> {
  const words = wordsOf(language.joinVerbs(question.slice(0, maxQuestion)));
  return new Set(words.flatMap((word) => language.termOf(word) ?? []));
}

/** The content of manual-index.json, and a part of manual-ru.json. */
export interface SavedIndex {
  /** The JSON of the index without its entries. */
  readonly head: string;
  /** The JSON of the entry of each term. */
  readonly entries: readonly string[];
  /** The terms of each topic's title; a bar stands for a colon. */
  readonly titles: readonly string[];
}
