/** What the rest of svc may ask of the terminal. Only terminal/ writes to stdout and stderr. */
import type { Column } from './table.js';

export type { Output, TextSink } from './output.js';
export type { Prompts } from './prompt.js';
export type { Column } from './table.js';

/** Columns by their titles; one that begins with `>` stands at the right. */
export function titles(...names: readonly string[]): readonly Column[] {
  return names.map((name) =>
    name.startsWith('>') ? { title: name.slice(1), align: 'right' } : { title: name },
  );
}

/** The person closed a question instead of answering it: Ctrl-C, Ctrl-D, or a terminal gone. */
export class PromptClosed extends Error {
  override readonly name = 'PromptClosed';
}
