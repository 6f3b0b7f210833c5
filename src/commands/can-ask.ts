import type { Context } from '../cli/context.js';

/** Whether there is a person to ask: somebody types, sees the question, and did not say --no-input. */
export function canAsk({ flags, out, stdin }: Context): boolean {
  return stdin.isTerminal && out.isErrorTerminal && flags.input;
}
