/** A session: its conversation, the options of the next question, and its tools. */
import type { Client } from '../../api/client.js';
import { ask, openTools } from '../../chat/ask.js';
import type { Conversation } from '../../chat/conversation.js';
import { questionFrom } from '../../chat/question.js';
import { prepareSearch, type SearchFirst } from '../../chat/search.js';
import type { SharedTools } from '../../chat/tool-use.js';
import type { TurnEnd } from '../../chat/view.js';
import type { Context } from '../../context.js';
import { modelFor } from '../../jobs/known-model.js';
import { listOf, recordOf, textOf } from '../../lib/json.js';
import type { LineEditor } from '../../terminal/line-editor.js';
import { openAnswerScreen } from './answer-screen.js';
import type { ChatInput, ChatOptions } from './index.js';

/** A question as it was typed, which can be asked again. */
interface TypedQuestion {
  readonly text: string;
  readonly attach: readonly string[];
  readonly search?: string;
}

/** What one turn or command of a session works with: Ctrl-C aborts only its signal. */
export interface TurnScope {
  readonly context: Context;
  readonly client: Client;
}

export class Session {
  readonly context: Context;
  readonly client: Client;
  /** What each request has cost. */
  readonly ends: TurnEnd[] = [];
  /** By their queries: a question that is asked again has the results of the first time. */
  readonly searches = new Map<string, SearchFirst>();
  /** The options of the next question. */
  options: ChatOptions;
  readonly #frame: ChatInput['frame'];
  readonly #leave = new AbortController();
  readonly #tools: SharedTools;
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

  /** The next text; undefined after Ctrl-D. */
  async read(): Promise<string | undefined> {
    await this.context.out.flush();
    return this.editor.read();
  }

  /** The model of the next question. */
  model(): Promise<string> {
    return modelFor(this.context, this.options.model ?? this.conversation.last?.model, 'chat');
  }

  async title(): Promise<string> {
    const { id, name = id === undefined ? 'a new conversation' : `c${id}` } = this.conversation;
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
      const onEnd = (end: TurnEnd) => void this.ends.push(end);
      await ask(context, client, { ...question, view, search, conversation, isFitted, onEnd });
    } finally {
      const isAnswered = conversation.last !== last;
      this.#latest = { ...typed, isAnswered };
      if (isAnswered) this.change({ attach: [], file: [], search: undefined });
    }
  }

  /** Continues another conversation, with its settings. */
  continue(conversation: Conversation): void {
    this.conversation = conversation;
    this.#latest = undefined;
    this.change({
      model: undefined,
      system: undefined,
      format: undefined,
      toolDefinitions: undefined,
    });
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

  /** The texts of the last question and its answer; empty without one. */
  async lastTexts(): Promise<{ question: string; answer: string }> {
    const messages = (await this.conversation.messages('chat')).map(recordOf);
    const lastOf = (role: string) => {
      const content = messages.findLast((message) => message['role'] === role)?.['content'];
      const parts = listOf(content).flatMap((part) => textOf(recordOf(part)['text']) ?? []);
      return textOf(content) ?? parts.join('\n');
    };
    return { question: lastOf('user'), answer: lastOf('assistant') };
  }
}
