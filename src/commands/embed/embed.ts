import { setFlagsFromString } from 'node:v8';
import type { Client } from '../../api/client.js';
import { totalCost } from '../../api/cost.js';
import { embed as ask, unequal } from '../../api/embeddings.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { inOrder } from '../../lib/parallel.js';
import { plainText } from '../../lib/plain-text.js';
import { type Vector, Best, cosine } from '../../lib/vectors.js';
import { costFor, writeCost, mayCost } from '../../jobs/cost.js';
import { assertModel } from '../known-model.js';
import { titles } from '../../terminal/types.js';
import { type embed, defaultBatch, defaultCount } from './index.js';
import {
  sourceFrom,
  wholeText,
  checkLines,
  noLines,
  type Source,
  batchesOf,
  type Line,
} from './lines.js';
import { openSink } from './sink.js';
import { embedLines, Tally, atOnce, wantsPrice, worker } from './stream.js';

/** Turns texts into vectors, or ranks lines by how near they are to a text. */
export const run: Handler<typeof embed> = async (context, { args, options }) => {
  const plan = await planFrom(context, args.text, options);
  const isStream = options.lines === true || options.similar !== undefined;
  // Nearly nothing is kept: clearing a small room for new objects often costs less than a large one.
  if (isStream) setFlagsFromString('--semi-space-growth-factor=1');
  const source = args.text.length > 0 ? undefined : await sourceFrom(context, options.file);
  const texts = source && !isStream ? [await wholeText(source)] : args.text;
  assertNotEmpty(texts);
  const client = await context.client();
  await assertModel(context, client, plan.model, 'embedding');
  await mayCost(context, client, async (paying, told) => {
    if (options.similar !== undefined) {
      await showSimilar(context, paying, plan, options, source ?? texts);
    } else if (source && isStream) await embedLines(context, paying, { source, plan, told });
    else await embedTexts(context, paying, texts, plan);
  });
};

function assertNotEmpty(texts: readonly string[]): void {
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
    writeCost(context, cost, tally.words());
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
    titles('TEXT', '>NUMBERS', 'VECTOR'),
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

type EmbedOptions = InputOf<typeof embed>['options'];

export interface Plan {
  readonly model: string;
  readonly encoding: EmbedOptions['encoding'];
  /** Print base64. */
  readonly isRaw: boolean;
  readonly batch: number;
  readonly skip: number;
  readonly file: FilePlan | undefined;
}

/** The file of -o. */
export interface FilePlan {
  readonly path: string;
  readonly kind: 'npy' | 'jsonl';
  readonly replace: boolean;
  readonly resume: boolean;
}

/** @throws UsageError in one sentence; ConfigError when there is no service to ask either. */
async function planFrom(
  context: Context,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<Plan> {
  assertCompatible(context, texts, options);
  const file = filePlan(options);
  const isRaw = options.raw === true;
  if (isRaw && file?.kind === 'npy') throw conflict('--raw', `-o ${file.path}`);
  // Where the numbers become 32-bit floats anyway, the shorter way loses nothing.
  const isShort = file?.kind === 'npy' || options.similar !== undefined;
  return {
    model: await modelFrom(context, options.model),
    encoding: options.encoding ?? (isShort ? 'base64' : undefined),
    isRaw,
    batch: options.batch ?? defaultBatch,
    skip: options.skip ?? 0,
    file,
  };
}

function assertCompatible(
  { flags }: Context,
  texts: readonly string[],
  { lines, similar, resume, output, file, batch }: EmbedOptions,
): void {
  const isStream = lines === true || similar !== undefined;
  if (texts.length > 0 && file !== undefined) throw conflict('-f', 'texts as arguments');
  if (texts.length > 0 && lines) throw conflict('--lines', 'texts as arguments');
  if (similar?.trim() === '') {
    throw new UsageError('--similar needs a text to compare with', { code: 'usage' });
  }
  if (lines && flags.json && similar === undefined && !isFile(output)) {
    throw usage('--json and --lines cannot go together: --lines prints JSON already');
  }
  if (resume && !(isStream && isFile(output))) throw usage('--resume needs --lines and -o FILE');
  if (!isStream && batch !== undefined) throw usage('--batch needs --lines');
}

function isFile(output: string | undefined): output is string {
  return output !== undefined && output !== '-';
}

function filePlan({ output, force, resume }: EmbedOptions): FilePlan | undefined {
  if (!isFile(output)) return undefined;
  const kind = /\.(npy|jsonl|ndjson)$/i.exec(output)?.[1]?.toLowerCase();
  if (kind === undefined) {
    throw usage(`-o takes a name that ends in .npy or .jsonl, not ${output}`);
  }
  return {
    path: output,
    kind: kind === 'npy' ? 'npy' : 'jsonl',
    replace: force === true,
    resume: resume === true,
  };
}

async function modelFrom(context: Context, given: string | undefined): Promise<string> {
  const model = given?.trim() ?? (context.flags.local ? 'local/embed' : '');
  if (model !== '') return model;
  // Who has no service to ask yet needs that first, and is told so.
  await context.client();
  throw new UsageError('no embeddings model is named', {
    code: 'no_model',
    hint: 'give -m MODEL; `svc models pricing` shows them',
  });
}

function conflict(one: string, other: string): UsageError {
  return usage(`${one} and ${other} cannot go together`);
}

function usage(message: string): UsageError {
  return new UsageError(message, { code: 'usage', hint: 'svc embed --help' });
}

/** Shows the nearest; of any number of lines only these are held in memory. */
async function showSimilar(
  context: Context,
  client: Client,
  plan: Plan,
  { similar: query = '', count = defaultCount }: EmbedOptions,
  candidates: Source | readonly string[],
): Promise<void> {
  const { out, flags, clock } = context;
  const { batch } = plan;
  const rules = { size: batch, skip: 0, dropsEmpty: true };
  const stop = new AbortController();
  const tally = new Tally(0, clock.now());
  const best = new Best<Line>(count);
  const work = worker(client, plan, tally, stop.signal);
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
  if (!flags.json) {
    await out.table(
      titles('>SIMILARITY', '>LINE', 'TEXT'),
      results.map(({ similarity, line, text }) => [similarity.toFixed(4), String(line), text]),
    );
  }
  const cost = await totalCost(client, tally.ids, wantsPrice(context));
  if (flags.json) await out.json({ query, compared: tally.vectors, results, cost });
  writeCost(context, cost, tally.words());
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
