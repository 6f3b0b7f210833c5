/** A blank line separates two texts; one alone stays unchanged, byte for byte. */
export function joinText(piped: string, words: string): string {
  if (piped.trim() === '') return words.trim() === '' ? piped : words;
  if (words.trim() === '') return piped;
  return `${piped}${piped.endsWith('\n') ? '\n' : '\n\n'}${words}`;
}
