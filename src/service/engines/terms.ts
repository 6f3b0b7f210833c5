/** Words as the indexes store them: the forms of a word and its synonyms are one term. */
import { folded } from '../../lib/names.js';

/** Words that do not tell what a text is about. */
const stopWords = new Set(
  (
    'a about again all am an and any are as at be but by can could do does did for from get give had ' +
    'has have hello help hey hi how i if in into is it its just know like make me my need of on ' +
    'or our please should so some svc tell than thank thanks that the their them then there ' +
    'this to up use using want was we what when where which who why will with would you your'
  ).split(' '),
);

/** The words of the manual, and what people say for them. */
const wordGroups = {
  color: 'colour',
  cost: 'cheap expensive fee price',
  image: 'photo picture',
  key: 'credential',
  limit: 'cap',
  money: 'fund',
  notify: 'alert notification notified',
  offline: 'internet',
  open: 'contact',
  retries: 'retry',
  serve: 'server',
  spend: 'bill charge spent',
  stop: 'abort cancel',
  store: 'put',
  topup: 'deposit recharge',
  transcribe: 'transcript transcription',
  update: 'upgrade',
  video: 'clip film movie',
};
const synonyms = new Map(
  Object.entries(wordGroups).flatMap(([meant, words]) =>
    words.split(' ').map((word): [string, string] => [stem(word), stem(meant)]),
  ),
);

/** The term of a word; null for a stop word. */
export function termOf(word: string): string | null {
  const lower = folded(word).toLowerCase();
  if (stopWords.has(lower)) return null;
  const stemmed = stem(lower);
  return synonyms.get(stemmed) ?? stemmed;
}

/** Phrases that are one word of the manual. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\b(?:log|sign)(?:ging|ged|ing|ed|s)?[ -](in|out)\b/gi, 'log$1'],
  [/\btop(?:ping|ped|s)?[ -]up\b/gi, 'topup'],
  [/\bget rid of\b/gi, 'uninstall'],
  [/\bout loud\b/gi, 'aloud'],
  [/\bspeech(?:[ -]in)?[ -]?to[ -]text\b/gi, 'transcribe'],
  [/\bshould i (?:use|take|pick)\b/gi, 'choose'],
];

export function joinVerbs(text: string): string {
  return phrases.reduce((joined, [phrase, word]) => joined.replace(phrase, word), text);
}

/** Reduces the forms of a word to one: piping, pipes and pipe to `pip`. */
function stem(word: string): string {
  if (word.length < 4) return word;
  const bare = word
    .replace(/(?:ing|ed|es|s)$/, '')
    .replace(/([bdglmnprt])\1$/, '$1')
    .replace(/e$/, '');
  return bare.length < 3 ? word : bare;
}
