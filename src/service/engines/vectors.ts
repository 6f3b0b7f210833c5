/** local/embed: feature hashing. Every feature of a text falls on one of the numbers of its vector. */
import { folded } from '../../lib/names.js';

export const dimensions = 512;

/** The precision of the numbers: finer than a 32-bit float near 1. */
const scale = 1e7;

/** The vector of a text, of length 1: near to those of texts that share words or spellings. */
export function embed(text: string): Float64Array {
  const vector = new Float64Array(dimensions);
  for (const [code, weight] of featuresOf(text)) {
    // The sign makes colliding features cancel as often as they add up.
    const sign = code & 0x8000_0000 ? -1 : 1;
    const place = code % dimensions;
    vector[place] = (vector[place] ?? 0) + sign * weight;
  }
  const length = Math.hypot(...vector);
  // All features cancelled each other, or there were none.
  if (length === 0) return vector.fill(1 / Math.sqrt(dimensions));
  return vector.map((value) => Math.round((value / length) * scale) / scale);
}

/** The similarity of two vectors of length 1: 1 is the same direction, 0 nothing in common. */
export function cosine(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < dimensions; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** Words that tell little about a text, in English and Russian. */
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
/** No word of a language is longer. */
const maxWordLength = 64;

/** The first states of the hash, so that a word, a pair and a piece of the same letters differ. */
const seeds = { word: 0x811c9dc5, pair: 0x9e3779b9, piece: 0x85ebca6b, sign: 0xc2b2ae35 } as const;

type Counts = Map<number, { readonly weight: number; times: number }>;

/** Weights by the 32-bit hash of words, pairs and pieces of words; without any word, of signs. */
function featuresOf(text: string): [code: number, weight: number][] {
  const counted: Counts = new Map();
  const normal = folded(text.normalize('NFKC')).toLowerCase();
  let before: string | undefined;
  for (const [letters] of normal.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const word = letters.slice(0, maxWordLength);
    const isFaint = faintWords.has(word);
    add(counted, hash(word, seeds.word), isFaint ? weights.faintWord : weights.word);
    const edged = `<${word}>`;
    const weight = isFaint ? weights.faintPiece : weights.piece;
    for (const length of pieceLengths) {
      for (let from = 0; from + length <= edged.length; from += 1) {
        add(counted, hash(edged, seeds.piece, from, from + length), weight);
      }
    }
    if (before !== undefined) add(counted, hash(`${before} ${word}`, seeds.pair), weights.pair);
    before = word;
  }
  if (counted.size === 0) {
    for (const sign of normal) add(counted, hash(sign, seeds.sign), weights.word);
  }
  // A repeated feature adds less each time.
  return Array.from(counted, ([code, { weight, times }]) => [code, weight * (1 + Math.log(times))]);
}

function add(counted: Counts, code: number, weight: number): void {
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
