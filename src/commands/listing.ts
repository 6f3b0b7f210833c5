/** Lists that are written while they come: lines for people and pipes, or one JSON object. */
import type { Context } from '../cli/context.js';
import type { JsonRecord } from '../lib/json.js';
import { sanitiseJson } from '../terminal/screen.js';
import type { Column } from '../terminal/types.js';

/** What comes at once is drawn at once. */
export type Pages<Item> = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

export interface View<Item> {
  readonly columns: readonly Column[];
  readonly row: (item: Item) => string[];
  readonly empty: string;
}

export async function showRows<Item>(
  { out }: Context,
  items: readonly Item[],
  { columns, row, empty }: View<Item>,
): Promise<void> {
  if (items.length === 0) out.note(empty);
  await out.table(columns, items.map(row));
}

/** A table whose columns widen as rows come, without titles for a pipe. */
export async function writeRows<Item>(
  { out }: Context,
  pages: Pages<Item>,
  { columns, row, empty }: View<Item>,
): Promise<void> {
  const table = await out.growingTable(columns);
  let isEmpty = true;
  for await (const items of pages) {
    if (items.length === 0) continue;
    isEmpty = false;
    await table.draw(items.map(row));
  }
  if (isEmpty) out.note(empty);
}

/**
 * The JSON object that a single page would be, also where it breaks off: `complete` says whether it
 * is all. A list that breaks off before its first entry is not begun.
 */
export async function writeJson(
  { out, signal }: Context,
  pages: Pages<unknown>,
  name: string,
  { before = {}, after }: { before?: JsonRecord; after: (count: number) => JsonRecord },
): Promise<void> {
  // Escaped, so that it is the same value on a terminal.
  const put = (text: string) => out.text(out.isTerminal ? sanitiseJson(text) : text);
  const head = ['{', ...fieldLines(before).map((line) => `${line},`), `  "${name}": [`].join('\n');
  let count = 0;
  const end = (fields: JsonRecord) =>
    put(`${count === 0 ? head : '\n  '}],\n${fieldLines(fields).join(',\n')}\n}\n`);
  try {
    for await (const entries of pages) {
      if (entries.length === 0) continue;
      const lines = entries.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n');
      const start = count === 0 ? `${head}\n` : ',\n';
      count += entries.length;
      await put(start + lines);
    }
  } catch (error) {
    // Not after Ctrl-C, nor for a reader that is gone.
    if (count > 0 && !signal.aborted) await end({ complete: false });
    throw error;
  }
  await end({ ...after(count), complete: true });
}

function fieldLines(record: JsonRecord): string[] {
  return Object.entries(record).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value ?? null)}`,
  );
}
