/** Text on a screen: how wide it is, its lines, and bars. */
import stringWidth from 'string-width';

/** Letters and lines of one column each: measured fifty times as fast as by the library. */
const narrow =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2500-\u259f]*$/;

/** Chinese and Japanese, of two columns each. */
const twice = /^[\u3001-\u3029\u3041-\u3096\u30a1-\u30ff\u4e00-\u9fff\uff01-\uff60]+$/;

export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  return twice.test(text) ? 2 * text.length : stringWidth(text);
}

/** Lines of at most `columns` columns, broken at blanks that may break; a longer word is broken anywhere, or kept. */
export function wrapText(text: string, columns: number, { keepsWords = false } = {}): string[] {
  const words = text.trim().replace(/[^\S\u00a0]+/g, ' ');
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
  for (const token of line.match(/[^\S\u00a0]+|[\S\u00a0]+/g) ?? []) {
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
  if (narrow.test(word)) return word.match(new RegExp(`.{1,${String(columns)}}`, 'g')) ?? [];
  const pieces = [''];
  let used = 0;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment: letter } of segmenter.segment(word)) {
    const width = textWidth(letter);
    const fits = used === 0 || used + width <= columns;
    const piece = fits ? (pieces.pop() ?? '') : '';
    pieces.push(piece + letter);
    used = fits ? used + width : width;
  }
  return pieces;
}

const wide = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\u3001-\u303f\uff01-\uff60';
const closers = '、。，．：；！？）」』】》〉”’…';
const openers = '（「『【《〈“‘';
const wideLetter = `[${openers}]*[${wide}][${closers}]*`;
const word = `[^ \\t\\n\u2028${wide}]+[${closers}]*`;
/** A line may be broken after each: Chinese and Japanese are written without blanks. */
const atoms = new RegExp(`\u2028|[ \\t\\n]+|${wideLetter}|${word}`, 'gu');
const isWide = new RegExp(`^${wideLetter}$`, 'u');
/** The last word of a text that may go on. */
export const lastWord = new RegExp(`(?:${wideLetter}|${word})$`, 'u');

/** Ends a line in the text of a span. */
export const hardBreak = '\u2028';

function wordsOf<Span extends { readonly text: string }>(spans: readonly Span[]) {
  const words: { spans: Span[]; width: number }[] = [];
  let joins = false;
  for (const span of spans) {
    for (const [atom] of span.text.matchAll(atoms)) {
      const isWord = atom.trim() !== '' && !isWide.test(atom);
      const piece = { ...span, text: atom.trim() || (atom === hardBreak ? atom : ' ') };
      const last = words.at(-1);
      if (joins && isWord && last) {
        last.spans.push(piece);
        last.width += textWidth(atom);
      } else words.push({ spans: [piece], width: textWidth(piece.text) });
      joins = isWord;
    }
  }
  return words;
}

/** Spans in lines, a span for each word and blank; a long address is kept whole unless `breaksAll`. */
export function wrapSpans<Span extends { readonly text: string }>(
  spans: readonly Span[],
  columns: number,
  breaksAll: boolean,
): Span[][] {
  const lines: Span[][] = [[]];
  let used = 0;
  let gap: Span | undefined;
  const add = (added: readonly Span[], width: number) => {
    const room = gap && used > 0 ? 1 : 0;
    const fits = used === 0 || used + room + width <= columns;
    if (!fits) lines.push([]);
    lines.at(-1)?.push(...(fits && gap && room > 0 ? [gap] : []), ...added);
    used = fits ? used + room + width : width;
    gap = undefined;
  };
  for (const { spans: parts, width } of wordsOf(spans)) {
    const [first] = parts;
    if (first?.text === ' ') gap = first;
    else if (first?.text === hardBreak) {
      lines.push([]);
      [used, gap] = [0, undefined];
    } else if (width <= columns || (!breaksAll && parts.some(({ text }) => text.includes('://')))) {
      add(parts, width);
    } else {
      for (const part of parts) {
        for (const text of broken(part.text, columns)) add([{ ...part, text }], textWidth(text));
      }
    }
  }
  return lines.filter((line, index) => line.length > 0 || index < lines.length - 1);
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar for a part from 0 to 1, in eighths of a letter; anything above nothing shows. */
export function bar(part: number, columns: number): string {
  if (!(part > 0)) return '';
  const length = Math.max(1, Math.round(Math.min(part, 1) * columns * 8));
  return '█'.repeat(Math.floor(length / 8)) + (eighths[length % 8] ?? '');
}
