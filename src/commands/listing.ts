/** Lists that are written while they come: lines for people and pipes, or one JSON object. */
import type { Client } from '../api/client.js';
import type { Context } from '../context.js';
import { grouped } from '../lib/amounts.js';
import { toJson, type JsonRecord } from '../lib/json.js';
import { accountFor } from '../state/account.js';
import type { listedCaches } from '../state/small-files.js';
import type { Column } from '../terminal/types.js';

/** What comes at once is drawn at once. */
export type Pages<Item> = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

export interface View<Item> {
  readonly columns: readonly Column[];
  readonly row: (item: Item) => string[];
  readonly empty: string;
}

/** A table that widens as rows arrive; a pipe gets lines without titles. */
export async function showRows<Item>(
  { out }: Context,
  pages: Pages<Item>,
  { columns, row, empty }: View<Item>,
): Promise<void> {
  const draw = await out.growingTable(columns);
  let isEmpty = true;
  for await (const items of pages) {
    if (items.length > 0) isEmpty = false;
    await draw(items.map(row));
  }
  if (isEmpty) out.note(empty);
}

const maxRemembered = 2000;

/** Keeps for completion what was shown of this account: names and facts, the newest first. */
export async function remember(
  context: Context,
  client: Client,
  kind: keyof typeof listedCaches,
  rows: readonly (readonly [string, ...(string | null | undefined)[]])[],
  isGone: (name: string) => boolean = () => false,
): Promise<void> {
  const { listedCaches } = await import('../state/small-files.js');
  const cache = listedCaches[kind](context.paths, accountFor(context, client));
  const kept = new Map(cache.read()?.filter(([name]) => !isGone(name)));
  const shown = rows.map(([name, ...facts]) => [name, facts.filter(Boolean).join(' · ')] as const);
  // Of two with one name, the newer summary stays.
  cache.keep([...new Map([...shown, ...kept, ...shown])].slice(0, maxRemembered));
}

/** Says on a terminal, and to coding agents, how to see the rest of a list. @param shown how many entries of the page */
export function noteRest(
  { out }: Context,
  shown: number,
  where: { page?: number | null; limit?: number | null; total?: number | null },
): void {
  const page = where.page ?? 1;
  const total = where.total ?? 0;
  const before = (page - 1) * (where.limit ?? shown);
  if (!(out.isTerminal || out.isForAgent) || shown === 0 || before + shown >= total) return;
  const range = page === 1 ? String(shown) : `${before + 1} to ${before + shown}`;
  out.note(`showing ${range} of ${grouped(total)}: --page ${page + 1} or --all`);
}

/**
 * The JSON object that a single page would be, also if it is cut off: `complete` says whether it
 * is all. A list that is cut off before its first entry is not started.
 */
export async function writeJson(
  { out, signal }: Context,
  pages: Pages<unknown>,
  name: string,
  { before = {}, after }: { before?: JsonRecord; after: (count: number) => JsonRecord },
): Promise<void> {
  const head = ['{', ...fieldLines(before).map((line) => `${line},`), `  "${name}": [`].join('\n');
  let count = 0;
  const end = (fields: JsonRecord) =>
    out.jsonText(`${count === 0 ? head : '\n  '}],\n${fieldLines(fields).join(',\n')}\n}\n`);
  try {
    for await (const entries of pages) {
      if (entries.length === 0) continue;
      const lines = entries.map((entry) => `    ${toJson(entry)}`).join(',\n');
      const start = count === 0 ? `${head}\n` : ',\n';
      count += entries.length;
      await out.jsonText(start + lines);
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
    ([name, value]) => `  ${JSON.stringify(name)}: ${toJson(value ?? null)}`,
  );
}
