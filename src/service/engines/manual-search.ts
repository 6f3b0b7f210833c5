/** Finds the passages of the manual that fit a question. */
import MiniSearch from 'minisearch';
import { passages } from './manual.js';
import type { Passage } from './passage.js';
import { joinVerbs, termOf } from './terms.js';

let index: MiniSearch | undefined;

/** Made at the first question: a call to another model should not wait for it. */
function manualIndex(): MiniSearch {
  if (index) return index;
  index = new MiniSearch({
    fields: ['title', 'text', 'command'],
    processTerm: termOf,
    searchOptions: {
      boost: { title: 3, command: 1.5 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boostDocument: (id) => (passages[Number(id)]?.isReference ? 0.4 : 1),
    },
  });
  index.addAll(
    passages.map(({ title, text, command = '' }, id) => ({
      id,
      title: joinVerbs(title),
      text: joinVerbs(text),
      command,
    })),
  );
  return index;
}

/** The longest question that is searched for; what follows adds no topic. */
const longestQuestion = 2000;

/** The passages that fit a question, the best first. */
export function rank(question: string): Passage[] {
  return manualIndex()
    .search(joinVerbs(question.slice(0, longestQuestion)))
    .flatMap(({ id }) => passages.slice(Number(id), Number(id) + 1));
}

/** Whether a question has any word that a passage could be about. */
export function hasTopic(question: string): boolean {
  const words = question.slice(0, longestQuestion).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.some((word) => termOf(word) !== null);
}
