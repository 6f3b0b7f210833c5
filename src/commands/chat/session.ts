/** A session: its conversation, the options of the next question, and its tools. */
import type { Client } from '../../api/client.js';
import { costOf } from '../../api/cost.js';
import { ask, openTools } from '../../chat/ask.js';
import type { Conversation } from '../../chat/conversation.js';
import { questionFrom } from '../../chat/question.js';
import { prepareSearch, withoutResults, type SearchFirst } from '../../chat/search.js';
import type { SharedTools } from '../../chat/tool-use.js';
import type { TurnEnd } from '../../chat/view.js';
import type { Context } from '../../context.js';
import type { RequestIds } from '../../errors.js';
import { modelFor } from '../../jobs/known-model.js';
import { formatRub, sumRub } from '../../lib/amounts.js';
import { listOf, recordOf, textOf } from '../../lib/json.js';
import type { LineEditor } from '../../terminal/line-editor.js';
import { textsIn } from '../../texts/load.js';
import type { SessionTexts } from '../../texts/session.js';
import { answerSink, openAnswerScreen } from './answer-screen.js';
import type { ChatInput, ChatOptions } from './index.js';

/** A question as it was typed, which can be asked again. */
interface TypedQuestion {
  readonly text: string;
  readonly attach: readonly string[];
  readonly search?: string;
}

/** Of a question that is shown again. */
const maxShownLines = 10;

/** What one turn or command of a session works with: Ctrl-C aborts only its signal. */
export interface TurnScope {
  readonly context: Context;
  readonly client: Client;
}

export class Session {
  readonly context: Context;
  readonly client: Client;
  /** By their queries: a question that is asked again has the results of the first time. */
  readonly searches = new Map<string, SearchFirst>();
  /** The options of the next question. */
  options: ChatOptions;
  readonly #frame: ChatInput['frame'];
  readonly #leave = new AbortController();
  readonly #tools: SharedTools;
  /** What is known of its cost; undefined before the first request. */
  #costRub: number | undefined;
  /** The ids of requests whose price is not known. */
  #unpriced: RequestIds[] = [];
  /** The last question, while it can be asked again. */
  #latest: (TypedQuestion & { readonly isAnswered: boolean }) | undefined;

  constructor(
    { context, client }: TurnScope,
    { options, frame }: ChatInput,
    public conversation: Conversation,
    readonly editor: LineEditor,
  ) {
    this.context = context;
    this.client = client;
    this.options = options;
    if (options.search) this.searches.set(options.search, prepareSearch(options.search));
    this.#frame = frame;
    this.#tools = {
      servers: new Map(),
      approved: new Set(),
      end: this.#leave.signal,
      withTerminal: (work) => editor.without(work),
    };
  }

  /** Whether the user has left it. */
  get isLeft(): boolean {
    return this.#leave.signal.aborted;
  }

  leave(): void {
    this.#leave.abort();
  }

  async endTools(): Promise<void> {
    await Promise.all(Array.from(this.#tools.servers.values(), (server) => server.end()));
  }

  /** Says something to the user. */
  say = (words: string): void => this.context.out.sentence(words);

  /** Changes the options of the next question. */
  change(options: Partial<ChatOptions>): void {
    this.options = { ...this.options, ...options };
  }

  /** The next text, below an empty line; undefined after Ctrl-D. */
  async read(): Promise<string | undefined> {
    this.say('');
    await this.context.out.flush();
    return this.editor.read();
  }

  /** The model of the next question. */
  model(): Promise<string> {
    return modelFor(this.context, this.options.model ?? this.conversation.last?.model, 'chat');
  }

  /** In the language of the user. */
  async texts(): Promise<SessionTexts> {
    return (await textsIn(this.context.out.language)).session;
  }

  async title(): Promise<string> {
    const { newConversation } = await this.texts();
    const { id, name = id === undefined ? newConversation : `c${id}` } = this.conversation;
    return `${await this.model()} · ${name}`;
  }

  /** Asks, and shows the answer. */
  async ask({ context, client }: TurnScope, typed: TypedQuestion): Promise<void> {
    const { conversation } = this;
    const { attach, search: query = '', text } = typed;
    const { shorten: isFitted, system } = this.options;
    const { last } = conversation;
    try {
      const options = { ...this.options, attach, system: system === '' ? undefined : system };
      const input = { words: [text], options, frame: this.#frame };
      const use = await openTools(context, options, last?.tool, this.#tools);
      const before = { last: system === '' ? { ...last, system: undefined } : last, use };
      const question = await questionFrom(context, input, before);
      const search = this.searches.get(query);
      const view = await openAnswerScreen(context, options);
      const more = { view, search, conversation, isFitted, onEnd: this.#addCost };
      await ask(context, client, { ...question, ...more });
    } finally {
      const isAnswered = conversation.last !== last;
      this.#latest = { ...typed, isAnswered };
      if (isAnswered) this.change({ attach: [], file: [], search: undefined });
    }
  }

  #addCost = ({ cost, ids }: TurnEnd, isOpen: boolean): void => {
    this.#costRub = sumRub([this.#costRub ?? 0, cost.priceRub ?? 0, cost.searchRub ?? 0]);
    if (isOpen) this.#unpriced.push(ids);
  };

  /** An amount that was spent. @param isAll whether every price in it is known */
  async spentWords(rub: number, isAll: boolean): Promise<string> {
    const { language } = this.context.out;
    const amount = formatRub(rub, language);
    return isAll ? amount : (await textsIn(language)).cost.atLeast(amount);
  }

  /** What it has cost, in words; undefined before the first request. */
  async costWords(): Promise<string | undefined> {
    if (this.#costRub === undefined) return undefined;
    return this.spentWords(this.#costRub, this.#unpriced.length === 0);
  }

  /** Looks up the prices that are missing. @returns the balance */
  async lookUpPrices(client: Client): Promise<number | undefined> {
    const isKnown = ({ generationId }: RequestIds) => generationId !== undefined;
    const { priceRub, balanceRub } = await costOf(client, this.#unpriced.filter(isKnown));
    if (priceRub !== undefined) {
      this.#costRub = sumRub([this.#costRub ?? 0, priceRub]);
      this.#unpriced = this.#unpriced.filter((ids) => !isKnown(ids));
    }
    return balanceRub;
  }

  /** Shows where the conversation stands: its last question, and the answer as if it were new. */
  async showLast(): Promise<void> {
    const { out } = this.context;
    const { answer, asked } = await this.lastTexts();
    const lines = asked.trimEnd().split('\n');
    const shown = lines.length > maxShownLines ? [...lines.slice(0, maxShownLines), '…'] : lines;
    this.say('');
    out.dim(`> ${shown.join('\n… ')}`);
    const sink = await answerSink(out, this.options);
    await sink.write(answer);
    await sink.end();
    await out.text(answer === '' || answer.endsWith('\n') ? '' : '\n');
  }

  /** Continues another conversation, with its settings. */
  continue(conversation: Conversation): void {
    this.conversation = conversation;
    this.#latest = undefined;
    const none = undefined;
    this.change({ model: none, system: none, format: none, toolDefinitions: none });
  }

  /** Whether the last question of the session was of this conversation. */
  get hasAsked(): boolean {
    return this.#latest !== undefined;
  }

  /** The question that can be asked again. */
  async lastQuestion(): Promise<TypedQuestion> {
    const { attach, search } = this.options;
    return this.#latest ?? { text: (await this.lastTexts()).question, attach, search };
  }

  /** Takes the last turn back; its settings hold on. */
  async takeBack(): Promise<void> {
    const { last } = this.conversation;
    const {
      format = last?.format,
      model = last?.model,
      system = textOf(last?.system),
    } = this.options;
    this.change({ format, model, system });
    this.#latest = undefined;
    await this.conversation.undo();
  }

  /** Asks in place of the last question, which stays in the log. */
  async askAgain(scope: TurnScope, question: TypedQuestion): Promise<void> {
    if (this.#latest?.isAnswered ?? this.conversation.last) await this.takeBack();
    await this.ask(scope, question);
  }

  /** The texts of the last question, of what was typed for it, and of its answer; empty without one. */
  async lastTexts(): Promise<Record<'question' | 'asked' | 'answer', string>> {
    const messages = (await this.conversation.messages('chat')).map(recordOf);
    const lastOf = (role: string) => {
      const content = messages.findLast((message) => message['role'] === role)?.['content'];
      const parts = listOf(content).flatMap((part) => textOf(recordOf(part)['text']) ?? []);
      const text = textOf(content);
      return text === undefined ? parts : [text];
    };
    const [question, answer] = [lastOf('user'), lastOf('assistant')];
    // What is attached precedes what was typed.
    const asked = withoutResults(question.at(-1) ?? '');
    return { question: question.join('\n'), asked, answer: answer.join('\n') };
  }
}
