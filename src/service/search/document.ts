/** What the search finds: a page of the manual or a file of the corpus. */
export interface Document {
  readonly title: string;
  /** An URL, or a path below the service's own origin. */
  readonly address: string;
  /** Plain text; its lines and spaces are as they came. */
  readonly text: string;
  readonly writing: Writing;
  /** Pages that only list options yield to pages that explain. */
  readonly isReference?: boolean;
}

/** How a language is written, which can be told from a text without knowing the language. */
export type Writing = 'latin' | 'cyrillic' | 'other';

/** How most letters of a text are written. */
export function writingOf(text: string): Writing {
  // The start of a text tells.
  const start = text.slice(0, 4000);
  const latin = start.match(/\p{Script=Latin}/gu)?.length ?? 0;
  const cyrillic = start.match(/\p{Script=Cyrillic}/gu)?.length ?? 0;
  const letters = start.match(/\p{L}/gu)?.length ?? 0;
  if (letters - latin - cyrillic > letters / 2) return 'other';
  return cyrillic > latin ? 'cyrillic' : 'latin';
}

const cyrillicLanguages = new Set('ab ba be bg ce cv kk ky mk mn os ru sr tg tt uk'.split(' '));
const otherLanguages = new Set(
  'am ar bn el fa gu he hi hy ja ka km kn ko lo ml mr my ne or pa ps si ta te th ti ug ur yi zh'.split(
    ' ',
  ),
);
const cyrillicCountries = new Set('BG BY KG KZ MK MN RS RU TJ UA'.split(' '));

/** How a language is written, by its two letters. */
export function writingOfLanguage(language: string): Writing {
  const code = language.toLowerCase();
  if (cyrillicLanguages.has(code)) return 'cyrillic';
  return otherLanguages.has(code) ? 'other' : 'latin';
}

/** How most texts of a country are written, by its two letters; undefined where none stands out. */
export function writingOfCountry(country: string): Writing | undefined {
  return cyrillicCountries.has(country.toUpperCase()) ? 'cyrillic' : undefined;
}
