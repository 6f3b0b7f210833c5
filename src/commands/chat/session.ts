/** `svc chat -i`: questions and answers at a terminal, until the user leaves. */
import type { Client } from '../../api/client.js';
import type { Context } from '../../context.js';
import { SvcError, UsageError } from '../../errors.js';
import { listOf, recordOf, textOf } from '../../lib/json.js';
import { folded, nearest } from '../../lib/names.js';
import { chatHistory } from '../../state/small-files.js';
import type { LineEditor } from '../../terminal/line-editor.js';
import { PromptClosed } from '../../terminal/types.js';
import { modelFor } from '../../jobs/known-model.js';
import { toolsToRun } from './chat.js';
import { openConversation, type Conversation } from './conversation.js';
import type { ChatInput } from './index.js';
import { questionFrom } from './question.js';
import { sessionCommands } from './session-commands.js';
import { prepareSearch, type LookUp } from './search.js';
import { openShow, type End } from './show.js';
import type { McpServers } from './tool-turns.js';
import { runTurns, TurnStopped } from './turn.js';

type Options = ChatInput['options'];

interface Asked extends Partial<Pick<Options, 'search'>> {
  readonly text: string;
  readonly attach: readonly string[];
}

export async function runSession(context: Context, input: ChatInput): Promise<void> {
  const { commandHint, env, flags, out, paths, prompts, stdin } = context;
  const { args, options } = input;
  if (!stdin.isTerminal || !out.isTerminal || !out.isErrorTerminal || !flags.input) {
    throw new UsageError('a session needs a terminal', {
      code: 'no_terminal',
      hint: 'without one: svc chat -c "your question"',
    });
  }
  const client = await context.client();
  const conversation = await openConversation(context, options);
  await modelFor(context, options.model ?? conversation.last?.model, 'chat');
  const isKept = options.log && context.settings().log !== 'off';
  const history = chatHistory(paths);
  const complete = (before: string) => completions(session, before);
  const editor = await prompts.editor({ env, history: history.texts().reverse(), complete });
  const session = new Session({ ...context }, { ...client }, input, conversation, editor);
  try {
    out.dim(`${await session.title()} · /help lists the commands`);
    let typed: string | undefined = args.prompt.join(' ').trim() || (await session.read());
    while (typed !== undefined) {
      if (isKept && typed.trim() !== '') history.add(typed);
      if (typed.trim() !== '') await session.take(typed);
      typed = session.leave.signal.aborted ? undefined : await session.read();
    }
  } finally {
    editor.close();
    await Promise.all(Array.from(session.servers.values(), (server) => server.end()));
  }
  const { id, name } = session.conversation;
  if (id === undefined) return;
  const again = name === undefined ? '-c' : `--conversation ${name}`;
  out.dim(commandHint(`to continue: svc chat ${again}`));
}

/** What is being talked about, and how. */
export class Session {
  readonly leave = new AbortController();
  /** The tools that run without a question until the session ends. */
  readonly approvedTools = new Set<string>();
  /** Each is started with the first question that uses it. */
  readonly servers: McpServers = new Map();
  /** What each request has cost. */
  readonly ends: End[] = [];
  /** By their queries: a question that is asked again has the results of the first time. */
  readonly searches = new Map<string, LookUp>();
  /** The last question, while it can be asked again. */
  asked: (Asked & { isAnswered: boolean }) | undefined;
  options: Options;
  readonly #frame: ChatInput['frame'];
  readonly #ended: AbortSignal;

  /** @param context its signal, and that of the client, become those of each turn. */
  constructor(
    readonly context: Context,
    readonly client: Client,
    { options, frame }: ChatInput,
    public conversation: Conversation,
    readonly editor: LineEditor,
  ) {
    this.options = options;
    if (options.search) this.searches.set(options.search, prepareSearch(options.search));
    this.#frame = frame;
    this.#ended = context.signal;
  }

  say = (words: string): void => this.context.out.sentence(words);

  change(options: Partial<Options>): void {
    this.options = { ...this.options, ...options };
  }

  async read(): Promise<string | undefined> {
    await this.context.out.flush();
    return this.editor.read();
  }

  model(): Promise<string> {
    return modelFor(this.context, this.options.model ?? this.conversation.last?.model, 'chat');
  }

  async title(): Promise<string> {
    const { id, name = id === undefined ? 'a new conversation' : `c${id}` } = this.conversation;
    return `${await this.model()} · ${name}`;
  }

  /** Runs a command or asks a question. What fails is reported, and the session goes on. */
  async take(typed: string): Promise<void> {
    const stopped = new AbortController();
    const signal = AbortSignal.any([this.#ended, stopped.signal]);
    // Each turn has all of --timeout.
    this.context.timeLimit?.restart();
    Object.assign(this.context, { signal });
    Object.assign(this.client, { signal });
    const [, name, argument = ''] = /^\/(?!\/)(\S*)\s*([^]*)$/.exec(typed) ?? [];
    const { attach, search } = this.options;
    const text = typed.replace(/^\/\//, '/');
    const work = async () => {
      if (name === undefined) await this.ask({ text, attach, search });
      else await commandCalled(name).run(this, argument.trim());
    };
    try {
      await this.editor.during(() => stopped.abort(new TurnStopped()), work);
    } catch (error) {
      this.#ended.throwIfAborted();
      if (error instanceof SvcError) this.context.report(error);
      else if (!(stopped.signal.aborted || error instanceof PromptClosed)) throw error;
    }
  }

  async ask(asked: Asked): Promise<void> {
    const { client, context, conversation } = this;
    const { attach, search, text } = asked;
    const { system } = this.options;
    const { last } = conversation;
    try {
      const options = { ...this.options, attach, system: system === '' ? undefined : system };
      const format = options.format ?? last?.format ?? 'chat';
      const kept = system === '' ? { ...last, system: undefined } : last;
      const input = { args: { prompt: [text] }, options, frame: this.#frame };
      const use = await toolsToRun(context, options, last?.tool, this);
      const known = { ...kept, tools: use?.tools ?? kept?.tools, tool: use?.names };
      const question = await questionFrom(context, input, format, known);
      const lookUp = this.searches.get(search ?? '');
      const show = await openShow(context, options);
      const onEnd = (end: End) => void this.ends.push(end);
      const turn = { format, question, show, lookUp, conversation, isFitted: options.fit, use };
      await runTurns(context, client, { ...turn, onEnd });
    } finally {
      const isAnswered = conversation.last !== last;
      this.asked = { ...asked, isAnswered };
      if (isAnswered) this.change({ attach: [], file: [], search: undefined });
    }
  }

  async lastAsked(): Promise<Asked> {
    const { attach, search } = this.options;
    return this.asked ?? { text: (await this.lastTexts()).question, attach, search };
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
    this.asked = undefined;
    await this.conversation.undo();
  }

  /** Asks in place of the last question, which stays in the log. */
  async askAgain(asked: Asked): Promise<void> {
    if (this.asked?.isAnswered ?? this.conversation.last) await this.takeBack();
    await this.ask(asked);
  }

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

function commandCalled(name: string) {
  const names = sessionCommands.map((one) => one.name);
  const found = sessionCommands.find((one) => one.name === (name === 'quit' ? 'exit' : name));
  if (found) return found;
  const guess = nearest(name, names);
  throw new UsageError(`there is no command /${name}${guess ? `; did you mean /${guess}?` : ''}`, {
    code: 'usage',
    hint: '/help lists the commands; a text that begins with / is sent when typed with //',
  });
}

/** What a text that begins with a slash can become. */
async function completions(session: Session, before: string): Promise<string[]> {
  const [command = '', name, argument] = /^\/(\S+)\s+([^]*)$/.exec(before) ?? [];
  if (argument === undefined) {
    const names = before.startsWith('/') ? sessionCommands.map((one) => `/${one.name}`) : [];
    return names.filter((one) => one.startsWith(before));
  }
  const found = sessionCommands.find((one) => one.name === name);
  const values = (await found?.complete(session, argument)) ?? [];
  const start = command.slice(0, command.length - argument.length);
  return values.filter((one) => folded(one).startsWith(folded(argument))).map((one) => start + one);
}
