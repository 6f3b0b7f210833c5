import { setFlagsFromString } from 'node:v8';
import type { Client } from '../../api/client.js';
import { outcomeIsUnknown } from '../../api/failure.js';
import { costOf, type Cost } from '../../api/cost.js';
import { embed as ask, unequal } from '../../api/embeddings.js';
import type { Context, Handler } from '../../context.js';
import type { InputOf } from '../../command.js';
import { Incomplete, SvcError, UsageError, ReaderGone } from '../../errors.js';
import { isCostSeen, mayCost, writeCost } from '../../jobs/cost.js';
import { formatElapsed } from '../../lib/duration.js';
import { inOrder } from '../../lib/parallel.js';
import { assertModel, modelFor } from '../../jobs/known-model.js';
import { defaultBatch, defaultCount, type embed } from './index.js';
import { showProgress } from '../sending.js';
import { inputFrom, type Input, type Line } from './lines.js';
import { openSink, type Answer } from './sink.js';

const atOnce = 4;

export const run: Handler<typeof embed> = async (context, given) => {
  const plan = await planFrom(context, given);
  // Little is kept, so clearing a small young generation often costs less than a large one.
  if (plan.isStream) setFlagsFromString('--semi-space-growth-factor=1');
  const input = await inputFrom(context, plan, given);
  const client = await context.client();
  await assertModel(context, client, plan.model, 'embedding');
  await mayCost(context, client, (paying, onReported) =>
    embedAll(context, paying, plan, input, onReported),
  );
};

async function embedAll(
  context: Context,
  client: Client,
  plan: Plan,
  input: Input,
  onReported: () => void,
): Promise<void> {
  const { clock, flags, out } = context;
  const { model, encoding, similar } = plan;
  const sink = await openSink(context, plan);
  const skip = sink.kept + plan.skip;
  const tally = new Tally(skip);
  const stop = new AbortController();
  const signal = AbortSignal.any([client.signal, stop.signal]);
  const asking = { ...client, signal };
  const work = (lines: readonly Line[]) =>
    tally.during(lines, async () => {
      const texts = lines.map(({ text }) => text);
      return { ...(await ask(asking, model, texts, encoding)), lines };
    });
  const costNow = async (): Promise<Cost> =>
    isCostSeen(context) && tally.ids.length > 0 ? costOf(client, tally.ids) : {};
  const startedAtMs = clock.now();
  const words = () => `${tally.done} lines · ${formatElapsed(clock.now() - startedAtMs)}`;
  // On a terminal, a spinner would be drawn between the vectors.
  const isShown = plan.isLines && (plan.file !== undefined || !out.isTerminal);
  const stopProgress = isShown ? await showProgress(context, words) : undefined;
  let last: Answer | undefined;
  let facts: object | undefined;
  try {
    if (sink.kept === 0 && input.isRepeatable) {
      // An invalid last line is found before the first is paid for.
      let isEmpty = true;
      for await (const batch of input.batches(skip)) isEmpty &&= batch.length === 0;
      if (isEmpty) throw noLines(skip);
    }
    if (similar !== undefined) {
      const query = await work([{ number: 0, text: similar }]);
      tally.dimensions = query.vectors[0]?.length ?? 0;
      await sink.put(query);
    }
    for await (const answer of inOrder(input.batches(skip, stop.signal), atOnce, work)) {
      const length = answer.vectors[0]?.length ?? 0;
      if (tally.dimensions !== 0 && length !== tally.dimensions) throw unequal();
      await sink.put(answer);
      tally.dimensions = length;
      tally.vectors += answer.lines.length;
      last = answer;
    }
    if (tally.vectors === 0 && sink.kept === 0) throw noLines(plan.skip);
    facts = await sink.finish();
  } catch (error) {
    stop.abort();
    stopProgress?.();
    const next = await sink.abandon(tally.done);
    if (!plan.isLines || (tally.vectors === 0 && sink.kept === 0)) throw error;
    const { signal: interrupt } = context;
    if (interrupt.aborted || !(error instanceof SvcError)) {
      // A user who interrupts may want to resume; a closed reader reads nothing more.
      const isWatched = interrupt.aborted && !(interrupt.reason instanceof ReaderGone);
      if (isWatched && !flags.json) out.note(`${tally.doneWords()}: ${next}`);
      if (!flags.json && !flags.quiet) onReported();
      throw error;
    }
    writeCost(context, await costNow(), tally.words());
    const hint = error.hint === undefined ? next : `${next}; ${error.hint}`;
    const details = { hint, cause: error };
    throw new Incomplete(`${error.message}; ${tally.doneWords()}`, details);
  }
  stopProgress?.();
  const cost = await costNow();
  if (flags.json) {
    const { dimensions, done } = tally;
    const tokens = Number.isNaN(tally.tokens) ? undefined : tally.tokens;
    facts ??=
      plan.isStream || plan.file
        ? { file: plan.file?.path, vectors: done - plan.skip, dimensions, tokens }
        : last?.reply;
    await out.json({ ...facts, cost, ...(plan.isStream ? {} : { ids: last?.ids }) });
  }
  writeCost(context, cost, tally.words());
}

function noLines(skip: number): UsageError {
  const which = skip === 0 ? '' : ` after the first ${skip}`;
  return new UsageError(`the input has no lines${which}`, { code: 'no_lines' });
}

class Tally {
  readonly ids: (string | undefined)[] = [];
  tokens = 0;
  vectors = 0;
  dimensions = 0;
  /** Lines sent and not certainly refused. */
  #sent = 0;

  constructor(private readonly before: number) {}

  /** Lines from the start of the source that need no repetition. */
  get done(): number {
    return this.before + this.vectors;
  }

  async during(lines: readonly Line[], work: () => Promise<Answer>): Promise<Answer> {
    this.#sent += lines.length;
    try {
      const answer = await work();
      this.ids.push(answer.ids['generation-id']);
      this.tokens += answer.tokens ?? NaN;
      return answer;
    } catch (error) {
      // An interrupted request may have been charged.
      if (error instanceof SvcError && !outcomeIsUnknown(error)) this.#sent -= lines.length;
      throw error;
    }
  }

  doneWords(): string {
    const done = this.done === 1 ? '1 line is done' : `${this.done} lines are done`;
    const lost = this.#sent - this.vectors;
    return lost === 0 ? done : `${done}; up to ${lost} more may have been charged`;
  }

  words(): string[] {
    const count = `${this.vectors} ${this.vectors === 1 ? 'vector' : 'vectors'}`;
    const size = this.dimensions === 0 ? '' : ` of ${this.dimensions} numbers`;
    return [`${count}${size}`, ...(Number.isNaN(this.tokens) ? [] : [`${this.tokens} tokens`])];
  }
}

export type Plan = Awaited<ReturnType<typeof planFrom>>;

async function planFrom(
  context: Context,
  { args: { text: texts }, options }: InputOf<typeof embed>,
) {
  const { similar, lines = false, raw = false, output } = options;
  const isStream = lines || similar !== undefined;
  const path = output === '-' ? undefined : output;
  const kind = /\.(npy|jsonl|ndjson)$/i.exec(path ?? '')?.[1]?.toLowerCase();
  const isNpy = kind === 'npy';
  if (similar?.trim() === '') {
    throw new UsageError('--similar needs a text to compare with', { code: 'usage' });
  }
  const hasTexts = texts.length > 0;
  const isFileless = lines && context.flags.json && similar === undefined && path === undefined;
  const together = 'cannot be used together';
  const faults: readonly [isFault: boolean, message: string][] = [
    [hasTexts && options.file !== undefined, `-f and texts as arguments ${together}`],
    [hasTexts && lines, `--lines and texts as arguments ${together}`],
    [isFileless, `--json and --lines ${together}: --lines prints JSON already`],
    [
      options.resume === true && !(isStream && path !== undefined),
      '--resume needs --lines and -o FILE',
    ],
    [options.batch !== undefined && !isStream, '--batch needs --lines'],
    [
      path !== undefined && kind === undefined,
      `the name for -o must end in .npy or .jsonl, not ${path}`,
    ],
    [raw && isNpy, `--raw and -o ${path} ${together}`],
  ];
  const fault = faults.find(([isFault]) => isFault);
  if (fault) throw new UsageError(fault[1], { code: 'usage', hint: 'svc embed --help' });
  const { force: replace = false, resume = false } = options;
  return {
    model: await modelFor(context, options.model?.trim(), 'embedding'),
    // Where the numbers become 32-bit floats anyway, the shorter way loses nothing.
    encoding: options.encoding ?? (isNpy || similar !== undefined ? 'base64' : undefined),
    isRaw: raw,
    batch: options.batch ?? defaultBatch,
    skip: options.skip ?? 0,
    file: path === undefined ? undefined : { path, isNpy, replace, resume },
    similar,
    count: options.limit ?? options.count ?? defaultCount,
    isStream,
    isLines: lines && similar === undefined,
  };
}
