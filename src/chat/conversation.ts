/** One conversation: the turns so far, and each new one on its way to the log. */
import type { Answer } from '../api/chat/answer.js';
import type { KeptMessage, ToolCallPart } from '../api/chat/conversation.js';
import type { ChatCall, Part, ToolResultPart } from '../api/chat/question.js';
import type { Client } from '../api/client.js';
import type { Context } from '../context.js';
import type { ChatFormat } from '../contract/enums.js';
import { UsageError } from '../errors.js';
import { sumRub } from '../lib/amounts.js';
import { isBusy } from '../lib/error-code.js';
import { usualName } from '../lib/names.js';
import { hidden, plainText } from '../lib/plain-text.js';
import { accountFor } from '../state/account.js';
import type { Log, NewTurn as LogTurn } from '../state/log.js';
import type { Output } from '../terminal/types.js';
import { answeredTurns, withoutImages } from './logged-turns.js';
import type { AnsweredTurn, TurnSettings } from './logged-turns.js';
import type { TurnEnd } from './view.js';

/** Which conversation a question continues, and whether it is logged. */
export interface ConversationChoice {
  /** Whether it is the last one. */
  readonly continue?: boolean;
  /** Its name or id; an unknown name is that of a new one. */
  readonly conversation?: string;
  readonly log?: boolean;
}

export interface NewTurn extends Pick<LogTurn, 'format' | 'atMs' | 'ms' | 'isComplete'> {
  readonly client: Client;
  /** The request without the messages of the conversation. */
  readonly question: ChatCall;
  /** What the user wrote; `question` may contain more, such as search results. */
  readonly asks: readonly Part[];
  readonly answer: Answer;
  readonly end: TurnEnd;
  /** Whether the service may have charged for the answer. */
  readonly mayBeCharged: boolean;
}

/** A search finds a turn by its first words: indexing a long text would delay the exit. */
const searchedLength = 64 * 1024;

/** The fields of a question that are stored otherwise. */
const without = { model: undefined, messages: undefined, parts: undefined, results: undefined };

const loadMessages = () => import('../api/chat/conversation.js');
const loadLog = () => import('../state/log.js');

/** Runs that have warned that they cannot log. */
const warned = new WeakSet<Output>();

/** Reads the log only to continue; to write, it is loaded when the first turn has ended. */
export class Conversation {
  /** Its id in the log, from its first logged turn on. */
  id: number | undefined;
  /** Its name, where it has one. */
  readonly name: string | undefined;
  readonly #turns: AnsweredTurn[];

  private constructor(
    private readonly context: Context,
    /** Whether nothing is logged. */
    private readonly isOff: boolean,
    /** Whether the command line names it. */
    readonly isGiven: boolean,
    { id, name, turns }: StoredConversation,
  ) {
    this.id = id;
    this.name = name;
    this.#turns = turns;
  }

  /** @throws UsageError when there is nothing to continue. */
  static async open(context: Context, choice: ConversationChoice): Promise<Conversation> {
    const { flags, settings } = context;
    const isOff = flags.dryRun || choice.log === false || settings().log === 'off';
    const isGiven = choice.continue === true || choice.conversation !== undefined;
    const stored = isGiven ? await storedConversation(context, choice.conversation) : { turns: [] };
    return new Conversation(context, isOff, isGiven, stored);
  }

  /** What the next turn uses if it does not choose; undefined before the first answer. */
  get last(): TurnSettings | undefined {
    return this.#turns.at(-1)?.settings;
  }

  /** The tool calls of the last answer: none of them has a result. */
  get openCalls(): readonly ToolCallPart[] {
    const answer = this.#turns.at(-1)?.messages.at(-1);
    return answer?.parts.filter((part) => part.type === 'tool_call') ?? [];
  }

  /** Whether calls of tools, or their results, are waiting for an answer. */
  get isPending(): boolean {
    const answer = this.#turns.at(-1)?.messages.at(-1);
    const isUnanswered = answer?.parts.length === 0 && !answer.native;
    return isUnanswered || this.openCalls.length > 0;
  }

  /** What keeps `openCalls` from running twice; undefined where they are not logged. */
  async startedCalls() {
    const turn = this.#turns.at(-1)?.id;
    if (this.isOff || this.id === undefined || turn === undefined) return undefined;
    const { startedCalls } = await import('../state/tool-calls.js');
    return startedCalls(this.context.paths, this.id, turn);
  }

  /** Loads and opens what `add` needs, which takes 15 ms. */
  async ready(): Promise<void> {
    if (this.isOff) return;
    const opening = loadLog().then(({ Log }) => new Log(this.context.paths).conversation(''));
    await Promise.all([loadMessages(), opening]).catch(() => undefined);
  }

  /** The messages so far in a wire format. @param results those of the last answer's calls */
  async messages(
    format: ChatFormat,
    results?: readonly ToolResultPart[],
  ): Promise<readonly unknown[]> {
    if (this.#turns.length === 0) return [];
    const messages = this.#turns.flatMap((turn) => turn.messages);
    if (results) messages.push({ role: 'tool', parts: [...results] });
    return (await loadMessages()).wireMessages(format, messages);
  }

  /** Warns if the turn cannot be logged. A turn without an answer is logged, but not continued. */
  async add(turn: NewTurn): Promise<TurnEnd['logged']> {
    const { answer, format, isComplete, question } = turn;
    const { keptAnswer, keptMessages } = await loadMessages();
    const asked = keptMessages(format, question);
    // A tool must not run twice: its results are stored without an answer too.
    const nothing: KeptMessage | undefined = question.results && { role: 'assistant', parts: [] };
    const answered = keptAnswer(format, answer, isComplete) ?? nothing;
    const logged = await this.#write((log) => log.add(this.#logTurn(turn, asked, answered)));
    this.id = logged?.conversation ?? this.id;
    if (answered) {
      const messages = [...asked, answered];
      this.#turns.push({ id: logged?.id, messages, settings: { ...question, format } });
    }
    return logged && { conversation: this.name ?? `c${logged.conversation}`, turn: logged.id };
  }

  /** Takes the last turn back; it stays in the log. */
  async undo(): Promise<void> {
    // Answers to results of tools belong to the question.
    while (this.#turns.pop()?.messages[0]?.role === 'tool');
    const { id } = this;
    if (id === undefined) return;
    await this.#write((log) => log.setHead(id, this.#head(), this.context.clock.now()));
  }

  /** The last turn that is in the log. */
  #head(): number | null {
    return this.#turns.findLast((turn) => turn.id !== undefined)?.id ?? null;
  }

  /** A failure to log a turn is not a failure of the turn. */
  async #write<Result>(work: (log: Log) => Result): Promise<Result | undefined> {
    const { clock, out, paths, signal } = this.context;
    const startedAt = clock.now();
    for (;;) {
      try {
        return this.isOff ? undefined : work(new (await loadLog()).Log(paths, 0));
      } catch (error) {
        const { message, cause } = error instanceof Error ? error : new Error(String(error));
        const leftMs = startedAt + (signal.aborted ? 1000 : 10_000) - clock.now();
        if (leftMs <= 0 || !isBusy(cause)) {
          const reason = plainText(message.split('\n', 1).join());
          if (!warned.has(out)) out.warn(`the conversation could not be logged: ${reason}`);
          warned.add(out);
          return undefined;
        }
      }
      // Other processes log their turns; Ctrl-C is heard meanwhile.
      await clock.sleep(1 + clock.random() * 30);
    }
  }

  #logTurn(turn: NewTurn, asked: readonly KeptMessage[], answered?: KeptMessage): LogTurn {
    const { client, question, asks, answer, end, mayBeCharged, ...facts } = turn;
    const { priceRub, searchRub = 0 } = end.cost;
    const generationId = end.ids.generationId ?? null;
    // A question that was refused without a usage record has cost its search.
    const answerRub = priceRub ?? (mayBeCharged ? null : 0);
    const texts = asks.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    if (question.results) texts.push(`(results of tools: ${question.results.length})`);
    return {
      ...facts,
      account: accountFor(this.context, client),
      conversation: this.id,
      name: this.name,
      parent: this.#head(),
      request: { ...question, ...without },
      asked: asked.map(withoutImages),
      answered: answered && withoutImages(answered),
      question: texts.join('\n').slice(0, searchedLength),
      answer: answer.text.slice(0, searchedLength),
      model: question.model,
      generationId,
      priceRub: answerRub === null ? null : sumRub([answerRub, searchRub]),
      searchRub,
      inputTokens: answer.usage?.inputTokens ?? null,
      outputTokens: answer.usage?.outputTokens ?? null,
      finishReason: answer.finishReason ?? null,
    };
  }
}

interface StoredConversation {
  readonly id?: number;
  readonly name?: string;
  readonly turns: AnsweredTurn[];
}

/** @throws UsageError when there is nothing to continue. */
async function storedConversation(context: Context, name?: string): Promise<StoredConversation> {
  const log = new (await loadLog()).Log(context.paths);
  const service = async () => accountFor(context, await context.client()).service;
  const match = name === undefined ? log.latest(await service()) : log.conversation(name);
  if (match) {
    const turns = await answeredTurns(log, match.head);
    return { id: match.id, name: match.name ?? undefined, turns };
  }
  if (name === undefined || /^c\d+$/.test(name)) {
    throw new UsageError(`there is no conversation ${name ?? 'to continue'}`, {
      code: 'no_conversation',
      hint: 'to start one: svc chat "your question"',
    });
  }
  return { name: nameFrom(name, '--conversation'), turns: [] };
}

/** The name of a conversation, as it is kept. @throws UsageError for what cannot be one */
export function nameFrom(text: string, what: string): string {
  const name = usualName(text);
  if (name === '') throw new UsageError(`${what} needs a name`);
  if (/^(?!c?\d+$)[\p{L}\p{N}].{0,63}$/u.test(name) && !hidden().test(name)) return name;
  const rule = 'starts with a letter or digit and has at most 64 visible characters';
  throw new UsageError(`${what}: a name ${rule}; 12 and c12 are ids`);
}
