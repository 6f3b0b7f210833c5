/** Finds the passages of the manual that fit a question. */
import MiniSearch from 'minisearch';
import { passages } from './manual.js';
import type { Passage } from './passage.js';

/** Words that say nothing of what a question is about. */
const stopWords = new Set(
  (
    'a about all am an and any are as at be but by can could do does did for from get give had ' +
    'has have hello help hey hi how i if in into is it its just know like make me my need of on ' +
    'or our please should so some svc tell than thank thanks that the their them then there ' +
    'this to up use using want was we what when where which who why will with would you your'
  ).split(' '),
);

/** What people say for a word of the manual. */
const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    abort: 'stop',
    cancel: 'stop',
    cheap: 'cost',
    colour: 'color',
    credential: 'key',
    expensive: 'cost',
    fund: 'money',
    internet: 'offline',
    photo: 'image',
    picture: 'image',
    price: 'cost',
    put: 'store',
    retry: 'retries',
    server: 'serve',
  }).map(([said, meant]) => [stem(said), stem(meant)]),
);

let index: MiniSearch | undefined;

/** Made at the first question: a call to another model should not wait for it. */
function manualIndex(): MiniSearch {
  if (index) return index;
  index = new MiniSearch({
    fields: ['title', 'text', 'command'],
    processTerm,
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
  return words.some((word) => processTerm(word) !== null);
}

/** `log in` is one word, however it is written. */
function joinVerbs(text: string): string {
  return text.replace(/\b(?:log|sign)(?:ging|ged|ing|ed|s)?[ -](in|out)\b/gi, 'log$1');
}

function processTerm(term: string): string | null {
  const word = term.toLowerCase();
  if (stopWords.has(word)) return null;
  const stemmed = stem(word);
  return synonyms.get(stemmed) ?? stemmed;
}

/** The forms of a word come down to one: piping, pipes and pipe to `pip`. */
function stem(word: string): string {
  if (word.length < 4) return word;
  const bare = word
    .replace(/(?:ing|ed|es|s)$/, '')
    // logging, stopped
    .replace(/([bdglmnprt])\1$/, '$1')
    .replace(/e$/, '');
  return bare.length < 3 ? word : bare;
}
