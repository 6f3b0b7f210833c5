import { setFlagsFromString } from 'node:v8';
import type { Client } from '../../api/client.js';
import { embed as ask } from '../../api/embeddings.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import type { Vector } from '../../lib/vectors.js';
import { costFor, tellCost } from '../cost.js';
import { demandModel } from '../known-model.js';
import { mayCost } from '../may-cost.js';
import type { embed } from './index.js';
import { sourceFrom, wholeText } from './input.js';
import { planFrom, type Plan } from './plan.js';
import { openSink } from './sink.js';
import { embedLines } from './stream.js';
import { Tally } from './tally.js';

/** Turns texts into vectors, or ranks lines by how near they are to a text. */
export const run: Handler<typeof embed> = async (context, { args, options }) => {
  const plan = await planFrom(context, args.text, options);
  const isStream = options.lines === true || options.similar !== undefined;
  // Nearly nothing is kept: clearing a small room for new objects often costs less than a large one.
  if (isStream) setFlagsFromString('--semi-space-growth-factor=1');
  const source = args.text.length > 0 ? undefined : await sourceFrom(context, options.file);
  const texts = source && !isStream ? [await wholeText(source)] : args.text;
  refuseEmpty(texts);
  const client = await context.client();
  await demandModel(context, client, plan.model, 'embedding');
  const { similar: query, count } = options;
  await mayCost(context, client, async (paying, told) => {
    if (query !== undefined) {
      const { showSimilar } = await import('./similar.js');
      await showSimilar(context, paying, { plan, query, count, candidates: source ?? texts });
    } else if (source && isStream) await embedLines(context, paying, { source, plan, told });
    else await embedTexts(context, paying, texts, plan);
  });
};

function refuseEmpty(texts: readonly string[]): void {
  const empty = texts.findIndex((text) => text.trim() === '');
  if (empty === -1) return;
  const which = texts.length === 1 ? 'the text' : `text ${String(empty + 1)}`;
  throw new UsageError(`${which} is empty, and an empty text has no vector`, {
    code: 'empty_text',
    hint: 'svc embed "a text"',
  });
}

/** A few texts, in one request. */
async function embedTexts(
  context: Context,
  client: Client,
  texts: readonly string[],
  plan: Plan,
): Promise<void> {
  const { out, flags, clock } = context;
  const sink = plan.file || !out.isTerminal ? await openSink(out, plan) : undefined;
  const { model, encoding } = plan;
  const tally = new Tally(0, clock.now());
  try {
    const answer = await ask(client, { model, texts, encoding });
    const { vectors, reply, ids } = answer;
    tally.paid(answer);
    tally.written(vectors.length, vectors[0]?.length ?? 0);
    if (plan.file || !flags.json) {
      if (sink) await sink.put(vectors);
      else await showTable(context, texts, vectors);
    }
    await sink?.finish();
    const cost = await costFor(context, client, { ids });
    if (flags.json) await out.json({ ...(plan.file ? summary(plan, tally) : reply), cost, ids });
    tellCost(context, cost, tally.words());
  } catch (error) {
    await sink?.abandon(tally.done);
    throw error;
  }
}

function summary({ file }: Plan, { vectors, dimensions, tokens }: Tally) {
  return { file: file?.path, vectors, dimensions, tokens };
}

/** Nobody reads a thousand numbers: on a terminal the first ones show what came. */
async function showTable(
  { out }: Context,
  texts: readonly string[],
  vectors: readonly Vector[],
): Promise<void> {
  await out.table(
    [{ title: 'TEXT' }, { title: 'NUMBERS', align: 'right' }, { title: 'VECTOR' }],
    vectors.map((vector, index) => [
      plainText(texts[index] ?? '', 40),
      String(vector.length),
      beginningOf(vector),
    ]),
  );
}

function beginningOf(vector: Vector): string {
  const first = Array.from({ length: Math.min(4, vector.length) }, (_, at) => vector[at] ?? 0);
  const numbers = first.map((number) => number.toFixed(4)).join(' ');
  return vector.length > first.length ? `${numbers} …` : numbers;
}
