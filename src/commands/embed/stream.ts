/** Many lines, a vector each: several requests at once, written in the order of the lines. */
import { withOneDeadline, type Client } from '../../api/client.js';
import { totalCost } from '../../api/cost.js';
import { embed, unequal, type Embedded } from '../../api/embeddings.js';
import type { Context } from '../../cli/context.js';
import { Incomplete, SvcError, ApiError, OutcomeUnknown } from '../../errors.js';
import { formatElapsed } from '../../lib/duration.js';
import { inOrder } from '../../lib/parallel.js';
import { ReaderGone } from '../../terminal/writer.js';
import { writeCost } from '../../jobs/cost.js';
import { checkLines, noLines, type Source, batchesOf, type Line } from './lines.js';
import type { Plan } from './embed.js';
import { openSink, type Sink } from './sink.js';

/** Requests under way at once. */
export const atOnce = 4;

/** Embeds every line of the source. @param told called when a person knows what may be charged. */
export async function embedLines(
  context: Context,
  client: Client,
  { source, plan, told }: { source: Source; plan: Plan; told: () => void },
): Promise<void> {
  const sink = await openSink(context.out, plan);
  const tally = new Tally(sink.kept + plan.skip, context.clock.now());
  const stop = new AbortController();
  const spinner = await spinnerFor(context, plan, tally);
  try {
    const rules = { size: plan.batch, skip: tally.done, dropsEmpty: false };
    if (sink.kept === 0) await checkLines(source, rules);
    const batches = batchesOf(source.pieces(stop.signal), rules);
    const work = worker(client, plan, tally, stop.signal);
    for await (const { lines, vectors } of inOrder(batches, atOnce, work)) {
      const length = vectors[0]?.length ?? 0;
      if (tally.vectors > 0 && length !== tally.dimensions) throw unequal();
      await sink.put(vectors);
      tally.written(lines.length, length);
    }
    if (tally.vectors === 0 && sink.kept === 0) throw noLines(plan.skip);
    await sink.finish();
  } catch (error) {
    stop.abort();
    spinner.stop();
    throw await stopped(context, client, { sink, tally, told }, error);
  }
  spinner.stop();
  await tellEnd(context, client, plan, tally);
}

/** Asks for the vectors of lines, within one deadline for all. */
export function worker(client: Client, plan: Plan, tally: Tally, signal: AbortSignal) {
  const asking = withOneDeadline({
    ...client,
    signal: AbortSignal.any([client.signal, signal]),
  });
  return async (lines: readonly Line[]) => {
    const texts = lines.map(({ text }) => text);
    const { model, encoding } = plan;
    const answer = await tally.during(lines.length, () =>
      embed(asking, { model, texts, encoding }),
    );
    tally.paid(answer);
    return { lines, vectors: answer.vectors };
  };
}

/** What to say of a run that broke off: how far it got, and how to go on. */
async function stopped(
  context: Context,
  client: Client,
  { sink, tally, told }: { sink: Sink; tally: Tally; told: () => void },
  error: unknown,
): Promise<unknown> {
  const onward = await sink.abandon(tally.done);
  if (tally.vectors === 0 && sink.kept === 0) return error;
  if (context.signal.aborted || !(error instanceof SvcError)) {
    // Whoever interrupts it may want to go on; a reader that is gone reads no more.
    const isWatched = context.signal.aborted && !(context.signal.reason instanceof ReaderGone);
    if (isWatched && !context.flags.json) context.out.note(`${tally.doneWords()}: ${onward}`);
    if (!context.flags.json && !context.flags.quiet) told();
    return error;
  }
  writeCost(context, await totalCost(client, tally.ids, wantsPrice(context)), tally.words());
  return new Incomplete(`${error.message}; ${tally.doneWords()}`, {
    code: error.code,
    hint: error.hint === undefined ? onward : `${onward}; ${error.hint}`,
    cause: error,
  });
}

async function tellEnd(
  context: Context,
  client: Client,
  { file, skip }: Plan,
  tally: Tally,
): Promise<void> {
  const cost = await totalCost(client, tally.ids, wantsPrice(context));
  if (context.flags.json) {
    await context.out.json({
      file: file?.path,
      vectors: tally.done - skip,
      dimensions: tally.dimensions,
      tokens: tally.tokens,
      cost,
    });
  }
  writeCost(context, cost, tally.words());
}

/** Whether somebody will see what it cost. */
export function wantsPrice({ out, flags }: Context): boolean {
  return flags.json || (out.isErrorTerminal && !flags.quiet);
}

const silent = { stop: () => undefined };

async function spinnerFor(
  { out, clock, flags }: Context,
  { file }: Plan,
  tally: Tally,
): Promise<{ stop(): void }> {
  // It would be drawn between the vectors.
  if (flags.json || (!file && out.isTerminal)) return silent;
  const words = () =>
    `${String(tally.done)} lines · ${formatElapsed(clock.now() - tally.startedAtMs)}`;
  const spinner = await out.spinner(words());
  spinner.update(words);
  return spinner;
}

/** What has been done, and paid for, so far. */
export class Tally {
  /** Usage records of the calls that were answered; undefined for one that named none. */
  readonly ids: (string | undefined)[] = [];
  /** Tokens of the input; undefined when an answer did not tell. */
  tokens: number | undefined = 0;
  /** Vectors that this run has written. */
  vectors = 0;
  /** Numbers of a vector; 0 before the first. */
  dimensions = 0;
  /** Lines that were sent, and not surely refused. */
  private sent = 0;

  /** @param before lines that were done or left out before this run. */
  constructor(
    private readonly before: number,
    readonly startedAtMs: number,
  ) {}

  /** Lines from the start of the source that need not be done again. */
  get done(): number {
    return this.before + this.vectors;
  }

  /** Counts lines as sent while they are, and afterwards unless they were refused. */
  async during<Result>(lines: number, work: () => Promise<Result>): Promise<Result> {
    this.sent += lines;
    try {
      return await work();
    } catch (error) {
      if (isRefused(error)) this.sent -= lines;
      throw error;
    }
  }

  paid({ ids, tokens }: Embedded): void {
    this.ids.push(ids['generation-id']);
    const isTold = tokens !== undefined && this.tokens !== undefined;
    this.tokens = isTold ? (this.tokens ?? 0) + tokens : undefined;
  }

  written(lines: number, dimensions: number): void {
    this.vectors += lines;
    this.dimensions = dimensions;
  }

  /** `12 lines are done; up to 4 more may have been charged` */
  doneWords(): string {
    const done = this.done === 1 ? '1 line is done' : `${this.done} lines are done`;
    const lost = this.sent - this.vectors;
    return lost === 0 ? done : `${done}; up to ${lost} more may have been charged`;
  }

  /** `12 vectors of 256 numbers`, `345 tokens` */
  words(): string[] {
    const count = `${String(this.vectors)} ${this.vectors === 1 ? 'vector' : 'vectors'}`;
    return [
      this.dimensions === 0 ? count : `${count} of ${String(this.dimensions)} numbers`,
      ...(this.tokens === undefined ? [] : [`${String(this.tokens)} tokens`]),
    ];
  }
}

/** Surely nothing was charged. What was interrupted may have been. */
function isRefused(error: unknown): boolean {
  if (error instanceof ApiError) return !error.outcomeUnknown;
  return error instanceof SvcError && !(error instanceof OutcomeUnknown);
}
