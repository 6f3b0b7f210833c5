/** A question whose answers may call tools: svc runs them and sends their results. */
import { shellWord } from '../lib/names.js';
import type { Answer } from '../api/chat/answer.js';
import { keptAnswer, type ToolCallPart } from '../api/chat/conversation.js';
import type { Usage } from '../api/chat/pieces.js';
import type { ChatCall } from '../api/chat/question.js';
import type { Client } from '../api/client.js';
import type { Context } from '../context.js';
import {
  ApiError,
  Incomplete,
  Pending,
  PriceTooHigh,
  TimeoutError,
  UsageError,
} from '../errors.js';
import { sumRub } from '../lib/amounts.js';
import { usageSum } from './answer-json.js';
import { runCalls, type CallRecord } from './tool-calls.js';
import type { ToolUse } from './tool-use.js';
import { askOnce, type Turn, type TurnResult } from './turn.js';
import type { TurnEnd } from './view.js';

interface ToolTurn extends Turn {
  readonly use: ToolUse;
}

/** Asks until an answer calls no tool. @throws Pending for calls that are not run, or as `askOnce` */
export const askWithTools = (context: Context, client: Client, turn: ToolTurn) =>
  new ToolTurns(context, client, turn).run();

class ToolTurns {
  /** The calls that have run in this process. */
  readonly #ran: CallRecord[] = [];
  readonly #mayRun: boolean;
  /** The complete turns, and what they used and cost together. */
  #turns = 0;
  #usage: Usage | undefined;
  #cost: TurnEnd['cost'] = { priceRub: 0, cached: true };
  #search: TurnEnd['search'];

  constructor(
    private readonly context: Context,
    private readonly client: Client,
    private readonly turn: ToolTurn,
  ) {
    this.#mayRun = turn.use.approve !== 'ask' || context.prompts.canAsk;
  }

  async run(): Promise<TurnResult> {
    const { conversation, question, search } = this.turn;
    const isNew = question.parts.length > 0 || question.messages !== undefined;
    let calls = isNew ? [] : (conversation?.openCalls ?? []);
    this.#assertNotLost(calls);
    let next: Pick<Turn, 'question' | 'search'> = { question, search };
    for (;;) {
      this.#assertMayGoOn(calls);
      try {
        if (calls.length > 0) next = { ...next, question: await this.#withResults(calls) };
        const result = await this.#ask(next);
        next = { ...next, search: undefined };
        calls = result.isComplete ? (conversation?.openCalls ?? []) : [];
        if (calls.length === 0) return result;
      } catch (error) {
        throw this.#afterFailure(error);
      }
      this.#turns += 1;
    }
  }

  async #withResults(calls: readonly ToolCallPart[]): Promise<ChatCall> {
    const { context, turn } = this;
    const results = await runCalls(context, turn, calls, (call) => this.#ran.push(call));
    return { ...turn.question, messages: undefined, parts: [], results, toolChoice: undefined };
  }

  async #ask(next: Pick<Turn, 'question' | 'search'>): Promise<TurnResult> {
    const { context, client, turn } = this;
    const result = await askOnce(context, client, {
      ...turn,
      ...next,
      continues: (answer) => this.#continues(answer),
      total: (end, error) => {
        const sum = this.#total(end, error);
        return turn.total?.(sum, error) ?? sum;
      },
    });
    this.#cost = costSum(this.#cost, result.end.cost);
    this.#search ??= result.end.search;
    this.#usage = usageSum(this.#usage, result.answer.usage);
    return result;
  }

  /** Whether the calls of this answer are run, and their results sent. */
  #continues(answer: Answer): boolean {
    const { format, use } = this.turn;
    const parts = keptAnswer(format, answer, true)?.parts ?? [];
    const isCalled = parts.some(({ type }) => type === 'tool_call');
    return isCalled && this.#mayRun && this.#turns + 1 < use.maxTurns;
  }

  #total(end: TurnEnd, error: unknown): TurnEnd {
    const earlier = { turns: this.#turns, usage: this.#usage, calls: this.#ran };
    if (this.#turns > 0 && isFree(error)) {
      const turns = this.#turns - 1;
      return { ...end, search: this.#search, cost: this.#cost, earlier: { ...earlier, turns } };
    }
    this.#search ??= end.search;
    return { ...end, search: this.#search, cost: costSum(this.#cost, end.cost), earlier };
  }

  #assertNotLost(calls: readonly ToolCallPart[]): void {
    const lost = calls.find(({ name }) => this.turn.use.lost.includes(name));
    if (!lost) return;
    const hint = 'restore the file, or continue without it: svc chat -c "your question"';
    const message = `the file of the tool ${lost.name} is gone, and a call of it is waiting`;
    throw new UsageError(message, { code: 'no_such_tool', hint });
  }

  /** @throws Pending for calls that need an approval or are too many */
  #assertMayGoOn(calls: readonly ToolCallPart[]): void {
    const { conversation, use } = this.turn;
    const isOver = this.#turns === use.maxTurns;
    if (calls.length === 0 || (!isOver && this.#mayRun)) return;
    const words = `${calls.length} tool ${calls.length === 1 ? 'call is' : 'calls are'} waiting`;
    const requests = `${this.#turns} ${this.#turns === 1 ? 'request' : 'requests'}`;
    const reason = isOver ? `after ${requests} (--max-turns)` : 'for approval';
    const option = this.#mayRun && use.approve !== 'always' ? '' : ' --approve always';
    const isLogged = conversation?.id !== undefined;
    const hint = isLogged ? `to run them: ${this.#nextCommand()}${option}` : 'use --approve always';
    throw new Pending(`${words} ${reason}`, { code: 'tool_calls_pending', hint });
  }

  /** The command that continues, with the same limits. */
  #nextCommand(): string {
    const { conversation, isFitted, question } = this.turn;
    const { maxCostRub } = this.context.flags;
    const words = [
      `svc chat --conversation ${shellWord(conversation?.name ?? `c${conversation?.id}`)}`,
      maxCostRub === undefined ? '' : ` --max-cost ${maxCostRub}`,
      question.maxTokens === undefined ? '' : ` --max-tokens ${question.maxTokens}`,
      isFitted ? ' --shorten' : '',
    ];
    return words.join('');
  }

  /** @returns the error, which says so where earlier answers have been paid for, or calls have run */
  #afterFailure(error: unknown): unknown {
    const { commandHint, flags, out } = this.context;
    const { conversation } = this.turn;
    const isLogged = conversation?.isPending === true && conversation.id !== undefined;
    const hint = isLogged ? `to continue: ${this.#nextCommand()}` : undefined;
    if (hint !== undefined && !flags.json) out.note(commandHint(hint));
    const isLate = error instanceof TimeoutError && error.code === 'deadline';
    if (!isLate || (this.#turns === 0 && this.#ran.length === 0)) return error;
    return new Incomplete(error.message, { code: 'deadline', hint, cause: error });
  }
}

function costSum(one: TurnEnd['cost'], other: TurnEnd['cost']): TurnEnd['cost'] {
  const [before, last] = [one.priceRub, other.priceRub];
  const isKnown = before !== undefined && last !== undefined;
  const priceRub = isKnown ? sumRub([before, last]) : undefined;
  const cached = one.cached && other.cached;
  return { ...other, priceRub, searchRub: other.searchRub ?? one.searchRub, cached };
}

/** Whether it refused a request that costs nothing then. */
function isFree(error: unknown): boolean {
  if (error instanceof PriceTooHigh) return true;
  if (!(error instanceof ApiError) || error.outcomeUnknown) return false;
  return error.status >= 400 && error.status < 500;
}
