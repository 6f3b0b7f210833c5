/** What several recipes share. */

/** For programs that want to be told; most models of the service have at least so much. */
export const assumedContextTokens = 128_000;
/** The longest answer that a program asks for: each request reserves the price of one. */
export const answerTokens = 8_000;

/** `-m x`, `-mx`, `--model x` and `--model=x`. @returns the values, in their order */
export function optionValues(args: readonly string[], short: string, long: string): string[] {
  return args.flatMap((word, index) => {
    if (word === short || word === long) return args[index + 1] ?? [];
    if (word.startsWith(`${long}=`)) return word.slice(long.length + 1);
    return word.startsWith(short) ? word.slice(short.length) : [];
  });
}
