/** Where things stand in a text. None of these goes back, so a line of any length takes linear time. */

/** Where a pattern with the flag g next matches, from `at` on; the text's end when it does not. */
export function find(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.index ?? text.length;
}

/** Whether a pattern with the flag y matches at this place. */
export function standsAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Where a run of one character ends; `at` when there is none. */
export function runEnd(character: string, text: string, at: number): number {
  let end = at;
  while (text[end] === character) end++;
  return end;
}
