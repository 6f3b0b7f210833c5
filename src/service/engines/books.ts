/** The manual in English, and the choice between it and the Russian one. */
import type { Book } from './book.js';
import { passages } from './manual.js';
import * as terms from './terms.js';

const english: Book = {
  passages,
  language: terms,
  sayings: {
    unknown:
      'I do not know: the manual of svc has no answer to that. I run on your machine and only quote ' +
      'the manual. Ask me about, for example:',
    closing: 'To list all commands, run `svc help`.',
    returned: (count) => `The ${count === 1 ? 'tool' : 'tools'} returned:`,
    noMatch: 'No passage of the manual matches.',
    bestMatch: (title) => `The best match is "${title}".`,
    weakerMatch: (title) => `"${title}" is a weaker match.`,
    counts: (words, matches, all) =>
      `The question has ${words} words and matches ${matches} of ${all} passages.`,
  },
  index: async () => (await import('./manual-index.json', { with: { type: 'json' } })).default,
};

/** The book in the language of a question: Russian where it has Cyrillic letters. */
export async function bookFor(question: string): Promise<Book> {
  return /\p{Script=Cyrillic}/u.test(question) ? (await import('./book-ru.js')).russian : english;
}
