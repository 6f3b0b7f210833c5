/** local/guide: answers a question about svc with the passage of the manual that fits best. */
import MiniSearch from 'minisearch';
import { recordOf } from '../../lib/json.js';
import { draftOf } from './answers.js';
import type { Book } from './book.js';
import { bookFor } from './books.js';
import type { AnswerDraft, Prompt } from './engine.js';
import { commandBlock, type Passage } from './manual.js';
import { indexOptions, termsOf, type Language, type SavedIndex } from './manual-index.js';
import { closingToolResults, attachments, lastUserParts, lastUserText } from './prompts.js';
import { shellCommand } from './shell.js';

export async function guide(prompt: Prompt): Promise<AnswerDraft> {
  const question = lastUserText(prompt);
  const book = await bookFor(question);
  const matches = await rank(question);
  if (recordOf(prompt.output.schema)['title'] === 'shell_command') {
    const proposal = shellCommand(question, termsOf);
    return draftOf(prompt, [], JSON.stringify(proposal), proposal);
  }
  const results = closingToolResults(prompt);
  const quotes = results.map((result) => `> ${result.replaceAll('\n', '\n> ')}`);
  const text =
    results.length > 0
      ? `${book.sayings.returned(results.length)}\n\n${quotes.join('\n\n')}\n`
      : compose(prompt, book, matches[0]);
  const [best] = matches;
  const object = { answer: text, ...(best?.command ? { command: best.command } : {}) };
  return draftOf(prompt, thoughts(question, book, matches), text, object);
}

function thoughts(question: string, book: Book, matches: readonly Passage[]): string[] {
  const { passages, sayings } = book;
  const [best, ...others] = matches;
  const words = question.trim().split(/\s+/).length;
  return [
    best ? sayings.bestMatch(best.title) : sayings.noMatch,
    sayings.counts(words, matches.length, passages.length),
    ...others.map(({ title }) => sayings.weakerMatch(title)),
  ];
}

function compose(prompt: Prompt, book: Book, best: Passage | undefined): string {
  const { passages, language, sayings } = book;
  const question = lastUserText(prompt);
  const images = attachments(lastUserParts(prompt));
  const seen = images.length > 0 ? `${images.join('\n')}\n\n` : '';
  if (!best && images.length > 0 && question.trim() === '') return seen.trimEnd() + '\n';
  // The first passage, which introduces svc, answers a question without a topic.
  const passage = best ?? (termsOf(question, language).size > 0 ? undefined : passages[0]);
  if (passage) {
    const { title, text } = passage;
    return `${seen}**${title}**\n\n${text}\n${commandBlock(passage)}`;
  }
  const topics = passages.slice(0, 8).map(({ title }) => `- ${title}`);
  const nothing = `${sayings.unknown}\n\n${topics.join('\n')}\n\n${sayings.closing}\n\n`;
  return `${seen}${nothing}\`\`\`sh\nsvc help\n\`\`\`\n`;
}

/** The index as far as these terms may match in it: reading all of it would take 40 ms. */
function indexFor(saved: SavedIndex, terms: ReadonlySet<string>, language: Language): MiniSearch {
  const fuzziness = (term: string) => (term.length > language.exactLength ? 0.2 : 0);
  const pieces = Array.from(terms).flatMap((term) => piecesOf(term, fuzziness(term)));
  const entries = saved.entries.filter((entry) => {
    const term = entry.slice(2, entry.indexOf('"', 2));
    return pieces.some((piece) => term.includes(piece));
  });
  return MiniSearch.loadJSON(`${saved.head.slice(0, -1)},"index":[${entries.join()}]}`, {
    ...indexOptions(language),
    searchOptions: {
      boost: { title: 4 },
      prefix: (term) => term.length > 3,
      fuzzy: fuzziness,
    },
  });
}

/** One more than the edits allowed: what matches a term has at least one of its pieces. */
function piecesOf(term: string, fuzziness: number): string[] {
  const count = Math.round(term.length * fuzziness) + 1;
  const length = Math.floor(term.length / count);
  return Array.from({ length: count }, (_, i) => term.slice(i * length, (i + 1) * length));
}

/** A question in letters that no manual has. */
const otherLetters = /^(?=.*\p{L})[^a-z\p{Script=Cyrillic}]*$/isu;

/** The passages with half of a question's terms, or with all where none is in the title; the best first. */
export async function rank(question: string): Promise<Passage[]> {
  const { passages, language, index } = await bookFor(question);
  const terms = termsOf(otherLetters.test(question) ? 'languages' : question, language);
  if (terms.size === 0) return [];
  const saved = await index();
  return indexFor(saved, terms, language)
    .search([...terms].join(' '), { processTerm: (term) => term })
    .flatMap(({ id, score, match, queryTerms }) => {
      const passage = passages[Number(id)];
      if (!passage) return [];
      const share = titleShare(saved.titles[Number(id)] ?? '', terms.size, match);
      if (new Set(queryTerms).size < terms.size / (share > 0 ? 2 : 1)) return [];
      return { passage, score: score * (passage.isReference ? 0.4 : 1 + 4 * share ** 2) };
    })
    .sort((a, b) => b.score - a.score)
    .map(({ passage }) => passage);
}

/** 1 if the title, or a part of it around a colon, is the question; 0 if they share no term. */
function titleShare(title: string, termCount: number, matches: object): number {
  const parts = title.split('|').map((part) => part.split(' '));
  const shares = [parts.flat(), ...parts].map((terms) => {
    return (2 * terms.filter((term) => term in matches).length) / (terms.length + termCount);
  });
  return Math.max(...shares);
}
