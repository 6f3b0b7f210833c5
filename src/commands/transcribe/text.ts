/** The text of a recording, of what was heard in its parts. */
import type { Part } from './parts.js';

interface Text {
  readonly text: string;
}

/** The text of a part, with what parts it from those before. */
export function pieceOf(parts: readonly Part[], heard: readonly Text[], index: number): string {
  const { text = '' } = heard[index] ?? {};
  // Where nothing was heard, words on either side of it meet.
  const last = heard.slice(0, index).findLastIndex((one) => one.text !== '');
  const before = heard[last]?.text ?? '';
  if (before === '' || text === '' || /\s$/.test(before) || /^\s/.test(text)) return text;
  // What stands in the file word for word was cut there: nothing stood between.
  const isVerbatim = [last, index].every((one) => parts[one]?.comment === heard[one]?.text);
  return isVerbatim ? text : ` ${text}`;
}

/** All of it, as far as it was heard. */
export function wholeText(parts: readonly Part[], heard: readonly Text[]): string {
  return heard.map((_, index) => pieceOf(parts, heard, index)).join('');
}
