import type { Context } from '../cli/context.js';

/** Says words for people on stderr; a program that reads JSON from stderr gets none. */
export function sayer({ out, flags }: Context): (words: string) => void {
  return (words) => {
    if (!flags.json) out.note(words);
  };
}
