/** Words as the indexes store them: the forms of a word and its synonyms are one term. */
import { stemmer as stem } from '@orama/stemmers/english';
import { folded } from '../../lib/names.js';

/** Words that do not tell what a text is about. */
const stopWords = new Set(
  (
    'a about again all also am an and any anything are as at be but by can cannot could did do does ' +
    'don for from get give had has have hello help hey hi how i if in into is it its just know like ' +
    'll m me mean much my need not of off on or our over please s set should so some something svc ' +
    't tell than thank thanks that the their them then there this to too up use using ve want was ' +
    'we were what when where which who why will with would you your'
  ).split(' '),
);

/** Longer terms are found with a mistake in them, too. */
export const exactLength = 4;

/** Words of the manual, each with what people say for it. */
const synonyms = meanings(
  'alias shortcut, choose best change pick select switch, colour color, continue resume, cost ' +
    'cheap cheapest expensive fee price, delete erase remove revoke, error bug fault, extension plugin, generate ' +
    'create draw make, history old past previous, image photo picture screenshot, key credential, ' +
    'limit avoid cap, many multiple several, money fund, music song, notify alert notification ' +
    'notified, open contact talk, private privacy safe secure security, retries retry, send sent, ' +
    'serve server, show display see view, speed faster, spend bill charge spent, spreadsheet ' +
    'excel, start begin, stop abort cancel, keep kept put save store, support human person, topup ' +
    'deposit recharge, transcribe transcript transcription, update upgrade, video clip film ' +
    'movie, web internet',
  stem,
);

/** The word of the manual for each that people say: of a group, the first for the others. */
export function meanings(groups: string, stemOf: (word: string) => string) {
  const pairs = groups.split(', ').flatMap((group) => {
    const [meant = '', ...words] = group.split(' ').map(stemOf);
    return words.map((word): [string, string] => [word, meant]);
  });
  return new Map(pairs);
}

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
  [/\b(?:get rid of|(?:delete|remove) svc)\b/gi, 'uninstall'],
  [/\bset(?:ting)? (?:it |svc )?up\b/gi, 'start'],
  [/\b(?:no|without) (?:the )?internet\b/gi, 'offline'],
  [/\bturn(?:ing|s)? (?=(?:\w+ )?off\b)/gi, ''],
  [/\b(?:money|much)(?: \w+){0,3} left\b/gi, 'balance'],
  [/\bwho am i\b/gi, 'whoami'],
  [/\bout loud\b/gi, 'aloud'],
  [/\bspeech(?:[ -]in)?[ -]?to[ -]text\b/gi, 'transcribe'],
  [/\bshould i (?:use|take|pick)\b/gi, 'choose'],
];

export function joinVerbs(text: string): string {
  return phrases.reduce((joined, [phrase, word]) => joined.replace(phrase, word), text);
}
