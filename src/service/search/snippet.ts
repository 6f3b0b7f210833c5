/** The part of a text that shows best why it was found. */
import { termOf } from '../engines/terms.js';

const ellipsis = '…';
/** The share of it that leads up to the first term. */
const lead = 1 / 6;

/**
 * About so many characters of the text on one line: those with the most of the terms in them, or
 * the first ones. It begins and ends between words.
 * @param terms as the index keeps them
 */
export function snippetOf(text: string, terms: ReadonlySet<string>, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= length) return line;
  const from = wordBefore(line, bestStart(line, terms, (1 - lead) * length), lead * length);
  let to = line.length - from <= length ? line.length : line.lastIndexOf(' ', from + length);
  // A text without spaces is cut where it must be, but not inside a pair.
  if (to <= from) to = from + length - (isHigh(line.charCodeAt(from + length - 1)) ? 1 : 0);
  const before = from > 0 ? `${ellipsis} ` : '';
  const after = to < line.length ? ` ${ellipsis}` : '';
  return before + line.slice(from, to) + after;
}

/** Where a word begins, at most so many characters before a place, or else the place itself. */
function wordBefore(line: string, place: number, characters: number): number {
  if (place <= characters) return 0;
  const space = line.indexOf(' ', place - characters - 1);
  return space < 0 || space >= place ? place : space + 1;
}

interface Hit {
  readonly at: number;
  readonly term: string;
}

/** Where the window with the most different terms begins; of equals, the first. */
function bestStart(line: string, terms: ReadonlySet<string>, length: number): number {
  const window: Hit[] = [];
  const counts = new Map<string, number>();
  let best = { at: 0, terms: 0 };
  for (const { 0: word, index: at } of line.matchAll(/[\p{L}\p{N}]+/gu)) {
    const term = termOf(word);
    if (term === null || !terms.has(term)) continue;
    window.push({ at, term });
    counts.set(term, (counts.get(term) ?? 0) + 1);
    for (let [first] = window; first && at + word.length - first.at > length; [first] = window) {
      window.shift();
      const left = (counts.get(first.term) ?? 1) - 1;
      if (left === 0) counts.delete(first.term);
      else counts.set(first.term, left);
    }
    if (counts.size > best.terms) best = { at: window[0]?.at ?? at, terms: counts.size };
  }
  return best.at;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
