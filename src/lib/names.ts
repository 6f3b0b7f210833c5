import { platform as thisPlatform } from 'node:process';
import { plainText } from './plain-text.js';

export function kebabCase(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Equal for `contextLength`, `context_length` and `context-length`. */
export function spelling(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/** Removes and returns the first readable field with one of these names, as `spelling` has them. */
export function takeField<Value>(
  fields: Map<string, unknown>,
  names: readonly string[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  for (const name of names) {
    for (const [key, value] of fields) {
      const result = spelling(key) === name ? read(value) : undefined;
      if (result === undefined) continue;
      fields.delete(key);
      return result;
    }
  }
  return undefined;
}

/** So much of an id is enough to name it: `job_069a…`, four characters after its kind. */
export function shortId(id: string): string {
  return id.replace(/^([a-z]+_|\w{4})(\w{4})\S+$/, '$1$2…');
}

/** Things with ids, such as the jobs of an account. */
interface WithIds<Item> {
  /** The newest one, or none. */
  readonly newest: () => readonly Item[];
  readonly startingWith: (start: string) => readonly Item[];
}

/** What `@last` and the first characters of an id may mean; four that do not say its kind are enough. */
export function meantBy<Item>(text: string, { newest, startingWith }: WithIds<Item>) {
  if (text === '@last') return newest();
  const start = text.replace(/…$/, '');
  return start.replace(/^[a-z]+_/, '').length < 4 ? [] : startingWith(start);
}

/** As people compare Cyrillic: ё is often written е, and either in two code points. */
export function folded(text: string): string {
  return text.normalize('NFC').replaceAll('ё', 'е').replaceAll('Ё', 'Е');
}

/** How a name that people write is kept: its letters composed, its words one blank apart. */
export function usualName(text: string): string {
  return text.normalize('NFC').trim().replace(/ +/g, ' ');
}

/** Whether a text has all of the words, in any order and case. */
export function hasWords(text: string, words: string): boolean {
  const searched = folded(text).toLowerCase();
  return words.split(/\s+/).every((word) => searched.includes(folded(word).toLowerCase()));
}

/** The closest candidate, if it is close enough to be meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  return nearestOf(word, candidates)[0];
}

/** The closest candidates, if they are close enough to be meant, and those that are about as close. */
export function nearestOf(word: string, candidates: readonly string[]): string[] {
  // No name is that long, and comparing takes time.
  if (word.length > 200) return [];
  // Swapped neighbours count twice, so a short word needs two; its dashes are in every option.
  const { length } = word.replace(/^-+/, '');
  const allowed = Math.min(length - 1, Math.max(1, Math.round(length * 0.4)));
  const ranked = candidates
    .map((candidate) => {
      const distance = editDistance(folded(word).toLowerCase(), folded(candidate).toLowerCase());
      return { candidate, distance };
    })
    .filter(({ distance }) => distance <= allowed)
    .sort((one, other) => one.distance - other.distance);
  const best = ranked[0]?.distance ?? 0;
  const most = best === 0 ? 0 : best + 1;
  return ranked.filter(({ distance }) => distance <= most).map(({ candidate }) => candidate);
}

/** `; did you mean chat?`; empty when no candidate is close. */
export function guess(word: string, candidates: readonly string[]): string {
  const similar = nearest(word, candidates);
  return similar === undefined ? '' : `; did you mean ${plainText(similar, 100)}?`;
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** A word of a shell command line for any text; unquoted where possible. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : singleQuoted(text);
}

export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The words of a command line that svc runs without a shell: split as a shell does, and nothing else of it; the `\` of Windows separates folders.
 * @throws for a quote without an end
 */
export async function wordsIn(line: string, platform = thisPlatform): Promise<string[]> {
  const { split } = await import('shlex');
  const path = (part: string) => part.replace(/^\\/, '$&$&');
  return split(platform === 'win32' ? line.replace(/'[^']*'|\\/g, path) : line);
}
