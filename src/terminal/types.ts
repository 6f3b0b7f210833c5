/** What the rest of svc may ask of the terminal. Only terminal/ writes to stdout and stderr. */
import type { Column } from './table.js';

export type { Output, TextSink } from './output.js';
export type { LineEditor } from './line-editor.js';
export type { Prompts } from './prompt.js';
export type { Column } from './table.js';

/** Columns by their titles, `>` for one at the right; how one gives way to a narrow screen. */
export function titles(...names: readonly (string | Column)[]): readonly Column[] {
  return names.map((name) => {
    const column = typeof name === 'string' ? { title: name } : name;
    if (!column.title.startsWith('>')) return column;
    return { ...column, title: column.title.slice(1), align: 'right' };
  });
}

/** Ctrl-C that was not a signal to svc; also a question closed by Ctrl-D or a terminal gone. */
export class PromptClosed extends Error {
  override readonly name = 'PromptClosed';
}
