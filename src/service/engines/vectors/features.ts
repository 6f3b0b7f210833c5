/** What a text is made of, as numbers: its words, pairs of words and pieces of words, weighed. */

/** Words that say little of what a text is about, in English and Russian. */
const faintWords = new Set(
  (
    'a about all am an and any are as at be been but by can could did do does for from had has ' +
    'have he her him his how i if in into is it its just me my no not of on or our please shall ' +
    'she should so some than that the their them then there these they this those to up us was ' +
    'we were what when where which who whom why will with would you your ' +
    'а без бы был была были было быть в во вот все вы да для до его ее если есть еще ' +
    'же за и из или им их к как ко когда кто ли мне мой моя мы на над не него нет но ну о об он ' +
    'она они оно от по под при с со так также там то тоже только ты у уже чего чем что чтобы это ' +
    'этот эта эти я'
  ).split(' '),
);

const weights = { word: 1, faintWord: 0.15, pair: 0.6, piece: 0.35, faintPiece: 0.05 } as const;
/** A word's pieces have these many characters, its edges counted as one each. */
const pieceLengths = [3, 4, 5] as const;
/** No word of a language is longer; what is cut off adds no meaning. */
const longestWord = 64;

/** The first states of the hash, so that a word, a pair and a piece of the same letters differ. */
const seeds = { word: 0x811c9dc5, pair: 0x9e3779b9, piece: 0x85ebca6b, sign: 0xc2b2ae35 } as const;

/** Weights by the feature's 32-bit hash. A feature that comes again adds less each time. */
export type Features = ReadonlyMap<number, number>;

/**
 * The features of a text; of one without any letter or digit, those of its other signs.
 * Only an empty text has none.
 */
export function featuresOf(text: string): Features {
  const counted = new Map<number, Counted>();
  // Russian is written with and without the dots.
  const normal = text.normalize('NFKC').toLowerCase().replaceAll('ё', 'е');
  let before: string | undefined;
  for (const [found] of normal.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const word = found.slice(0, longestWord);
    addWord(counted, word);
    if (before !== undefined) add(counted, hash(`${before} ${word}`, seeds.pair), weights.pair);
    before = word;
  }
  if (counted.size === 0) {
    for (const sign of normal) add(counted, hash(sign, seeds.sign), weights.word);
  }
  return new Map(
    Array.from(counted, ([code, { weight, times }]) => [code, weighed(weight, times)]),
  );
}

interface Counted {
  readonly weight: number;
  times: number;
}

function weighed(weight: number, times: number): number {
  return weight * (1 + Math.log(times));
}

function addWord(counted: Map<number, Counted>, word: string): void {
  const isFaint = faintWords.has(word);
  add(counted, hash(word, seeds.word), isFaint ? weights.faintWord : weights.word);
  const edged = `<${word}>`;
  const weight = isFaint ? weights.faintPiece : weights.piece;
  for (const length of pieceLengths) {
    for (let from = 0; from + length <= edged.length; from += 1) {
      add(counted, hash(edged, seeds.piece, from, from + length), weight);
    }
  }
}

function add(counted: Map<number, Counted>, code: number, weight: number): void {
  const known = counted.get(code);
  if (known) known.times += 1;
  else counted.set(code, { weight, times: 1 });
}

/** FNV-1a over the units of a text, mixed at the end so that every bit depends on all of them. */
function hash(text: string, seed: number, from = 0, to = text.length): number {
  let code = seed;
  for (let i = from; i < to; i += 1) code = Math.imul(code ^ text.charCodeAt(i), 0x01000193);
  code = Math.imul(code ^ (code >>> 16), 0x85ebca6b);
  code = Math.imul(code ^ (code >>> 13), 0xc2b2ae35);
  return (code ^ (code >>> 16)) >>> 0;
}
