/** The recipe of a list: a table for people, lines in a pipe, or JSON, of one reply or of every page. */
import type { Client } from '../api/client.js';
import { priceWords, type ModelFacts } from '../api/model-facts.js';
import type { Context } from '../context.js';
import { grouped } from '../lib/amounts.js';
import { toJson, type JsonRecord } from '../lib/json.js';
import { accountFor } from '../state/account.js';
import type { listedCaches } from '../state/small-files.js';
import { titles, type Column } from '../terminal/types.js';

/** A title, `>` for one at the right, and what stands below it. */
export type ListColumn<Item> = readonly [
  title: string | Column,
  cell: (item: Item) => string | null | undefined,
];

/** What a list shows of each entry. */
export interface ListView<Item> {
  readonly columns: readonly Column[];
  readonly row: (item: Item) => string[];
  /** What is said where there is none. */
  readonly empty: string | undefined;
}

export function listView<Item>(
  columns: readonly ListColumn<Item>[],
  empty?: string,
): ListView<Item> {
  return {
    columns: titles(...columns.map(([title]) => title)),
    row: (item) => columns.map(([, cell]) => cell(item) ?? ''),
    empty,
  };
}

/** What comes at once is drawn at once. */
export type Pages<Item> = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

/** One reply: its entries, and all of it. */
interface ListReply<Item> {
  readonly items: readonly Item[];
  /** What --json prints. */
  readonly json: unknown;
}

/** --all: every page, as it arrives. */
interface EveryPage<Item> {
  readonly pages: Pages<Item>;
  /** The list in the object of --json, which a single page would be; without one it is an array. */
  readonly name?: string;
  readonly before?: JsonRecord;
  /** The fields after the list. @param count of its entries */
  readonly after?: (count: number) => JsonRecord;
  /** What stands there for an entry: by itself the entry. */
  readonly entry?: (item: Item) => unknown;
}

/** A table that widens as rows arrive; a pipe gets lines without titles; --json the reply. */
export async function writeList<Item>(
  context: Context,
  view: ListView<Item>,
  list: ListReply<Item> | EveryPage<Item>,
): Promise<void> {
  const { flags, out } = context;
  const isWhole = 'items' in list;
  if (flags.json) return isWhole ? out.json(list.json) : writeJson(context, list);
  const draw = await out.growingTable(view.columns);
  let isEmpty = true;
  for await (const items of isWhole ? [list.items] : list.pages) {
    if (items.length > 0) isEmpty = false;
    await draw(items.map(view.row));
  }
  if (isEmpty && view.empty !== undefined) out.note(view.empty);
}

const maxRemembered = 2000;

/** Names of a kind, the newest first, each with facts about it. */
interface Remembered {
  readonly kind: keyof typeof listedCaches;
  readonly rows?: readonly (readonly [string, ...(string | null | undefined)[]])[];
  /** Names that exist no longer. */
  readonly isGone?: (name: string) => boolean;
}

/** Keeps for completion what was shown of this account. */
export async function remember(
  context: Context,
  client: Client,
  { kind, rows = [], isGone = () => false }: Remembered,
): Promise<void> {
  const { listedCaches } = await import('../state/small-files.js');
  const cache = listedCaches[kind](context.paths, accountFor(context, client));
  const earlier = new Map(cache.read()?.filter(([name]) => !isGone(name)));
  const shown = rows.map(([name, ...facts]) => [name, facts.filter(Boolean).join(' · ')] as const);
  // Of two with one name, the newer summary stays.
  cache.keep([...new Map([...shown, ...earlier, ...shown])].slice(0, maxRemembered));
}

/** Keeps models with their types: completion offers a command those that it can use. */
export async function rememberModels(
  context: Context,
  client: Client,
  models: readonly ModelFacts[],
): Promise<void> {
  const rows = models.map(({ id, type, amounts }) => [id, type, priceWords(amounts)] as const);
  await remember(context, client, { kind: 'model', rows });
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
  out.note(`showing ${range} of ${grouped(total, out.language)}: --page ${page + 1} or --all`);
}

/**
 * The JSON object that a single page would be, also if it is cut off: `complete` says whether it
 * is all. A list that is cut off before its first entry is not started.
 */
async function writeJson<Item>(
  { out, signal }: Context,
  { pages, name, before = {}, after = () => ({}), entry = (item) => item }: EveryPage<Item>,
): Promise<void> {
  if (name === undefined) return writeArray(out, pages, entry);
  const head = ['{', ...fieldLines(before).map((line) => `${line},`), `  "${name}": [`].join('\n');
  let count = 0;
  const end = (fields: JsonRecord) =>
    out.jsonText(`${count === 0 ? head : '\n  '}],\n${fieldLines(fields).join(',\n')}\n}\n`);
  try {
    for await (const entries of pages) {
      if (entries.length === 0) continue;
      const lines = entries.map((one) => `    ${toJson(entry(one))}`).join(',\n');
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

async function writeArray<Item>(
  out: Context['out'],
  pages: Pages<Item>,
  entry: (item: Item) => unknown,
): Promise<void> {
  let start = '[';
  for await (const items of pages) {
    if (items.length === 0) continue;
    const entries = toJson(items.map(entry), 2);
    await out.jsonText(start + entries.slice('['.length, -'\n]'.length));
    start = ',';
  }
  await out.jsonText(start === '[' ? '[]\n' : '\n]\n');
}

function fieldLines(record: JsonRecord): string[] {
  return Object.entries(record).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${toJson(value ?? null)}`,
  );
}
