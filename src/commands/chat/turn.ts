/** One question to a model, from its request to its answer on the screen and its price. */
import { withUnnamed } from '../../api/beyond-spec.js';
import { request } from '../../api/call.js';
import { Answer } from '../../api/chat/answer.js';
import { StreamFault, type Piece } from '../../api/chat/pieces.js';
import * as wire from '../../api/chat/question.js';
import { readAnswer, warmUp } from '../../api/chat/read.js';
import type { Client } from '../../api/client.js';
import { costOf } from '../../api/cost.js';
import { outcomeIsUnknown } from '../../api/failure.js';
import { idsIn } from '../../api/prepare.js';
import { refusesField } from '../../api/refusal.js';
import type { Context } from '../../context.js';
import * as rows from '../../contract/chat.js';
import { toolChoices, type ChatFormat } from '../../contract/enums.js';
import { fewestTokens, messagesMaxTokens } from '../../contract/limits.js';
import { ApiError, Incomplete, NetworkError, SvcError, TimeoutError } from '../../errors.js';
import type { HttpResponse } from '../../http/types.js';
import { mayCost } from '../../jobs/cost.js';
import type { Conversation } from './conversation.js';
import type { Found, LookUp } from './search.js';
import type { End, Show } from './show.js';
import type { ToolUse } from './tool-turns.js';

export interface Turn {
  readonly format: ChatFormat;
  readonly question: wire.ChatCall;
  readonly show: Show;
  /** Searches the web before the question is asked. */
  readonly lookUp?: LookUp;
  /** What was said before, and where the turn is added; its messages precede the question. */
  readonly conversation?: Conversation;
  /** Whether its answer is shortened to what may be spent. */
  readonly isFitted?: boolean;
  /** The tools that svc runs when the answer calls them. */
  readonly use?: ToolUse;
  /** Whether the results of the answer's calls are sent next: then nothing is finished. */
  readonly continues?: (answer: Answer) => boolean;
  /** Gets what each request has cost, also where it fails. */
  readonly onEnd?: (end: End) => void;
}

const bodies = {
  chat: (question: wire.ChatCall) => wire.chatBody(question, true),
  messages: wire.messagesBody,
  responses: wire.responsesBody,
};

/** Aborts a turn whose caller goes on: `runTurn` then returns what has arrived. */
export class TurnStopped extends Error {
  override readonly name = 'TurnStopped';
}

/** libsql is loaded in a wait that is longer than this: in a shorter one it could delay the text. */
const longWaitMs = 50;

/** Asks until an answer calls no tool. @throws as `runTurn` does, or Pending */
export async function runTurns(context: Context, client: Client, turn: Turn) {
  const { use } = turn;
  if (!use || context.flags.dryRun) return runTurn(context, client, turn);
  return (await import('./tool-turns.js')).runToolTurns(context, client, { ...turn, use });
}

/** @throws what it failed with, after what has arrived is shown and logged. */
export async function runTurn(context: Context, client: Client, turn: Turn) {
  const { format, question: asks, show, lookUp, conversation, isFitted, continues, onEnd } = turn;
  const { clock, signal } = context;
  const atMs = clock.now();
  const answer = show.kept ?? new Answer(true, true, true);
  let kept = answer;
  let [hasBegun, isCut] = [false, false];
  const take = (piece: Piece) => {
    show.take(piece);
    hasBegun = true;
    if (show.kept || (isCut && piece.type !== 'usage' && piece.type !== 'finish')) return;
    try {
      answer.add(piece);
    } catch (error) {
      if (!(error instanceof StreamFault)) throw error;
      // What is too large to keep is shown all the same.
      isCut = true;
    }
  };
  let [end, question]: [End, wire.ChatCall] = [{ cost: {}, ids: {} }, asks];
  let [ms, isComplete, isOpen] = [0, false, false];
  let recorded: Promise<End['logged']> | undefined;
  const record = () => {
    const turn = { client, format, question, asks: asks.parts, answer: kept, atMs, ms, end };
    recorded ??= conversation?.add({ ...turn, isOpen, isComplete: isComplete && !isCut });
    return recorded;
  };
  /** Its place in the log, shown where the command line names a conversation, or needs its name. */
  const logged = async (isNeeded = false) =>
    conversation?.isGiven || isNeeded ? record() : undefined;
  const ended = new AbortController();
  const loadLater = async () => {
    await clock.sleep(longWaitMs, ended.signal);
    if (!hasBegun) await conversation?.ready();
  };

  const work = async (paying: Client) => {
    try {
      show.wait(asks.model).catch(() => undefined);
      const said = (await conversation?.messages(format, asks.results)) ?? [];
      const messages = [...said, ...(asks.messages ?? [])];
      const found = await lookUp?.(context, paying, asks.model, (asking) => {
        const least = isFitted ? fewestTokens : asks.maxTokens;
        return ask(asking, format, limited({ ...asks, messages, maxTokens: least }, client));
      });
      end = { cost: { searchRub: found?.costRub }, ids: {}, found };
      if (found) question = { ...asks, parts: found.before(asks.parts) };
      const whole = { ...question, messages };
      const body = isFitted ? bodies[format](whole) : undefined;
      const fitted = body && (await client.spending?.fit(body));
      const fitting = { ...whole, maxTokens: fitted ?? question.maxTokens };
      const asked = ask(paying, format, isFitted ? fitting : limited(whole, client));
      // While the request is on its way, svc loads what the answer needs.
      warmUp(format);
      loadLater().catch(() => undefined);
      const [response] = await Promise.all([asked, show.ready()]);
      const ids = idsIn(response.headers, client.brand);
      const reading = readAnswer(response, format, take, show.pace).then(show.flush);
      const isWhole = await reading.then(
        () => true,
        () => false,
      );
      ms = clock.now() - atMs;
      const costing = show.wantsCost ? costOf(client, [ids['generation-id']]) : undefined;
      if (costing && isWhole) await conversation?.ready();
      end = { cost: { ...(await costing), ...end.cost }, ids, found };
      await reading;
      isComplete = true;
    } catch (cause) {
      const error = afterSearch(cause, end.found);
      ms ||= clock.now() - atMs;
      // Its usage record says whether it was charged.
      isOpen = outcomeIsUnknown(error);
      if (error instanceof ApiError && isOpen) {
        end = { ...end, ids: { ...error.requestIds, ...end.ids } };
      }
      const isTooLarge = error instanceof SvcError && error.code === 'answer_too_large';
      if (isTooLarge) kept = new Answer(false);
      const mayBePaid = end.cost.searchRub !== undefined || 'generation-id' in end.ids;
      // Nothing is kept of it, so SQLite, which takes 10 MB, is not loaded.
      if (!mayBePaid && (!hasBegun || isTooLarge) && !asks.results) {
        recorded = Promise.resolve(undefined);
      }
      // A paid loop of tools is continued from there.
      const place = await logged(asks.results !== undefined);
      await show.fail({ ...end, logged: place }, error).finally(record);
      const { withSimilarName } = await import('../../jobs/known-model.js');
      throw await withSimilarName(context, client, asks.model, error);
    }
    const isContinued = !isCut && continues?.(answer) === true;
    await show.finish({ ...end, logged: await logged(), isContinued }).finally(record);
  };
  try {
    await mayCost(context, client, work, show.interrupted, (cost) => {
      end = { ...end, cost: { ...end.cost, ...cost } };
    });
  } catch (error) {
    if (!(signal.reason instanceof TurnStopped)) throw error;
  } finally {
    ended.abort();
    onEnd?.(end);
  }
  return { answer, cost: end.cost, ms, isComplete };
}

/** Exit code 6 says that nothing was charged; a search was. */
function afterSearch(error: unknown, found: Found | undefined): unknown {
  const isUnreached = error instanceof NetworkError || error instanceof TimeoutError;
  if (!found || !isUnreached) return error;
  const hint = 'the search was charged, the question was not: run it again';
  return new Incomplete(error.message, { cause: error, hint });
}

/** Otherwise an answer as long as the model's context would have to fit the ceiling. */
function limited(question: wire.ChatCall, { spending }: Client): wire.ChatCall {
  const usual = messagesMaxTokens + (question.thinkingBudget ?? 0);
  return { ...question, maxTokens: question.maxTokens ?? (spending && usual) };
}

export function ask(
  client: Client,
  format: ChatFormat,
  question: wire.ChatCall,
): Promise<HttpResponse> {
  const [messages, responses] = [rows.createMessage, rows.createResponse];
  if (format === 'messages')
    return request(client, messages, { body: wire.messagesBody(question) });
  if (format === 'responses')
    return request(client, responses, { body: wire.responsesBody(question) });
  const send = (asksUsage: boolean) => {
    const body = wire.chatBody(question, asksUsage);
    return request(client, rows.createChatCompletion, { body }).catch((error: unknown) => {
      const { toolChoice: name } = question;
      const isName = name !== undefined && !toolChoices.some((word) => word === name);
      if (!isName || !refusesField(error, /\btool_choice\b/)) throw error;
      // Section 2.3 takes the name of a tool as a string, the public format as an object.
      const choice = { type: 'function', function: { name } };
      return request(client, rows.createChatCompletion, { body: { ...body, tool_choice: choice } });
    });
  };
  return question.stream ? withUnnamed(client, /\bstream_options\b/, send) : send(false);
}
