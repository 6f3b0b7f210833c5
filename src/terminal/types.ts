/** What the rest of svc may ask of the terminal. Only terminal/ writes to stdout and stderr. */
export type { Output, TextSink } from './output.js';
export type { Prompts } from './prompt.js';
export type { Column } from './table.js';

/** The person closed a question instead of answering it: Ctrl-C, Ctrl-D, or a terminal gone. */
export class PromptClosed extends Error {
  override readonly name = 'PromptClosed';
}
