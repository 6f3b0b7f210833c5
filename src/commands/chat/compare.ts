/** Asks several models the same question at once, and shows their answers in order. */
import { Answer } from '../../api/chat/answer.js';
import { outcomeIsUnknown } from '../../api/failure.js';
import type { Piece } from '../../api/chat/pieces.js';
import { answerJson, endNote, tokenWords, toolCallJson } from '../../chat/answer-json.js';
import { ask } from '../../chat/ask.js';
import { Conversation } from '../../chat/conversation.js';
import { questionFrom } from '../../chat/question.js';
import type { AnswerView, TurnEnd } from '../../chat/view.js';
import type { Context } from '../../context.js';
import { Incomplete, SvcError, UsageError } from '../../errors.js';
import { isCostSeen, writeCost } from '../../jobs/cost.js';
import { assertModel, modelFor } from '../../jobs/known-model.js';
import { formatRub, sumRub } from '../../lib/amounts.js';
import { durationWords } from '../../lib/duration.js';
import { toJson } from '../../lib/json.js';
import { kebabCase } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { cutText, wrapLines } from '../../lib/wrap.js';
import { sanitise } from '../../terminal/screen.js';
import { TextBatch } from '../../terminal/writer.js';
import { answerSink, leaveCode } from './answer-screen.js';
import type { ChatInput, ChatOptions } from './index.js';

const forOneModel =
  'continue conversation countTokens dryRun events extract interactive output askAgain search tool mcp'.split(
    ' ',
  );

/** Answers are shown side by side from this width on, and up to this many. */
const sideBySide = { columns: 120, models: 4 };

/** The answer of one model: stored, and written once there is a place for it. */
class ComparedAnswer implements AnswerView {
  readonly name: string;
  readonly answer = new Answer(true, true);
  readonly showsCost: boolean;
  /** Settles when the answer has ended; it never rejects. */
  done: Promise<void> = Promise.resolve();
  end: TurnEnd = { cost: {}, ids: {} };
  error: unknown;
  ms = 0;
  readonly #atMs: number;
  #texts: TextBatch | undefined;

  constructor(
    private readonly context: Context,
    readonly model: string,
  ) {
    this.name = plainText(model, 100);
    this.showsCost = isCostSeen(context);
    this.#atMs = context.clock.now();
  }

  /** Writes what has arrived, and from now on each piece as it arrives. */
  writeTo(texts: TextBatch): void {
    if (this.answer.text !== '') texts.add(this.answer.text);
    this.#texts = texts;
  }

  add(piece: Piece): void {
    this.answer.add(piece);
    if (piece.type === 'text') this.#texts?.add(piece.text);
  }

  async flush(): Promise<void> {
    this.ms ||= this.context.clock.now() - this.#atMs;
    await this.#texts?.flush();
  }

  async finish(end: TurnEnd): Promise<void> {
    this.end = end;
    await this.flush();
  }

  fail = (end: TurnEnd) => this.finish(end);
  pace = () => this.#texts?.pace();
  wait = () => Promise.resolve();
  prepare = () => Promise.resolve();
  continue = () => Promise.resolve();
  interruption = () => `the interrupted request to ${this.name}`;
}

/** @param input of the first model. @throws Incomplete if only some answered */
export async function compare(
  context: Context,
  input: ChatInput,
  others: readonly string[],
): Promise<void> {
  const { out, flags } = context;
  const { options } = input;
  for (const [name, value] of Object.entries({ ...options, dryRun: flags.dryRun || undefined })) {
    if (!forOneModel.includes(name) || [value ?? []].flat().length === 0) continue;
    throw new UsageError(`--${kebabCase(name)} works with one --model only`);
  }
  const { format, question } = await questionFrom(context, input);
  const models = [question.model];
  for (const other of others) {
    const model = await modelFor(context, other.trim(), 'chat');
    const message = `--model ${plainText(model, 100)} is given twice`;
    if (models.includes(model)) throw new UsageError(message);
    models.push(model);
  }
  const client = await context.client();
  for (const model of models) await assertModel(context, client, model);
  client.spending?.expectMore(true);
  const all = models.map((model) => {
    const view = new ComparedAnswer(context, model);
    const askModel = async () => {
      const conversation = await Conversation.open(context, options);
      const turn = { format, question: { ...question, model }, view, conversation };
      await ask(context, client, { ...turn, check: 'once' });
    };
    view.done = askModel().catch((error: unknown) => {
      view.error = error;
    });
    return view;
  });
  const isWide = out.isTerminal && out.columns >= sideBySide.columns;
  if (!flags.json && !(isWide && models.length <= sideBySide.models)) {
    for (const one of all) await showOne(context, one, options);
  } else {
    await ended(context, all);
    if (flags.json) await out.json(all.map(json));
    else await showColumns(context, all);
  }
  await finish(context, all);
}

/** Waits for answers, after 300 ms with a spinner until `seen` aborts. */
async function ended(
  { out, clock }: Context,
  all: readonly ComparedAnswer[],
  seen = new AbortController(),
) {
  const spin = async () => {
    await clock.sleep(300, seen.signal);
    await out.spinner(`waiting for ${all.map(({ name }) => name).join(', ')}`, seen.signal);
  };
  if (out.isErrorTerminal) spin().catch(() => undefined);
  await Promise.all(all.map(({ done }) => done));
  seen.abort();
}

async function showOne(context: Context, one: ComparedAnswer, options: ChatOptions): Promise<void> {
  const { out } = context;
  await out.spans([{ text: `== ${one.name} ==`, look: 'bold' }]);
  const sink = await answerSink(out, options);
  const seen = new AbortController();
  const texts = new TextBatch((text) => {
    seen.abort();
    return sink.write(text);
  });
  one.writeTo(texts);
  await ended(context, [one], seen);
  await texts.flush();
  await sink.end();
  const { text, toolCalls } = one.answer;
  await out.text(text === '' || text.endsWith('\n') ? '' : '\n');
  for (const call of toolCalls) await out.jsonLine(toolCallJson(call));
  leaveCode(out, text);
  await showFacts(context, one);
  await out.line('');
}

async function showColumns(context: Context, all: readonly ComparedAnswer[]): Promise<void> {
  const { out } = context;
  const gap = 2;
  const width = Math.floor((out.columns + gap) / all.length) - gap;
  const cells = all.map(({ answer: { text, toolCalls } }) => {
    const calls = toolCalls.map((call) => toJson(toolCallJson(call)));
    return wrapLines(sanitise([text.trimEnd(), ...calls].join('\n')), width);
  });
  const length = Math.max(...cells.map((lines) => lines.length));
  const rows = Array.from({ length }, (_, nth) => cells.map((lines) => lines[nth] ?? ''));
  await out.table(
    all.map(({ name }) => ({ title: cutText(name, width) })),
    rows,
  );
  for (const one of all) await showFacts(context, one, [one.name]);
}

async function showFacts(
  context: Context,
  one: ComparedAnswer,
  before: readonly string[] = [],
): Promise<void> {
  if (one.error) return;
  const note = endNote(one.answer.finishReason);
  if (note) context.out.note([...before, note].join(': '));
  const { priceRub, cached } = one.end.cost;
  await writeCost(context, { priceRub, cached }, (words) => [
    ...before,
    ...tokenWords(one.answer.usage, words),
    durationWords(one.ms),
  ]);
}

function json({ answer, name, end, error, ms }: ComparedAnswer) {
  const whole = answerJson(answer, end, error === undefined);
  const failure = error instanceof SvcError && { code: error.code, message: error.message };
  return { ...whole, model: whole.model ?? name, ...(failure && { error: failure }), ms };
}

/** What all have cost; one price that has been shown already is no total. */
async function showTotal(context: Context, all: readonly ComparedAnswer[]): Promise<void> {
  const prices = all.flatMap(({ end }) => end.cost.priceRub ?? []);
  const balanceRub = all.flatMap(({ end }) => end.cost.balanceRub ?? []).at(-1);
  const isShort = all.some(({ end: { cost, ids }, error }) => {
    const isAnswered = !error || ids.generationId !== undefined;
    return cost.priceRub === undefined && (isAnswered || outcomeIsUnknown(error));
  });
  // The facts of a failed answer are not shown.
  const isHidden = all.some(({ end, error }) => error && end.cost.priceRub !== undefined);
  if (prices.length === 0 || !(prices.length > 1 || isShort || isHidden)) return;
  const priceRub = sumRub(prices);
  const rub = formatRub(priceRub, context.out.language);
  const whole = isShort ? { balanceRub } : { priceRub, balanceRub };
  await writeCost(context, whole, ({ atLeast, total }) => [
    isShort ? `${total} ${atLeast(rub)}` : total,
  ]);
}

/** Shows the total and the failures. @throws for the exit code */
async function finish(context: Context, all: readonly ComparedAnswer[]): Promise<void> {
  const { out, signal } = context;
  const failed = all.filter(({ error }) => error !== undefined);
  const isPartial = failed.length < all.length;
  await showTotal(context, all);
  const fatal = failed.find(({ error }) => signal.aborted || !(error instanceof SvcError));
  if (fatal) throw fatal.error;
  // The failure that decides the exit code is thrown, and shown last.
  for (const [index, { error, name }] of failed.entries()) {
    if (!(error instanceof SvcError)) continue;
    error.message = `${name}: ${error.message}`;
    if (isPartial || index > 0) out.error(error.message, 'error:');
  }
  if (failed.length === 0) return;
  if (!isPartial) throw failed[0]?.error;
  const words = `${all.length - failed.length} of ${all.length} models answered`;
  throw new Incomplete(words, { code: 'some_failed' });
}
