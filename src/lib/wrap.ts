/** Breaks text into lines for a screen. */

// What terminals draw two columns wide: East Asian letters, and most pictures.
const wide =
  /[\u1100-\u115f\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu;
const marks = /[\p{Mn}\p{Me}\u1160-\u11ff\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]/gu;
// What makes one picture of several: joiners, flags, shades of skin, and the wish for a picture.
const joined = /[\u200d\ufe0f\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]/u;

/** Columns that a text takes on a terminal, as far as its letters tell. */
export function textWidth(text: string): number {
  if (!joined.test(text)) return sumOfWidths(text);
  return clusters(text).reduce((sum, cluster) => {
    const isPicture = joined.test(cluster) && /\p{Extended_Pictographic}|\p{RI}/u.test(cluster);
    return sum + (isPicture ? 2 : sumOfWidths(cluster));
  }, 0);
}

function sumOfWidths(text: string): number {
  const bare = text.replace(marks, '');
  return Array.from(bare).length + (bare.match(wide)?.length ?? 0);
}

let segmenter: Intl.Segmenter | undefined;

/** What a reader takes for one letter each: with its accents, or a picture of several parts. */
function clusters(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Lines of at most `columns` columns, broken at blanks; a longer word is broken anywhere. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    const both = line === '' ? word : `${line} ${word}`;
    if (textWidth(both) <= columns) {
      line = both;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = broken(word, columns);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return line === '' ? lines : [...lines, line];
}

/**
 * The same for text whose own lines and spaces mean something: only a line that is too long is
 * broken, and what does not break stays as it is. Tabs become spaces.
 */
export function wrapLines(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(withoutTabs(line), columns));
}

function wrapLine(line: string, columns: number): string[] {
  if (textWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let current = '';
  for (const token of line.match(/\s+|\S+/g) ?? []) {
    const isBlank = token.trim() === '';
    if (textWidth(current + token) <= columns) {
      // What stands before a break, or after one, is not seen.
      if (!isBlank || current !== '' || lines.length === 0) current += token;
      continue;
    }
    if (isBlank) {
      lines.push(current);
      current = '';
      continue;
    }
    if (current.trim() !== '') lines.push(current.trimEnd());
    const pieces = broken(token, columns);
    current = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return current === '' && lines.length > 0 ? lines : [...lines, current];
}

const tabColumns = 8;

function withoutTabs(line: string): string {
  return line
    .split('\t')
    .reduce((sum, part) => sum + ' '.repeat(tabColumns - (textWidth(sum) % tabColumns)) + part);
}

function broken(word: string, columns: number): string[] {
  if (textWidth(word) <= columns) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const letter of clusters(word)) {
    if (piece !== '' && textWidth(piece + letter) > columns) {
      pieces.push(piece);
      piece = '';
    }
    piece += letter;
  }
  return [...pieces, piece];
}
