/** Splits a long text into pieces that can be sent in turn. */

/** Where a piece may end, best first. The match, including spaces, belongs to the piece. */
const ends: readonly RegExp[] = [
  /\n[^\S\n]*\n\s*/g,
  // A sentence; without a space after it, its mark counts.
  /(?:[.!?…]["'”’»)\]]*\s+|[。！？]["'”’」』）]*\s*)/g,
  /\n\s*/g,
  /\s+/g,
];

/** Pieces of at most this many code points, each as long as its best end allows. */
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

/** Parts that end near these shares of the length (the last is 1), between words if possible. */
export function textShares(text: string, ends: readonly number[]): string[] {
  let from = 0;
  return ends.map((end) => {
    const part = text.slice(from, end === 1 ? undefined : Math.round(text.length * end));
    const words = end === 1 ? part : (/^[^]*\s/.exec(part)?.[0] ?? part);
    const isCut = /[\ud800-\udbff]$/.test(words);
    from += words.length - (isCut ? 1 : 0);
    return isCut ? words.slice(0, -1) : words;
  });
}

export function countCharacters(text: string): number {
  return text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ' ').length;
}

/** The position `characters` later, never between the halves of a character. */
export function endOf(text: string, from: number, characters: number): number {
  const next = Array.from(text.slice(from, from + 2 * characters));
  return from + next.slice(0, characters).join('').length;
}

function bestEnd(text: string, from: number, limit: number): number {
  const window = text.slice(from, limit);
  const inkFrom = window.search(/\S/);
  // Only blanks: the next piece may start anywhere.
  if (inkFrom === -1) return limit;
  for (const end of ends) {
    let best = 0;
    for (const { index, 0: match } of window.matchAll(end)) {
      // A blank piece would be paid for without effect.
      if (index > inkFrom) best = index + match.length;
    }
    if (best > 0) return from + best;
  }
  // A combining mark stays with a nearby letter.
  const marked = /[^\p{M}\u200d][\p{M}\u200d]{0,7}$/u.exec(window)?.[0] ?? '';
  const isMark = /^[\p{M}\u200d]/u.test(text.slice(limit, limit + 2));
  return isMark && marked.length < window.length ? limit - marked.length : limit;
}
