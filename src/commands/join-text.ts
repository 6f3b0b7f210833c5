/** Alone, either is unchanged, byte for byte; together, a blank line separates them. */
export function joinText(piped: string, words: string): string {
  if (piped.trim() === '') return words.trim() === '' ? piped : words;
  if (words.trim() === '') return piped;
  return `${piped}${piped.endsWith('\n') ? '\n' : '\n\n'}${words}`;
}
