/** Words as the indexes store them: the forms of a word and its synonyms are one term. */

/** Words that do not tell what a text is about. */
const stopWords = new Set(
  (
    'a about again all am an and any are as at be but by can could do does did for from get give had ' +
    'has have hello help hey hi how i if in into is it its just know like make me my need of on ' +
    'or our please should so some svc tell than thank thanks that the their them then there ' +
    'this to up use using want was we what when where which who why will with would you your'
  ).split(' '),
);

/** What people say for a word of the manual; no word of the right column stands on the left. */
const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    abort: 'stop',
    alert: 'notify',
    bill: 'spend',
    cancel: 'stop',
    cap: 'limit',
    charge: 'spend',
    cheap: 'cost',
    clip: 'video',
    colour: 'color',
    contact: 'open',
    credential: 'key',
    deposit: 'topup',
    expensive: 'cost',
    fee: 'cost',
    film: 'video',
    fund: 'money',
    internet: 'offline',
    movie: 'video',
    notification: 'notify',
    notified: 'notify',
    photo: 'image',
    picture: 'image',
    price: 'cost',
    put: 'store',
    recharge: 'topup',
    retry: 'retries',
    server: 'serve',
    spent: 'spend',
    transcript: 'transcribe',
    transcription: 'transcribe',
    upgrade: 'update',
  }).map(([said, meant]) => [stem(said), stem(meant)]),
);

/** The term of a word; null when the word says nothing. */
export function termOf(word: string): string | null {
  const lower = word.toLowerCase();
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

/** The forms of a word come down to one: piping, pipes and pipe to `pip`. */
function stem(word: string): string {
  if (word.length < 4) return word;
  const bare = word
    .replace(/(?:ing|ed|es|s)$/, '')
    .replace(/([bdglmnprt])\1$/, '$1')
    .replace(/e$/, '');
  return bare.length < 3 ? word : bare;
}
