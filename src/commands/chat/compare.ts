/** Asks several models the same question at once, and shows their answers in order. */
import { Answer } from '../../api/chat/answer.js';
import type { Context } from '../../context.js';
import { Incomplete, SvcError, UsageError } from '../../errors.js';
import { isCostSeen, writeCost } from '../../jobs/cost.js';
import { durationWords } from '../../lib/duration.js';
import { toJson } from '../../lib/json.js';
import { kebabCase } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { cutText, wrapLines } from '../../lib/wrap.js';
import { sanitise } from '../../terminal/screen.js';
import { TextBatch } from '../../terminal/writer.js';
import { assertModel, modelFor } from '../../jobs/known-model.js';
import { runChecked } from './schema.js';
import { openConversation } from './conversation.js';
import type { ChatInput } from './index.js';
import { questionFrom } from './question.js';
import {
  answerJson,
  answerSink,
  endNote,
  tokenWords,
  toolCallJson,
  type End,
  type Show,
} from './show.js';
import { runTurn } from './turn.js';

const forOneModel =
  'continue conversation countTokens dryRun events extract interactive output repair search tool mcp'.split(
    ' ',
  );

/** Answers are shown side by side from this width on, and up to this many. */
const sideBySide = { columns: 120, models: 4 };

/** The answer of one model: kept, and written once `texts` is there. */
interface Asked {
  readonly name: string;
  readonly answer: Answer;
  done: Promise<void>;
  texts?: TextBatch;
  end: End;
  ms: number;
  error?: unknown;
}

/** @param input of the first model. @throws Incomplete if only some answered */
export async function compare(
  context: Context,
  input: ChatInput,
  others: readonly string[],
): Promise<void> {
  const { out, flags } = context;
  const { format = 'chat', ...options } = input.options;
  for (const [name, value] of Object.entries({ ...options, dryRun: flags.dryRun || undefined })) {
    if (!forOneModel.includes(name) || [value ?? []].flat().length === 0) continue;
    const message = `--${kebabCase(name)} works with one --model only`;
    throw new UsageError(message, { code: 'usage' });
  }
  const question = await questionFrom(context, input, format);
  const models = [question.model];
  for (const other of others) {
    const model = await modelFor(context, other.trim(), 'chat');
    const message = `--model ${plainText(model, 100)} is given twice`;
    if (models.includes(model)) throw new UsageError(message, { code: 'usage' });
    models.push(model);
  }
  const client = await context.client();
  for (const model of models) await assertModel(context, client, model);
  const all = models.map((model) =>
    started(context, model, async (show) => {
      const conversation = await openConversation(context, options);
      const turn = { format, question: { ...question, model }, show, conversation };
      if (question.schema) await runChecked(context, client, turn, false);
      else await runTurn(context, client, turn);
    }),
  );
  const isWide = out.isTerminal && out.columns >= sideBySide.columns;
  if (!flags.json && !(isWide && models.length <= sideBySide.models)) {
    for (const one of all) await showOne(context, one, input.options);
  } else {
    await ended(context, all);
    if (flags.json) await out.json(all.map(json));
    else await showColumns(context, all);
  }
  finish(context, all);
}

function started(context: Context, model: string, ask: (show: Show) => Promise<void>): Asked {
  const { clock } = context;
  const atMs = clock.now();
  const answer = new Answer(true, true);
  const name = plainText(model, 100);
  const one: Asked = { name, answer, done: Promise.resolve(), end: { cost: {}, ids: {} }, ms: 0 };
  const flush = async () => {
    one.ms ||= clock.now() - atMs;
    await one.texts?.flush();
  };
  const end = async (end: End) => {
    one.end = end;
    await flush();
  };
  one.done = ask({
    kept: answer,
    wantsCost: isCostSeen(context),
    wait: () => Promise.resolve(),
    ready: () => Promise.resolve(),
    take: (piece) => {
      answer.add(piece);
      if (piece.type === 'text') one.texts?.add(piece.text);
    },
    pace: () => one.texts?.pace(),
    flush,
    finish: end,
    fail: end,
    interrupted: () => `the interrupted request to ${name}`,
  }).catch((error: unknown) => {
    one.error = error;
  });
  return one;
}

/** Waits for answers, after 300 ms with a spinner until `seen` aborts. */
async function ended({ out, clock }: Context, all: readonly Asked[], seen = new AbortController()) {
  const spin = async () => {
    await clock.sleep(300, seen.signal);
    await out.spinner(`waiting for ${all.map(({ name }) => name).join(', ')}`, seen.signal);
  };
  if (out.isErrorTerminal) spin().catch(() => undefined);
  await Promise.all(all.map(({ done }) => done));
  seen.abort();
}

async function showOne(context: Context, one: Asked, options: ChatInput['options']): Promise<void> {
  const { out } = context;
  await out.spans([{ text: `== ${one.name} ==`, look: 'bold' }]);
  const sink = await answerSink(out, options);
  const seen = new AbortController();
  const texts = new TextBatch((text) => {
    seen.abort();
    return sink.write(text);
  });
  if (one.answer.text !== '') texts.add(one.answer.text);
  one.texts = texts;
  await ended(context, [one], seen);
  await texts.flush();
  await sink.end();
  const { text, toolCalls } = one.answer;
  await out.text(text === '' || text.endsWith('\n') ? '' : '\n');
  for (const call of toolCalls) await out.jsonLine(toolCallJson(call));
  showFacts(context, one);
  await out.line('');
}

async function showColumns(context: Context, all: readonly Asked[]): Promise<void> {
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
  for (const one of all) showFacts(context, one, [one.name]);
}

function showFacts(context: Context, one: Asked, before: readonly string[] = []): void {
  if (one.error) return;
  const note = endNote(one.answer.finishReason);
  if (note) context.out.note([...before, note].join(': '));
  const facts = [...before, ...tokenWords(one.answer.usage), durationWords(one.ms)];
  writeCost(context, { priceRub: one.end.cost.priceRub }, facts);
}

function json({ answer, name, end, error, ms }: Asked) {
  const whole = answerJson(answer, end, error === undefined);
  const failure = error instanceof SvcError && { code: error.code, message: error.message };
  return { ...whole, model: whole.model ?? name, ...(failure && { error: failure }), ms };
}

/** Shows the total and the failures. @throws for the exit code */
function finish(context: Context, all: readonly Asked[]): void {
  const { out, signal } = context;
  const failed = all.filter(({ error }) => error !== undefined);
  const isPartial = failed.length < all.length;
  const prices = all.flatMap(({ end }) => end.cost.priceRub ?? []);
  const priceRub = prices.reduce((sum, one) => sum + one, 0);
  const balanceRub = all.flatMap(({ end }) => end.cost.balanceRub ?? []).at(-1);
  if (prices.length > 1) writeCost(context, { priceRub, balanceRub }, ['total']);
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
