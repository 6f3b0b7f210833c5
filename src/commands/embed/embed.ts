import type { Client } from '../../api/client.js';
import { embed as ask } from '../../api/embeddings.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { keepLittleGarbage } from '../../lib/short-lived.js';
import type { Vector } from '../../lib/vectors.js';
import { costFor, tellCost } from '../cost.js';
import { demandModel } from '../known-model.js';
import { mayCost } from '../may-cost.js';
import { type embed, defaultBatch } from './index.js';
import { sourceFrom, wholeText } from './lines.js';
import { openSink } from './sink.js';
import { embedLines, Tally } from './stream.js';

/** Turns texts into vectors, or ranks lines by how near they are to a text. */
export const run: Handler<typeof embed> = async (context, { args, options }) => {
  const plan = await planFrom(context, args.text, options);
  const isStream = options.lines === true || options.similar !== undefined;
  if (isStream) keepLittleGarbage();
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
  refuseConflicts(context, texts, options);
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

function refuseConflicts(
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
