/** Text on a screen: how wide it is, its lines, and bars. */
import stringWidth from 'string-width';

/** Letters and lines of one column each: measured fifty times as fast as by the library. */
const narrow =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2500-\u259f]*$/;

export function textWidth(text: string): number {
  return narrow.test(text) ? text.length : stringWidth(text);
}

/** Lines of at most `columns` columns, broken at blanks; a longer word is broken anywhere, or kept. */
export function wrapText(text: string, columns: number, { keepsWords = false } = {}): string[] {
  const words = text.trim().replace(/\s+/g, ' ');
  return words === '' ? [] : wrapLine(words, columns, keepsWords);
}

/** The text in at most `columns` columns; `…` marks a cut. */
export function cutText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return columns <= 1 ? '…' : `${(broken(text, columns - 1)[0] ?? '').trimEnd()}…`;
}

/** The same for text whose own lines and spaces mean something; tabs become spaces. */
export function wrapLines(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(withoutTabs(line), columns));
}

function wrapLine(line: string, columns: number, keepsWords = false): string[] {
  if (textWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let current = '';
  for (const token of line.match(/\s+|\S+/g) ?? []) {
    const isBlank = token.trim() === '';
    if (textWidth(current + token) <= columns) {
      if (!isBlank || current !== '' || lines.length === 0) current += token;
    } else if (isBlank) {
      lines.push(current);
      current = '';
    } else {
      if (current.trim() !== '') lines.push(current.trimEnd());
      const pieces = keepsWords ? [token] : broken(token, columns);
      current = pieces.pop() ?? '';
      lines.push(...pieces);
    }
  }
  return current === '' && lines.length > 0 ? lines : [...lines, current];
}

function withoutTabs(line: string): string {
  const parts = line.split('\t');
  return parts.reduce((sum, part) => sum + ' '.repeat(8 - (textWidth(sum) % 8)) + part);
}

let segmenter: Intl.Segmenter | undefined;

/** A word in pieces, cut between what a reader takes for one letter each. */
function broken(word: string, columns: number): string[] {
  if (textWidth(word) <= columns) return [word];
  const pieces = [''];
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment: letter } of segmenter.segment(word)) {
    const piece = pieces.pop() ?? '';
    const fits = piece === '' || textWidth(piece + letter) <= columns;
    pieces.push(...(fits ? [piece + letter] : [piece, letter]));
  }
  return pieces;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar for a part from 0 to 1, in eighths of a letter; anything above nothing shows. */
export function bar(part: number, columns: number): string {
  if (!(part > 0)) return '';
  const length = Math.max(1, Math.round(Math.min(part, 1) * columns * 8));
  return '█'.repeat(Math.floor(length / 8)) + (eighths[length % 8] ?? '');
}
