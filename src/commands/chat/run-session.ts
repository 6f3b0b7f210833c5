/** `svc chat -i`: questions and answers at a terminal, until the user leaves. */
import { Conversation } from '../../chat/conversation.js';
import { TurnStopped } from '../../chat/turn.js';
import type { Context } from '../../context.js';
import { SvcError, UsageError } from '../../errors.js';
import { modelFor } from '../../jobs/known-model.js';
import { folded, guess, shellWord } from '../../lib/names.js';
import { chatHistory } from '../../state/small-files.js';
import type { Completion } from '../../terminal/line-editor.js';
import { PromptClosed } from '../../terminal/types.js';
import type { ChatInput } from './index.js';
import { Session } from './session.js';
import { sessionCommands } from './session-commands.js';

export async function runSession(context: Context, input: ChatInput): Promise<void> {
  const { commandHint, env, flags, out, paths, prompts, stdin } = context;
  const { options, words } = input;
  if (!stdin.isTerminal || !out.isTerminal || !out.isErrorTerminal || !flags.input) {
    throw new UsageError('a session needs a terminal', {
      code: 'no_terminal',
      hint: 'without one: svc chat -c "your question"',
    });
  }
  const client = await context.client();
  const conversation = await Conversation.open(context, options);
  await modelFor(context, options.model ?? conversation.last?.model, 'chat');
  const isLogged = options.log && context.settings().log !== 'off';
  const history = chatHistory(paths);
  const complete = (before: string) => completions(session, before);
  const editor = await prompts.editor({ env, history: history.texts().reverse(), complete });
  const session = new Session({ context, client }, input, conversation, editor);
  const texts = await session.texts();
  try {
    out.dim(`${await session.title()} · ${texts.helpIsThere}`);
    if (conversation.last) await session.showLast();
    const first = words.join(' ').trim();
    if (first !== '') session.say('');
    let typed: string | undefined = first || (await session.read());
    while (typed !== undefined) {
      // Up is for what is asked again.
      const isKept = isLogged && !['', '/exit', '/quit'].includes(typed.trim());
      if (isKept) history.add(typed);
      if (typed.trim() !== '') await take(session, typed);
      typed = session.isLeft ? undefined : await session.read();
    }
  } finally {
    editor.close();
    await session.endTools();
  }
  const { id, name } = session.conversation;
  // -c continues what was asked last, which a loaded conversation need not be.
  const isLast = name === undefined && session.hasAsked;
  const again = isLast ? '-c' : `--conversation ${shellWord(name ?? `c${id}`)}`;
  const cost = await session.costWords();
  const facts = cost === undefined ? [] : [texts.cost(cost)];
  if (id !== undefined) facts.push(commandHint(texts.toContinue(`svc chat ${again}`)));
  if (facts.length > 0) out.dim(facts.join('\n'));
}

/** Runs a command or asks a question. What fails is reported, and the session goes on. */
async function take(session: Session, typed: string): Promise<void> {
  const { context, client, editor } = session;
  const stopped = new AbortController();
  const signal = AbortSignal.any([context.signal, stopped.signal]);
  // Each turn has all of --timeout.
  context.timeLimit?.restart();
  const scope = { context: { ...context, signal }, client: { ...client, signal } };
  const [, name, argument = ''] = /^\/(?!\/)(\S*)\s*([^]*)$/.exec(typed) ?? [];
  const { attach, search } = session.options;
  const text = typed.replace(/^\/\//, '/');
  const work = async () => {
    if (name === undefined) await session.ask(scope, { text, attach, search });
    else await commandCalled(name).run(session, argument.trim(), scope);
  };
  try {
    await editor.during(() => stopped.abort(new TurnStopped()), work);
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof SvcError) await context.report(error);
    else if (!(stopped.signal.aborted || error instanceof PromptClosed)) throw error;
  }
}

function commandCalled(name: string) {
  const match = sessionCommands.find((one) => one.name === (name === 'quit' ? 'exit' : name));
  if (match) return match;
  const names = sessionCommands.map((one) => `/${one.name}`);
  throw new UsageError(`there is no command /${name}${guess(`/${name}`, names)}`, {
    hint: '/help lists the commands; to send a text that begins with /, begin it with //',
  });
}

/** What a text that begins with a slash can become. */
async function completions(session: Session, before: string): Promise<Completion[]> {
  const [command = '', name, argument] = /^\/(\S+)\s+([^]*)$/.exec(before) ?? [];
  if (argument === undefined) {
    const names = before.startsWith('/') ? sessionCommands.map((one) => `/${one.name}`) : [];
    return names.filter((one) => one.startsWith(before)).map(completion);
  }
  const match = sessionCommands.find((one) => one.name === name);
  const values = ((await match?.complete?.(session, argument)) ?? []).map(completion);
  const start = command.slice(0, command.length - argument.length);
  const fits = ({ text }: Completion) => folded(text).startsWith(folded(argument));
  return values.filter(fits).map((one) => ({ ...one, text: start + one.text }));
}

const completion = (one: string | Completion) => (typeof one === 'string' ? { text: one } : one);
