/** Ranks lines by how near they are in meaning to a text. */
import type { Client } from '../../api/client.js';
import { totalCost } from '../../api/cost.js';
import { unequal } from '../../api/embeddings.js';
import type { Context } from '../../cli/context.js';
import { inOrder } from '../../lib/parallel.js';
import { Best, cosine, type Vector } from '../../lib/vectors.js';
import { tellCost } from '../cost.js';
import { defaultCount } from './index.js';
import { checkLines, noLines, type Source, batchesOf, type Line } from './lines.js';
import type { Plan } from './embed.js';
import { atOnce, wantsPrice, worker, Tally } from './stream.js';

export interface Comparison {
  readonly plan: Plan;
  readonly query: string;
  /** How many of the nearest to show. */
  readonly count: number | undefined;
  /** What is ranked: lines of a source, or texts. */
  readonly candidates: Source | readonly string[];
}

/** Shows the nearest; of any number of lines only these are held in memory. */
export async function showSimilar(
  context: Context,
  client: Client,
  { plan, query, count = defaultCount, candidates }: Comparison,
): Promise<void> {
  const { out, flags, clock } = context;
  const { batch } = plan;
  const rules = { size: batch, skip: 0, dropsEmpty: true };
  const stop = new AbortController();
  const tally = new Tally(0, clock.now());
  const best = new Best<Line>(count);
  const work = worker(context, client, { plan, tally, signal: stop.signal });
  if ('pieces' in candidates) await checkLines(candidates, rules);
  const batches =
    'pieces' in candidates
      ? batchesOf(candidates.pieces(stop.signal), rules)
      : batchesOfTexts(candidates, batch);
  try {
    const asked = await work([{ number: 0, text: query }]);
    const [wanted = []] = asked.vectors;
    const compared = inOrder(batches, atOnce, async (lines) => {
      const { vectors } = await work(lines);
      return lines.map((line, index) => ({ line, value: nearness(wanted, vectors[index] ?? []) }));
    });
    for await (const results of compared) {
      for (const { line, value } of results) best.add(line, value);
      tally.written(results.length, wanted.length);
    }
    if (tally.vectors === 0) throw noLines(0);
  } catch (error) {
    stop.abort();
    throw error;
  }
  const results = best.all.map(({ item: { number, text }, value }) => ({
    similarity: value,
    line: number,
    text,
  }));
  if (!flags.json) await showNearest(context, results);
  const cost = await totalCost(client, tally.ids, wantsPrice(context));
  if (flags.json) await out.json({ query, compared: tally.vectors, results, cost });
  tellCost(context, cost, tally.words());
}

async function showNearest(
  { out }: Context,
  results: readonly { similarity: number; line: number; text: string }[],
): Promise<void> {
  await out.table(
    [{ title: 'SIMILARITY', align: 'right' }, { title: 'LINE', align: 'right' }, { title: 'TEXT' }],
    results.map(({ similarity, line, text }) => [similarity.toFixed(4), String(line), text]),
  );
}

function nearness(one: Vector, other: Vector): number {
  if (one.length !== other.length) throw unequal();
  return cosine(one, other);
}

async function* batchesOfTexts(
  texts: readonly string[],
  size: number,
): AsyncGenerator<readonly Line[], void, undefined> {
  const lines = texts.map((text, index) => ({ number: index + 1, text }));
  for (let at = 0; at < lines.length; at += size) {
    yield await Promise.resolve(lines.slice(at, at + size));
  }
}
