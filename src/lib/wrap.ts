/** Breaks text into lines for a screen. */

// What terminals draw two columns wide: East Asian letters, and most pictures.
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu;
const marks = /[\p{Mn}\p{Me}\u200b-\u200d\ufe00-\ufe0f]/gu;

/** Columns that a text takes on a terminal, as far as its letters tell. */
export function textWidth(text: string): number {
  const bare = text.replace(marks, '');
  return Array.from(bare).length + (bare.match(wide)?.length ?? 0);
}

/** Lines of at most `columns` columns, broken at blanks; a longer word is broken anywhere. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (textWidth(joined) <= columns) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = broken(word, columns);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return line === '' ? lines : [...lines, line];
}

function broken(word: string, columns: number): string[] {
  if (textWidth(word) <= columns) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const letter of Array.from(word)) {
    if (piece !== '' && textWidth(piece + letter) > columns) {
      pieces.push(piece);
      piece = '';
    }
    piece += letter;
  }
  return [...pieces, piece];
}
