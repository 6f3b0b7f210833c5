import { resolve } from 'node:path';
import type { Client } from '../../api/client.js';
import { outcomeIsUnknown } from '../../api/failure.js';
import { costJson, costOf, type Cost } from '../../api/cost.js';
import { embed as ask, unequal } from '../../api/embeddings.js';
import type { Context, Handler } from '../../context.js';
import { Incomplete, ReaderGone, SvcError, UsageError, type RequestIds } from '../../errors.js';
import { isCostSeen, mayCost, writeCost } from '../../jobs/cost.js';
import { formatElapsed } from '../../lib/duration.js';
import { inOrder } from '../../lib/parallel.js';
import { keepHeapSmall } from '../../lib/small-heap.js';
import { assertModel } from '../../jobs/known-model.js';
import { showProgress } from '../../media/sending.js';
import type { embed } from './index.js';
import { inputFrom, type TextInput, type TextLine } from './lines.js';
import { planFrom, type EmbedPlan } from './plan.js';
import { openSink, type Answer, type Sink } from './sink.js';

const atOnce = 4;

/** What vectors are made of, and where they go. */
interface Embedding {
  readonly context: Context;
  /** Pays for the requests. */
  readonly client: Client;
  readonly plan: EmbedPlan;
  readonly input: TextInput;
  readonly sink: Sink;
  readonly tally: Tally;
}

export const run: Handler<typeof embed> = async (context, values) => {
  const plan = await planFrom(context, values);
  const input = await inputFrom(context, plan, values);
  const client = await context.client();
  await assertModel(context, client, plan.model, 'embedding');
  client.spending?.expectMore(plan.isStream);
  if (plan.isStream) await keepHeapSmall();
  await mayCost(context, client, async (paying, onReported) => {
    const sink = await openSink(context, plan);
    const tally = new Tally(sink.rowsBefore + plan.skip);
    await embedAll({ context, client: paying, plan, input, sink, tally }, onReported);
  });
};

async function embedAll(embedding: Embedding, onReported: () => void): Promise<void> {
  const { context, client, plan, sink, tally } = embedding;
  const { clock, flags, out } = context;
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
    last = await putAll(embedding).finally(stopProgress);
    facts = await sink.finish();
  } catch (error) {
    const next = await sink.abandon(tally.done);
    if (!plan.isLines || (tally.vectors === 0 && sink.rowsBefore === 0)) throw error;
    const { signal: interrupt } = context;
    if (interrupt.aborted || !(error instanceof SvcError)) {
      // A user who interrupts may want to resume; a closed reader reads nothing more.
      const isWatched = interrupt.aborted && !(interrupt.reason instanceof ReaderGone);
      if (isWatched && !flags.json) out.note(`${tally.doneWords()}: ${next}`);
      if (!flags.json && !flags.quiet) onReported();
      throw error;
    }
    await writeCost(context, await costNow(), () => tally.words());
    const hint = error.hint === undefined ? next : `${next}; ${error.hint}`;
    throw new Incomplete(`${error.message}; ${tally.doneWords()}`, { hint, cause: error });
  }
  const cost = await costNow();
  if (flags.json) {
    const { dimensions, done, tokens } = tally;
    const usage = Number.isNaN(tokens) ? undefined : { inputTokens: tokens };
    const files = plan.file && [{ path: resolve(plan.file.path) }];
    facts ??=
      plan.isStream || plan.file
        ? { files, vectors: done - plan.skip, dimensions, usage }
        : last?.reply;
    await out.json({ ...facts, ...costJson(cost), ...(plan.isStream ? {} : { ids: last?.ids }) });
  }
  await writeCost(context, cost, () => tally.words());
}

/** Requests the vectors and puts them into the sink, in the order of the lines. */
async function putAll({
  client,
  plan,
  input,
  sink,
  tally,
}: Embedding): Promise<Answer | undefined> {
  const { model, encoding, similar } = plan;
  const skip = sink.rowsBefore + plan.skip;
  const stop = new AbortController();
  const asking = { ...client, signal: AbortSignal.any([client.signal, stop.signal]) };
  const work = (lines: readonly TextLine[]) =>
    tally.during(lines, async () => {
      const texts = lines.map(({ text }) => text);
      return { ...(await ask(asking, model, texts, encoding)), lines };
    });
  let last: Answer | undefined;
  try {
    if (sink.rowsBefore === 0 && input.isRepeatable) {
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
    if (tally.vectors === 0 && sink.rowsBefore === 0) throw noLines(plan.skip);
    return last;
  } catch (error) {
    stop.abort();
    throw error;
  }
}

function noLines(skip: number): UsageError {
  const which = skip === 0 ? '' : ` after the first ${skip}`;
  return new UsageError(`the input has no lines${which}`, { code: 'no_lines' });
}

/** What has been sent, and what came of it. */
class Tally {
  readonly ids: RequestIds[] = [];
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

  async during(lines: readonly TextLine[], work: () => Promise<Answer>): Promise<Answer> {
    this.#sent += lines.length;
    try {
      const answer = await work();
      this.ids.push(answer.ids);
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
