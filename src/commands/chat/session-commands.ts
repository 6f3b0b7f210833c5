/** What can be typed after a slash in `svc chat -i`; /help and TAB derive from this table. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Conversation, nameFrom } from '../../chat/conversation.js';
import { countTokens } from '../../chat/request.js';
import { prepareSearch } from '../../chat/search.js';
import type { Context } from '../../context.js';
import { type ErrorCode, SvcError, UsageError } from '../../errors.js';
import { readText } from '../../files/named-file.js';
import { assertModel } from '../../jobs/known-model.js';
import { formatRub } from '../../lib/amounts.js';
import { FirstCodeBlock } from '../../lib/code-block.js';
import type { Completion } from '../../terminal/line-editor.js';
import { editorFrom, runEditor, runShell } from '../../terminal/viewer.js';
import { textsIn } from '../../texts/load.js';
import type { SlashCommand } from '../../texts/session.js';
import { lookUp } from '../completion/live.js';
import { fillPrices } from '../logs/prices.js';
import { pick, pickModel } from '../pick.js';
import type { Session, TurnScope } from './session.js';

interface SessionCommand {
  readonly name: SlashCommand;
  /** What follows the name, as help shows it. */
  readonly argument: string;
  run(session: Session, argument: string, scope: TurnScope): void | Promise<void>;
  /** What the argument can be, given its beginning. */
  complete?(session: Session, start: string): Completions | Promise<Completions>;
}

type Completions = readonly (string | Completion)[];

export const sessionCommands: readonly SessionCommand[] = [
  { name: 'model', argument: '[ID]', run: changeModel, complete: known('model') },
  { name: 'system', argument: '[TEXT]', run: changeSystem },
  { name: 'attach', argument: 'FILE|URL', run: attach, complete: files },
  { name: 'search', argument: 'QUERY', run: search },
  { name: 'retry', argument: '', run: retry },
  { name: 'edit', argument: '', run: edit },
  { name: 'undo', argument: '', run: undo },
  { name: 'copy', argument: '[code]', run: copy, complete: () => ['code'] },
  { name: 'save', argument: 'NAME', run: save },
  { name: 'load', argument: 'NAME|ID', run: load, complete: known('conversation') },
  { name: 'cost', argument: '', run: showCost },
  { name: 'tokens', argument: '', run: showTokens },
  { name: 'help', argument: '', run: help },
  { name: 'exit', argument: '', run: (session) => session.leave() },
];

const logOf = async ({ context }: Session) =>
  new (await import('../../state/log.js')).Log(context.paths);

const lineOf = ({ flags }: Context) => ({
  globals: { ...flags },
  operands: [],
  path: ['chat'],
});

/** What completion offers after `svc chat` too. */
function known(kind: 'model' | 'conversation'): SessionCommand['complete'] {
  return async ({ context }) => {
    const found = await lookUp(context, kind, lineOf(context), '');
    return found.map(({ name, summary = '' }) => ({ text: name, row: `${name}  ${summary}` }));
  };
}

const refusal = (message: string, code: ErrorCode = 'usage', hint?: string) =>
  new UsageError(message, { code, hint });

async function changeModel(session: Session, typed: string, { client, context }: TurnScope) {
  const { done } = await session.texts();
  const choose = () => session.editor.without(() => pickModel(context, client, 'chat'));
  const id = typed === '' ? await choose() : typed;
  if (typed === '' && id !== undefined) session.change({ model: id });
  else if (id !== undefined) {
    const isKnown = await assertModel(context, client, id).catch((error: unknown) => {
      if (error instanceof UsageError || !(error instanceof SvcError)) throw error;
      return false;
    });
    if (!isKnown) session.say(done.notChecked(id));
    session.change({ model: id });
  }
  session.say(done.model(await session.model()));
}

async function changeSystem(session: Session, text: string) {
  // An empty one is not sent.
  if (text !== '') session.change({ system: text === 'clear' ? '' : text });
  const system = session.options.system ?? session.conversation.last?.system ?? '';
  session.say((await session.texts()).done.system(system));
}

async function attach(session: Session, source: string) {
  const isUrl = /^(https?:|data:)/i.test(source);
  if (!isUrl && !existsSync(source)) throw refusal(`there is no file "${source}"`, 'no_such_file');
  session.change({ attach: [...session.options.attach, source] });
  session.say((await session.texts()).done.attached(session.options.attach));
}

function files(_: Session, start: string) {
  const folder = start.slice(0, start.lastIndexOf('/') + 1);
  const entries = readdirSync(folder || '.', { withFileTypes: true });
  return entries.map((one) => `${folder}${one.name}${one.isDirectory() ? '/' : ''}`);
}

async function search(session: Session, query: string) {
  if (query === '') throw refusal('/search needs a query');
  session.searches.set(query, prepareSearch(query));
  session.change({ search: query });
  session.say((await session.texts()).done.willSearch(query));
}

async function save(session: Session, words: string) {
  const { context, conversation, options } = session;
  const name = nameFrom(words, '/save');
  if (conversation.last && conversation.id === undefined)
    throw refusal('the conversation is not logged, so it cannot be named');
  const open = () => Conversation.open(context, { conversation: name, log: options.log });
  const fresh = await open();
  if (fresh.id !== undefined) throw refusal(`the name ${name} is taken`, 'name_taken');
  if (conversation.id !== undefined) (await logOf(session)).rename(conversation.id, name);
  session.conversation = conversation.id === undefined ? fresh : await open();
  session.say((await session.texts()).done.named(name));
}

async function load(session: Session, typed: string) {
  const { context, options } = session;
  const choose = () => session.editor.without(() => pick(context, 'conversation', lineOf(context)));
  const name = typed === '' ? await choose() : typed;
  if (name === undefined) throw refusal('/load needs a name or an id');
  const match = await Conversation.open(context, { conversation: name, log: options.log });
  if (!match.last) throw refusal(`there is no conversation "${name}"`, 'no_conversation');
  session.continue(match);
  session.say(await session.title());
  await session.showLast();
}

async function retry(session: Session, _: string, scope: TurnScope) {
  const question = await session.lastQuestion();
  if (question.text === '') throw refusal('there is no question to ask again');
  await session.askAgain(scope, question);
}

async function edit(session: Session, _: string, scope: TurnScope) {
  const { editor } = session;
  const { env, signal } = scope.context;
  const question = await session.lastQuestion();
  const program = editorFrom(env);
  if (program === undefined) throw refusal('no editor is set', 'no_editor', 'set VISUAL or EDITOR');
  const changed = await withFile(question.text, async (path) => {
    const failure = await editor.without(() => runEditor({ command: program, path, env, signal }));
    if (failure !== undefined) throw refusal(`the editor ${failure}`, 'editor_failed');
    return readText(path, '/edit');
  });
  const text = changed.trimEnd();
  if (['', question.text.trimEnd()].includes(text))
    session.say((await session.texts()).done.unchanged);
  else await session.askAgain(scope, { ...question, text });
}

async function withFile<Result>(text: string, work: (path: string) => Promise<Result>) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-'));
  const path = join(folder, 'text.md');
  writeFileSync(path, text, { mode: 0o600 });
  return work(path).finally(() => rmSync(folder, { recursive: true, force: true }));
}

async function undo(session: Session) {
  if (!session.conversation.last) throw refusal('there is nothing to undo');
  await session.takeBack();
  session.say((await session.texts()).done.undone);
}

async function showCost(session: Session, _: string, { client, context }: TurnScope) {
  const { conversation, say } = session;
  const log = await logOf(session);
  const ofConversation = { conversation: conversation.id ?? 0 };
  await fillPrices(context, log, ofConversation);
  const { priceRub, unknownPrices } = log.totals(ofConversation);
  const balanceRub = await session.lookUpPrices(client);
  const { language } = context.out;
  const texts = await textsIn(language);
  const { costs } = texts.session;
  const ofSession = await session.costWords();
  const parts = [`${costs.session} ${ofSession ?? formatRub(0, language)}`];
  // Without a log, only the session is known.
  if (conversation.id !== undefined || ofSession === undefined)
    parts.push(`${costs.conversation} ${await session.spentWords(priceRub, unknownPrices === 0)}`);
  if (balanceRub !== undefined) parts.push(texts.cost.balance(formatRub(balanceRub, language)));
  say(parts.join(' · '));
}

async function showTokens(session: Session, _: string, { client }: TurnScope) {
  const { conversation, options } = session;
  const { last } = conversation;
  const { system = last?.system, toolDefinitions: tools = last?.tools } = options;
  const messages = await conversation.messages('messages');
  if (messages.length === 0) throw refusal('the conversation is empty');
  const question = { model: await session.model(), system, messages, parts: [], stream: false };
  const { inputTokens } = await countTokens(client, question);
  session.say((await session.texts()).done.tokens(inputTokens ?? '?', Boolean(tools)));
}

async function copy(session: Session, what: string, { context }: TurnScope) {
  const { env, out, signal } = context;
  const { answer } = await session.lastTexts();
  const block = new FirstCodeBlock();
  const text = what === 'code' ? block.push(answer) + block.end() : answer;
  if (text === '')
    throw refusal(`there is no ${what === 'code' ? 'code block' : 'answer'} to copy`);
  out.copy(text);
  const line = '{ pbcopy || wl-copy || xclip -selection clipboard; } <"$1"';
  const stdio = 'ignore';
  await withFile(text, (path) => runShell({ command: line, args: [path], env, signal, stdio }));
  session.say((await session.texts()).done.copied[what === 'code' ? 'code' : 'answer']);
}

async function help(session: Session) {
  const { commands, note } = await session.texts();
  const rows = sessionCommands.map(({ name, argument }) => [
    `/${name} ${argument}`,
    commands[name],
  ]);
  await session.context.out.fields(rows);
  session.say(`\n${note}`);
}
