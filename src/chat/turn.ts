/** One question to a model, from its request to its answer, its price and its place in the log. */
import { Answer } from '../api/chat/answer.js';
import { StreamFault, type Piece } from '../api/chat/pieces.js';
import type { ChatCall } from '../api/chat/question.js';
import { readAnswer, warmUp } from '../api/chat/read.js';
import type { Client } from '../api/client.js';
import { costOf } from '../api/cost.js';
import { outcomeIsUnknown } from '../api/failure.js';
import { idsIn } from '../api/prepare.js';
import type { Context } from '../context.js';
import type { ChatFormat } from '../contract/enums.js';
import { fewestTokens } from '../contract/limits.js';
import { ApiError, Incomplete, NetworkError, SvcError, TimeoutError } from '../errors.js';
import type { HttpResponse } from '../http/types.js';
import { mayCost } from '../jobs/cost.js';
import type { Conversation } from './conversation.js';
import { bodies, send, withTokenLimit } from './request.js';
import type { CitedSearch, SearchFirst } from './search.js';
import type { ToolUse } from './tool-use.js';
import type { AnswerView, TurnEnd } from './view.js';

/** A question on its way: everything that its answer needs. */
export interface Turn {
  readonly format: ChatFormat;
  /** The request, without the messages of the conversation. */
  readonly question: ChatCall;
  readonly view: AnswerView;
  /** Searches the web before the question is asked. */
  readonly search?: SearchFirst;
  /** The turns before it, whose messages precede the question, and where it is added. */
  readonly conversation?: Conversation;
  /** Whether its answer is shortened to what may be spent. */
  readonly isFitted?: boolean;
  /** The tools that svc runs when the answer calls them. */
  readonly use?: ToolUse;
  /** Whether its answer is checked against its schema, or asked for once more too. */
  readonly check?: 'once' | 'repair';
  /** Whether the results of the answer's calls are sent next: then nothing is finished. */
  readonly continues?: (answer: Answer) => boolean;
  /** What the view shows at the end of a turn that is one of several. */
  readonly total?: (end: TurnEnd, error?: unknown) => TurnEnd;
  /** Gets a complete answer in place of the view. */
  readonly held?: HeldAnswer;
  /** Gets what each request has cost, also where it fails. @param isOpen whether it may be more */
  readonly onEnd?: (end: TurnEnd, isOpen: boolean) => void;
}

/** An answer that is shown later, if at all. */
export interface HeldAnswer {
  /** It bounds what is held back. */
  readonly answer: Answer;
  readonly pieces: Piece[];
  end: TurnEnd;
}

/** What has arrived: all of the answer, unless the turn was stopped. */
export interface TurnResult {
  readonly answer: Answer;
  readonly end: TurnEnd;
  readonly isComplete: boolean;
}

/** Aborts a turn whose caller goes on: `askOnce` then returns what has arrived. */
export class TurnStopped extends Error {
  override readonly name = 'TurnStopped';
}

/** SQLite is loaded in a wait that is longer than this: in a shorter one it could delay the text. */
const longWaitMs = 50;

/** @throws what it failed with, after what has arrived is shown and logged. */
export async function askOnce(context: Context, client: Client, turn: Turn): Promise<TurnResult> {
  const run = new TurnRun(context, client, turn);
  const { onEnd, view } = turn;
  try {
    await mayCost(context, client, (paying) => run.ask(paying), {
      words: () => view.interruption(),
      onCost: (cost) => {
        run.end = { ...run.end, cost: { ...run.end.cost, ...cost } };
        run.mayBeCharged = true;
      },
    });
  } catch (error) {
    if (!(context.signal.reason instanceof TurnStopped)) throw error;
  } finally {
    run.ended.abort();
    onEnd?.(run.end, run.mayBeCharged && run.end.cost.priceRub === undefined);
  }
  return { answer: run.answer, end: run.end, isComplete: run.isComplete };
}

class TurnRun {
  /** What is known of its end so far. */
  end: TurnEnd = { cost: {}, ids: {} };
  isComplete = false;
  /** Whether the service may have charged for the answer. */
  mayBeCharged = false;
  /** Aborts when nothing is awaited any more. */
  readonly ended = new AbortController();
  readonly answer: Answer;
  readonly #atMs: number;
  #ms = 0;
  /** The question with the results of its search. */
  #question: ChatCall;
  #isSent = false;
  #hasBegun = false;
  /** Whether the answer is too large to keep; what is too large is shown all the same. */
  #isCut = false;
  #record: ReturnType<Conversation['add']> | undefined;

  constructor(
    private readonly context: Context,
    private readonly client: Client,
    private readonly turn: Turn,
  ) {
    this.#atMs = context.clock.now();
    this.#question = turn.question;
    const { held, view } = turn;
    this.answer = held?.answer ?? view.answer ?? new Answer(true, true, true);
  }

  async ask(paying: Client): Promise<void> {
    const { conversation, continues, held, view } = this.turn;
    try {
      await this.#receive(await this.#send(paying));
    } catch (error) {
      await this.#fail(error);
    }
    const record = () => this.#log();
    // Its place in the log is shown where the command line names a conversation.
    const logged = conversation?.isGiven ? await this.#log() : undefined;
    const isContinued = !this.#isCut && continues?.(this.answer) === true;
    const end = this.#total({ ...this.end, logged });
    if (held) {
      held.end = end;
      await record();
    } else {
      await (isContinued ? view.continue() : view.finish(end)).finally(record);
    }
  }

  async #send(paying: Client): Promise<HttpResponse> {
    const { client, context } = this;
    const { conversation, format, isFitted, question, search, view } = this.turn;
    view.wait(question.model).catch(() => undefined);
    const earlier = (await conversation?.messages(format, question.results)) ?? [];
    const messages = [...earlier, ...(question.messages ?? [])];
    const cited = await search?.(context, paying, question.model, (searching) => {
      const maxTokens = isFitted ? fewestTokens : question.maxTokens;
      const asked = withTokenLimit({ ...question, messages, maxTokens }, client);
      return send(searching, format, asked);
    });
    this.end = { cost: { searchRub: cited?.costRub }, ids: {}, search: cited };
    if (cited) this.#question = { ...question, parts: cited.before(question.parts) };
    const whole = { ...this.#question, messages };
    const fitted = isFitted ? await client.spending?.fit(bodies[format](whole)) : undefined;
    const limited = isFitted
      ? { ...whole, maxTokens: fitted ?? question.maxTokens }
      : withTokenLimit(whole, client);
    this.#isSent = true;
    const sent = send(paying, format, limited);
    // While the request is on its way, svc loads what the answer needs.
    warmUp(format);
    this.#loadLater().catch(() => undefined);
    const [response] = await Promise.all([sent, view.prepare()]);
    return response;
  }

  async #loadLater(): Promise<void> {
    await this.context.clock.sleep(longWaitMs, this.ended.signal);
    if (!this.#hasBegun) await this.turn.conversation?.ready();
  }

  async #receive(response: HttpResponse): Promise<void> {
    const { client, context } = this;
    const { conversation, format, view } = this.turn;
    const ids = idsIn(response, client.brand);
    this.mayBeCharged = ids.cached !== true;
    const take = (piece: Piece) => this.#take(piece);
    const pace = () => view.pace();
    const reading = readAnswer(response, format, take, pace).then(() => view.flush());
    const isWhole = await reading.then(
      () => true,
      () => false,
    );
    this.#ms = context.clock.now() - this.#atMs;
    // The log has the price of an earlier answer too: nothing is asked for it.
    const isPriced = view.showsCost || ids.cached === true;
    const costing = isPriced ? costOf(client, [ids]) : undefined;
    if (costing && isWhole) await conversation?.ready();
    const { cost, search } = this.end;
    const priced = await costing;
    const cached = search?.isPaid ? undefined : priced?.cached;
    this.end = { cost: { ...priced, ...cost, cached }, ids, search };
    await reading;
    this.isComplete = true;
  }

  #take(piece: Piece): void {
    const { held, view } = this.turn;
    if (held) {
      held.answer.add(piece);
      held.pieces.push(piece);
    } else {
      view.add(piece);
    }
    this.#hasBegun = true;
    const isLeftOut = this.#isCut && piece.type !== 'usage' && piece.type !== 'finish';
    if (held || view.answer || isLeftOut) return;
    try {
      this.answer.add(piece);
    } catch (error) {
      if (!(error instanceof StreamFault)) throw error;
      this.#isCut = true;
    }
  }

  /** Shows and logs what has arrived. @throws the error, perhaps with a better hint */
  async #fail(cause: unknown): Promise<never> {
    const { client, context } = this;
    const { conversation, question, view } = this.turn;
    const error = afterSearch(cause, this.end.search);
    this.#ms ||= context.clock.now() - this.#atMs;
    // Its usage record says whether it was charged.
    const isOpen = outcomeIsUnknown(error);
    this.mayBeCharged ||= isOpen || (this.#isSent && context.signal.aborted);
    if (error instanceof ApiError && isOpen) {
      this.end = { ...this.end, ids: { ...error.requestIds, ...this.end.ids } };
    }
    const isTooLarge = error instanceof SvcError && error.code === 'answer_too_large';
    const mayBePaid =
      this.end.cost.searchRub !== undefined || this.end.ids.generationId !== undefined;
    // Nothing is logged of it, so SQLite, which takes 10 MB, is not loaded.
    if (!mayBePaid && (!this.#hasBegun || isTooLarge) && !question.results) {
      this.#record = Promise.resolve(undefined);
    }
    const record = () => this.#log(isTooLarge ? new Answer(false) : this.answer);
    // A paid loop of tools is continued from there.
    const isShown = conversation?.isGiven === true || question.results !== undefined;
    const logged = isShown ? await record() : undefined;
    await view.fail(this.#total({ ...this.end, logged }, error), error).finally(record);
    const { withSimilarName } = await import('../jobs/known-model.js');
    throw await withSimilarName(context, client, question.model, error);
  }

  #total(end: TurnEnd, error?: unknown): TurnEnd {
    return this.turn.total?.(end, error) ?? end;
  }

  /** Logs the turn once. */
  #log(answer = this.answer): Promise<TurnEnd['logged']> {
    const { client, end, mayBeCharged } = this;
    const { conversation, format, question } = this.turn;
    this.#record ??= conversation?.add({
      ...{ client, format, answer, end, mayBeCharged },
      question: this.#question,
      asks: question.parts,
      atMs: this.#atMs,
      ms: this.#ms,
      isComplete: this.isComplete && !this.#isCut,
    });
    return this.#record ?? Promise.resolve(undefined);
  }
}

/** Exit code 6 says that nothing was charged; a search was. */
function afterSearch(error: unknown, search: CitedSearch | undefined): unknown {
  const isUnreached = error instanceof NetworkError || error instanceof TimeoutError;
  if (!search || !isUnreached) return error;
  const hint = 'the search was charged, the question was not: run it again';
  return new Incomplete(error.message, { cause: error, hint });
}
