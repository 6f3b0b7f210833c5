/** What can be typed after a slash in `svc chat -i`; /help and TAB derive from this table. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { costOf } from '../../api/cost.js';
import { SvcError, UsageError } from '../../errors.js';
import { readText } from '../../files/named-file.js';
import { formatRub } from '../../lib/amounts.js';
import { FirstCodeBlock } from '../../lib/code-block.js';
import { nameCache } from '../../state/small-files.js';
import { editorFrom, runEditor, runShell } from '../../terminal/viewer.js';
import { assertModel } from '../../jobs/known-model.js';
import { tokenCount } from './chat.js';
import { fillPrices } from '../logs/prices.js';
import { assertName, openConversation } from './conversation.js';
import { accountFor } from '../../state/account.js';
import { prepareSearch } from './search.js';
import type { Session } from './session.js';

type Run = (session: Session, argument: string) => void | Promise<void>;
/** What the argument can be, given its beginning. */
type Complete = (session: Session, start: string) => Strings | Promise<Strings>;
type Strings = readonly string[];

function command(
  name: string,
  argument: string,
  summary: string,
  run: Run,
  complete: Complete = () => [],
) {
  return { name, argument, summary, run, complete };
}

export const sessionCommands = [
  command('model', '[ID]', 'show or change the model', changeModel, modelNames),
  command('system', '[TEXT|clear]', 'show, change or remove the system prompt', changeSystem),
  command('attach', 'FILE|URL', 'attach an image or text to the next question', attach, files),
  command('search', 'QUERY', 'search the web before the next question', search),
  command('save', 'NAME', 'name the conversation', save),
  command('load', 'NAME|ID', 'continue another conversation', load, conversationNames),
  command('retry', '', 'ask the last question again, perhaps after /model', retry),
  command('edit', '', 'edit the question, or the last one, in your editor', edit),
  command('undo', '', 'take back the last question and its answer', undo),
  command('cost', '', 'show what was spent, and the balance', showCost),
  command('tokens', '', 'estimate the tokens of the conversation; free', showTokens),
  command('copy', '[code]', 'copy the last answer, or its first code block', copy, () => ['code']),
  command('help', '', 'list the commands', help),
  command('exit', '', 'leave; Ctrl-D does too', ({ leave }) => leave.abort()),
];

const logOf = async ({ context }: Session) =>
  (await import('../../state/log.js')).openLog(context.paths);

const refused = (message: string, hint?: string) =>
  new UsageError(message, { code: 'usage', hint });

async function changeModel(session: Session, id: string) {
  if (id !== '') {
    const { client, context } = session;
    const isKnown = await assertModel(context, client, id).catch((error: unknown) => {
      if (error instanceof UsageError || !(error instanceof SvcError)) throw error;
      return false;
    });
    if (!isKnown) session.say(`the models cannot be listed now: ${id} is not checked`);
    session.change({ model: id });
  }
  session.say(`model: ${await session.model()}`);
}

async function modelNames({ client, context }: Session) {
  const { flags, paths } = context;
  if (flags.local) return (await import('../../service/catalog.js')).models.map(({ id }) => id);
  return nameCache(paths, accountFor(context, client)).read()?.names ?? [];
}

function changeSystem(session: Session, text: string) {
  // An empty one is not sent.
  if (text !== '') session.change({ system: text === 'clear' ? '' : text });
  const system = session.options.system ?? session.conversation.last?.system ?? '';
  session.say(`system prompt: ${system === '' ? 'none' : JSON.stringify(system)}`);
}

function attach(session: Session, source: string) {
  const isUrl = /^(https?:|data:)/i.test(source);
  if (!isUrl && !existsSync(source)) throw refused(`there is no file "${source}"`);
  session.change({ attach: [...session.options.attach, source] });
  session.say(`with the next question: ${session.options.attach.join(', ')}`);
}

function files(_: Session, start: string) {
  const folder = start.slice(0, start.lastIndexOf('/') + 1);
  const entries = readdirSync(folder || '.', { withFileTypes: true });
  return entries.map((one) => `${folder}${one.name}${one.isDirectory() ? '/' : ''}`);
}

function search(session: Session, query: string) {
  if (query === '') throw refused('/search needs a query');
  session.searches.set(query, prepareSearch(query));
  session.change({ search: query });
  session.say(`the next answer cites a search for "${query}"`);
}

async function save(session: Session, name: string) {
  const { context, conversation, options } = session;
  assertName(name, '/save');
  if (conversation.last && conversation.id === undefined)
    throw refused('the conversation is not in the log');
  const open = () => openConversation(context, { conversation: name, log: options.log });
  const fresh = await open();
  if (fresh.id !== undefined) throw refused(`another conversation is called ${name}`);
  if (conversation.id !== undefined) (await logOf(session)).rename(conversation.id, name);
  session.conversation = conversation.id === undefined ? fresh : await open();
  session.say(`the conversation is called ${name}`);
}

async function load(session: Session, given: string) {
  const { context, options } = session;
  if (given === '') throw refused('/load needs a name or an id');
  const found = await openConversation(context, { conversation: given, log: options.log });
  if (!found.last) throw refused(`there is no conversation "${given}"`);
  session.conversation = found;
  session.asked = undefined;
  session.change({ model: undefined, system: undefined, format: undefined, tools: undefined });
  const { question, answer } = await session.lastTexts();
  session.say(`${await session.title()}\n> ${question}`);
  await context.out.line(answer);
}

async function conversationNames(session: Session) {
  return (await logOf(session)).conversations(100).map(({ id, name }) => name ?? `c${id}`);
}

async function retry(session: Session) {
  const asked = await session.lastAsked();
  if (asked.text === '') throw refused('there is no question to ask again');
  await session.askAgain(asked);
}

async function edit(session: Session) {
  const { context, editor } = session;
  const { env, signal } = context;
  const asked = await session.lastAsked();
  const program = editorFrom(env);
  if (program === undefined) throw refused('no editor is set', 'set VISUAL or EDITOR');
  const changed = await withFile(asked.text, async (path) => {
    const failure = await editor.without(() => runEditor({ command: program, path, env, signal }));
    if (failure !== undefined) throw refused(`the editor ${failure}`);
    return readText(path, '/edit');
  });
  const text = changed.trimEnd();
  if (['', asked.text.trimEnd()].includes(text)) session.say('nothing changed; not sent');
  else await session.askAgain({ ...asked, text });
}

async function withFile<Result>(text: string, work: (path: string) => Promise<Result>) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-'));
  const path = join(folder, 'text.md');
  writeFileSync(path, text, { mode: 0o600 });
  return work(path).finally(() => rmSync(folder, { recursive: true, force: true }));
}

async function undo(session: Session) {
  if (!session.conversation.last) throw refused('there is nothing to take back');
  await session.takeBack();
  session.say('the last question and its answer are taken back');
}

async function showCost(session: Session) {
  const { client, context, conversation, ends, say } = session;
  const log = await logOf(session);
  const ofConversation = { conversation: conversation.id ?? 0 };
  await fillPrices(context, log, ofConversation);
  const { priceRub, unknownPrices } = log.totals(ofConversation);
  const open = ends.flatMap(({ cost, ids }) =>
    cost.priceRub === undefined ? (ids['generation-id'] ?? []) : [],
  );
  const later = await costOf(client, open);
  const known = ends.map(({ cost }) => (cost.priceRub ?? 0) + (cost.searchRub ?? 0));
  const spentRub = known.reduce((sum, rub) => sum + rub, later.priceRub ?? 0);
  const isOpen = open.length > 0 && later.priceRub === undefined;
  const total = (rub: number, isMore: boolean) => `${isMore ? 'at least ' : ''}${formatRub(rub)}`;
  const parts = [`session ${total(spentRub, isOpen)}`];
  // Without a log, only the session is known.
  if (conversation.id !== undefined || ends.length === 0)
    parts.push(`conversation ${total(priceRub, unknownPrices > 0)}`);
  if (later.balanceRub !== undefined) parts.push(`balance ${formatRub(later.balanceRub)}`);
  say(parts.join(' · '));
}

async function showTokens(session: Session) {
  const { client, conversation, options } = session;
  const { system = conversation.last?.system, tools } = { ...conversation.last, ...options };
  const messages = await conversation.messages('messages');
  if (messages.length === 0) throw refused('the conversation is empty');
  const asked = { model: await session.model(), system, messages, parts: [], stream: false };
  const { inputTokens } = await tokenCount(client, asked);
  session.say(`about ${inputTokens ?? '?'} tokens${tools ? ', without tools' : ''}`);
}

async function copy(session: Session, what: string) {
  const { env, out, signal } = session.context;
  const { answer } = await session.lastTexts();
  const block = new FirstCodeBlock();
  const text = what === 'code' ? block.push(answer) + block.end() : answer;
  if (text === '')
    throw refused(`there is no ${what === 'code' ? 'code block' : 'answer'} to copy`);
  out.copy(text);
  const line = '{ pbcopy || wl-copy || xclip -selection clipboard; } <"$1"';
  const stdio = 'ignore';
  await withFile(text, (path) => runShell({ command: line, args: [path], env, signal, stdio }));
  session.say(`copied ${text.length} characters`);
}

async function help({ context: { out }, say }: Session) {
  await out.fields(sessionCommands.map((one) => [`/${one.name} ${one.argument}`, one.summary]));
  say(
    'A \\ at the end continues a line; """ begins and ends a longer text. Ctrl-C stops an answer.',
  );
}
