/** Words as the indexes keep them: the forms of a word, and what people say for it, are one. */

/** Words that say nothing of what a text is about. */
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

/** The term of a word; null when the word says nothing. */
export function termOf(word: string): string | null {
  const lower = word.toLowerCase();
  if (stopWords.has(lower)) return null;
  const stemmed = stem(lower);
  return synonyms.get(stemmed) ?? stemmed;
}

/** `log in` is one word, however it is written. */
export function joinVerbs(text: string): string {
  return text.replace(/\b(?:log|sign)(?:ging|ged|ing|ed|s)?[ -](in|out)\b/gi, 'log$1');
}

/** The forms of a word come down to one: piping, pipes and pipe to `pip`. */
function stem(word: string): string {
  if (word.length < 4) return word;
  const bare = word
    .replace(/(?:ing|ed|es|s)$/, '')
    .replace(/([bdglmnprt])\1$/, '$1')
    .replace(/e$/, '');
  return bare.length < 3 ? word : bare;
}
