/** Cuts a long text into pieces that can be sent one after the other. */

/** Where a piece may end, the best place first. What ends a place belongs to it, space included. */
const ends: readonly RegExp[] = [
  // A paragraph: at least one empty line.
  /\n[^\S\n]*\n\s*/g,
  // A sentence; where no space follows one, its mark tells.
  /(?:[.!?…]["'”’»)\]]*\s+|[。！？]["'”’」』）]*\s*)/g,
  /\n\s*/g,
  /\s+/g,
];

/**
 * The text in pieces of at most `maxCharacters` characters (code points), each as long as the best
 * place to end it allows: a paragraph, then a sentence, a line, a word, and anywhere if need be.
 * Joined, the pieces are the text.
 */
export function textPieces(text: string, maxCharacters: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const limit = endOf(text, from, maxCharacters);
    const to = limit === text.length ? limit : bestEnd(text, from, limit);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/**
 * The text in parts that end near these shares of its length, between words where that can be.
 * Joined, the parts are the text.
 * @param ends from 0 to 1 in order; the last is 1.
 */
export function textShares(text: string, ends: readonly number[]): string[] {
  let from = 0;
  return ends.map((end) => {
    const to = end === 1 ? text.length : wordStart(text, from, Math.round(text.length * end));
    const part = text.slice(from, to);
    from = to;
    return part;
  });
}

/** Where the word begins that a place lies in; inside of one that begins too early. */
function wordStart(text: string, from: number, place: number): number {
  let at = Math.max(from, place);
  while (at > from && !/\s/.test(text.charAt(at - 1))) at -= 1;
  if (at > from) return at;
  return isPair(text, place - 1) ? place - 1 : Math.max(from, place);
}

/** How many characters (code points) a text has. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count += 1) at += isPair(text, at) ? 2 : 1;
  return count;
}

/** Where the text is `characters` further on, never between the halves of a character. */
export function endOf(text: string, from: number, characters: number): number {
  let at = from;
  for (let count = 0; count < characters && at < text.length; count += 1) {
    at += isPair(text, at) ? 2 : 1;
  }
  return at;
}

function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff;
}

/** Where a piece ends that can go no further than the limit. */
function bestEnd(text: string, from: number, limit: number): number {
  const window = text.slice(from, limit);
  const inkFrom = window.search(/\S/);
  // Nothing to say in all of it: the next piece may begin anywhere.
  if (inkFrom === -1) return limit;
  for (const end of ends) {
    let best = 0;
    for (const { index, 0: match } of window.matchAll(end)) {
      // A piece of nothing but space would be paid for nothing.
      if (index > inkFrom) best = index + match.length;
    }
    if (best > 0) return from + best;
  }
  return beforeMarks(text, from, limit);
}

/** A mark stays with its letter, where the letter is near. */
function beforeMarks(text: string, from: number, limit: number): number {
  for (let at = limit, steps = 0; at > from && steps < 8; steps += 1) {
    if (!/^[\p{M}\u200d]/u.test(text.slice(at, at + 2))) return at;
    at -= isPair(text, at - 2) ? 2 : 1;
  }
  return limit;
}
