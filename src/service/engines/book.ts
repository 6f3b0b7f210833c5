/** The manual in one language, and what local/guide says around its passages. */
import type { Passage } from './manual.js';
import type { Language, SavedIndex } from './manual-index.js';

export interface Book {
  /** The first one introduces svc. */
  readonly passages: readonly Passage[];
  readonly language: Language;
  readonly sayings: Sayings;
  /** Reads the index, which only a question with a topic needs. */
  readonly index: () => Promise<SavedIndex>;
}

export interface Sayings {
  /** Before the topics that the manual does have. */
  readonly unknown: string;
  /** After them, and before the command. */
  readonly closing: string;
  /** Before the results of tools. */
  readonly returned: (count: number) => string;
  readonly noMatch: string;
  readonly bestMatch: (title: string) => string;
  readonly weakerMatch: (title: string) => string;
  /** How many words a question has, and how many passages it matches. */
  readonly counts: (words: number, matches: number, passages: number) => string;
}
