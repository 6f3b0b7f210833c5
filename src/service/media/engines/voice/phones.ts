/** Turns letters into sounds: one sound a letter, roughly as it is read. */

export interface Phone {
  readonly seconds: number;
  /** Resonances of the mouth in hertz. */
  readonly formants: readonly [number, number, number];
  /** How loud the voice is, 0 to 1. */
  readonly voiced: number;
  /** How loud the hiss is, 0 to 1, and where it lies. */
  readonly hiss: number;
  readonly hissHertz: number;
  /** Closed lips first: a part of the time without a sound. */
  readonly stop: number;
  /** The end of a clause lets the pitch start again; of a question, rise before it. */
  readonly ends?: 'clause' | 'question';
}

const vowelSeconds = 0.105;

const vowels: Readonly<Record<string, readonly [number, number, number]>> = {
  a: [800, 1250, 2550],
  e: [530, 1840, 2480],
  i: [290, 2250, 2950],
  o: [480, 900, 2450],
  u: [330, 820, 2300],
  y: [340, 1650, 2400],
};

/** Cyrillic letters, digits and a few Latin letters by the ones they sound like. */
// prettier-ignore
const spelled: Readonly<Record<string, string>> = {
  а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'ye', ё: 'yo', ж: 'j', з: 'z', и: 'i', й: 'y',
  к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f',
  х: 'h', ц: 'ts', ч: 'tq', ш: 'q', щ: 'q', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'yu', я: 'ya',
  c: 'k', x: 'ks', w: 'v',
  0: 'ziro', 1: 'van', 2: 'tu', 3: 'tri', 4: 'for', 5: 'faiv', 6: 'siks', 7: 'sevn', 8: 'eit',
  9: 'nain',
};

type Consonant = Omit<Phone, 'formants' | 'seconds'> & { readonly seconds?: number };

const consonants: Readonly<Record<string, Consonant>> = {
  m: { voiced: 0.35, hiss: 0, hissHertz: 500, stop: 0 },
  n: { voiced: 0.4, hiss: 0, hissHertz: 900, stop: 0 },
  l: { voiced: 0.55, hiss: 0, hissHertz: 1200, stop: 0 },
  r: { voiced: 0.5, hiss: 0.06, hissHertz: 1400, stop: 0 },
  v: { voiced: 0.3, hiss: 0.12, hissHertz: 1800, stop: 0 },
  z: { voiced: 0.25, hiss: 0.3, hissHertz: 5200, stop: 0 },
  j: { voiced: 0.25, hiss: 0.35, hissHertz: 2700, stop: 0 },
  s: { voiced: 0, hiss: 0.5, hissHertz: 5800, stop: 0 },
  q: { voiced: 0, hiss: 0.6, hissHertz: 2900, stop: 0 },
  f: { voiced: 0, hiss: 0.3, hissHertz: 4200, stop: 0 },
  h: { voiced: 0, hiss: 0.3, hissHertz: 1500, stop: 0 },
  b: { voiced: 0.4, hiss: 0.1, hissHertz: 700, stop: 0.5 },
  d: { voiced: 0.4, hiss: 0.2, hissHertz: 3200, stop: 0.5 },
  g: { voiced: 0.4, hiss: 0.2, hissHertz: 1900, stop: 0.5 },
  p: { voiced: 0, hiss: 0.4, hissHertz: 900, stop: 0.7 },
  t: { voiced: 0, hiss: 0.55, hissHertz: 4000, stop: 0.7 },
  k: { voiced: 0, hiss: 0.5, hissHertz: 2000, stop: 0.7 },
};

const silent: Phone = {
  seconds: 0.06,
  formants: [500, 1500, 2500],
  voiced: 0,
  hiss: 0,
  hissHertz: 1000,
  stop: 0,
};

/** The sounds of a text, in its order. Every text has at least one. */
export function phonesOf(text: string): readonly Phone[] {
  let formants = silent.formants;
  const phones = Array.from(text.normalize('NFD').toLowerCase()).flatMap((letter) => {
    const pause = pauseOf(letter);
    if (pause) return [{ ...pause, formants }];
    return Array.from(soundsOf(letter), (sound) => {
      // A consonant is spoken with the mouth of the vowel before it.
      formants = vowels[sound] ?? formants;
      return phone(sound, formants);
    });
  });
  return phones.length > 0 ? phones : [silent];
}

function phone(sound: string, formants: Phone['formants']): Phone {
  const consonant = consonants[sound];
  if (!consonant) {
    return { seconds: vowelSeconds, formants, voiced: 1, hiss: 0, hissHertz: 1500, stop: 0 };
  }
  return { seconds: 0.075, ...consonant, formants };
}

function pauseOf(letter: string): Phone | undefined {
  if (letter === '?') return { ...silent, seconds: 0.3, ends: 'question' };
  if (/[.!…\n]/.test(letter)) return { ...silent, seconds: 0.3, ends: 'clause' };
  if (/[,;:—]/.test(letter)) return { ...silent, seconds: 0.16, ends: 'clause' };
  return /[\p{Z}\p{C}\p{P}]/u.test(letter) ? silent : undefined;
}

/** A letter of which nothing is known becomes a syllable of its own; a mark on a letter is mute. */
function soundsOf(letter: string): string {
  const known = spelled[letter] ?? letter;
  if (known === '' || known in vowels || known in consonants || known.length > 1) return known;
  if (/\p{M}/u.test(letter)) return '';
  const code = letter.codePointAt(0) ?? 0;
  return pick('mnlrvzsbdgptk', code) + pick('aeiouy', Math.floor(code / 13));
}

function pick(letters: string, code: number): string {
  return letters.charAt(code % letters.length);
}
