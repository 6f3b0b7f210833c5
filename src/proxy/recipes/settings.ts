/** What several recipes share. */

/** Where a program wants to be told: models of the service with less are rare. */
export const assumedContextTokens = 128_000;
/** The longest answer that a program asks for: each request reserves its price. */
export const answerTokens = 8_000;

/** `-m x`, `-mx`, `--model x`, `--model=x`. @returns the values, in their order */
export function optionValues(args: readonly string[], names: readonly string[]): string[] {
  const end = args.indexOf('--');
  const words = end < 0 ? args : args.slice(0, end);
  return words.flatMap((word, index) => {
    const name = names.find((one) => word.startsWith(one));
    if (name === undefined) return [];
    if (word === name) return words[index + 1] ?? [];
    if (word.startsWith(`${name}=`)) return word.slice(name.length + 1);
    return name.startsWith('--') ? [] : word.slice(name.length);
  });
}
