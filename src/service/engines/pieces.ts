/** Cuts text only where a reader may see it cut: between words, never inside a character. */

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The longest piece of an unbroken run of letters, in UTF-16 units. */
const longestPiece = 256;
/** How far around a place to look for the edges of the character that holds it. */
const window = 128;

/** The longest start of a text that has at most `max` code points and splits no grapheme. */
export function cutAt(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let count = 0; count < max && end < text.length; count += 1) {
    end += isHigh(text.charCodeAt(end)) && isLow(text.charCodeAt(end + 1)) ? 2 : 1;
  }
  return text.slice(0, graphemeStart(text, end));
}

/** The text in pieces of `size` graphemes, or of about a word each; joined, they are the text. */
export function* pieces(text: string, size?: number): Generator<string> {
  if (size !== undefined) {
    yield* groups(text, size);
    return;
  }
  // A word takes the white space before it, so that no mark is parted from what it stands on.
  for (const [word] of text.matchAll(/\s*\S+|\s+/g)) {
    let rest = word;
    while (rest.length > longestPiece) {
      const end = graphemeStart(rest, longestPiece) || beforePair(rest, longestPiece);
      yield rest.slice(0, end);
      rest = rest.slice(end);
    }
    yield rest;
  }
}

function* groups(text: string, size: number): Generator<string> {
  let group = '';
  let count = 0;
  for (const { segment } of graphemes.segment(text)) {
    group += segment;
    count += 1;
    if (count === size) {
      yield group;
      group = '';
      count = 0;
    }
  }
  if (group !== '') yield group;
}

/** Where the grapheme that holds `index` begins; `index` itself when it is between two. */
function graphemeStart(text: string, index: number): number {
  if (index >= text.length) return text.length;
  const from = beforePair(text, Math.max(0, index - window));
  const near = text.slice(from, index + window);
  const holding = graphemes.segment(near).containing(index - from);
  return holding ? from + holding.index : index;
}

/** `at`, or one less where it would split a surrogate pair. */
function beforePair(text: string, at: number): number {
  return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at)) ? at - 1 : at;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
