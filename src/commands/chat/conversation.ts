/** One conversation: what has been said, and each new turn on its way to the log. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Answer } from '../../api/chat/answer.js';
import type { KeptMessage, KeptPart } from '../../api/chat/conversation.js';
import type { ChatCall, Part, ToolResultPart } from '../../api/chat/question.js';
import type { Client } from '../../api/client.js';
import type { Context } from '../../context.js';
import type { InputOf } from '../../command.js';
import { KeptConversation } from '../../contract/chat.js';
import { UsageError } from '../../errors.js';
import { imageTypeOf } from '../../lib/file-kind.js';
import { listOf, parsedJson, textOf } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { accountFor } from '../../state/account.js';
import type { Log, NewTurn as LogTurn, Turn } from '../../state/log.js';
import type { Output } from '../../terminal/types.js';
import type { chat } from './index.js';
import type { End } from './show.js';

type Choice = Partial<Pick<InputOf<typeof chat>['options'], 'continue' | 'conversation' | 'log'>>;

interface NewTurn extends Pick<LogTurn, 'format' | 'atMs' | 'ms' | 'isComplete'> {
  readonly client: Client;
  /** The request without what was said before. */
  readonly question: ChatCall;
  /** What the user wrote; `question` may contain more, such as search results. */
  readonly asks: readonly Part[];
  readonly answer: Answer;
  readonly end: End;
  /** Whether it failed and may have been charged. */
  readonly isOpen: boolean;
}

/** A turn with an answer; `last` is what the next turn uses if it does not choose. */
interface Said {
  readonly id?: number;
  readonly messages: readonly KeptMessage[];
  readonly last: Pick<ChatCall, 'model' | 'system' | 'tools' | 'tool'> & Pick<Turn, 'format'>;
}

export type Conversation = Awaited<ReturnType<typeof openConversation>>;

/** A search finds a turn by its first words: indexing a long text would delay the exit. */
const searchedLength = 64 * 1024;

/** The fields of a question that are kept otherwise. */
const without = { model: undefined, messages: undefined, parts: undefined, results: undefined };

const loadKept = () => import('../../api/chat/conversation.js');
const loadLog = () => import('../../state/log.js');

/** Runs that have warned that they cannot log. */
const warned = new WeakSet<Output>();

/** Reads the log only to continue; to write, it is loaded when the first turn has ended. */
export async function openConversation(context: Context, choice: Choice) {
  const { out } = context;
  const isOff = context.flags.dryRun || choice.log === false || context.settings().log === 'off';
  const isGiven = choice.continue === true || choice.conversation !== undefined;
  const found = isGiven ? await find(context, choice.conversation) : undefined;
  const said: Said[] = found?.said ?? [];
  let id = found?.id;
  const name = found?.name;
  const head = () => said.findLast((turn) => turn.id !== undefined)?.id ?? null;

  /** A failure to log a turn is not a failure of the turn. */
  const write = async <Result>(work: (log: Log) => Result): Promise<Result | undefined> => {
    try {
      return isOff ? undefined : work((await loadLog()).openLog(context.paths));
    } catch (error) {
      const [why = ''] = String(error instanceof Error ? error.message : error).split('\n');
      if (!warned.has(out)) out.warn(`the conversation could not be logged: ${plainText(why)}`);
      warned.add(out);
      return undefined;
    }
  };
  return {
    isGiven,
    name,
    get id() {
      return id;
    },
    get last() {
      return said.at(-1)?.last;
    },
    /** The tool calls of the last answer: none of them has a result. */
    get openCalls() {
      const last = said.at(-1)?.messages.at(-1);
      return last?.parts.filter((part) => part.type === 'tool_call') ?? [];
    },
    /** Whether calls of tools, or their results, are waiting for an answer. */
    get isPending() {
      const last = said.at(-1)?.messages.at(-1);
      const isUnanswered = last?.parts.length === 0 && !last.native;
      return isUnanswered || this.openCalls.length > 0;
    },
    /** What keeps `openCalls` from running twice; undefined where they are not logged. */
    startedCalls: async () => {
      const turn = said.at(-1)?.id;
      if (isOff || id === undefined || turn === undefined) return undefined;
      return (await import('../../state/tool-calls.js')).startedCalls(context.paths, id, turn);
    },
    /** Loads and opens what `add` needs, which takes 15 ms. */
    ready: async (): Promise<void> => {
      if (isOff) return;
      const opening = loadLog().then(({ openLog }) => openLog(context.paths).conversation(''));
      await Promise.all([loadKept(), opening]).catch(() => undefined);
    },
    messages: async (
      format: Turn['format'],
      results?: readonly ToolResultPart[],
    ): Promise<readonly unknown[]> => {
      if (said.length === 0) return [];
      const messages = said.flatMap((turn) => turn.messages);
      if (results) messages.push({ role: 'tool', parts: [...results] });
      return (await loadKept()).wireMessages(format, messages);
    },
    /** Warns if the turn cannot be logged. A turn without an answer is logged, but not continued. */
    add: async (turn: NewTurn): Promise<End['logged']> => {
      const { client, question, asks, answer, end, isOpen, ...facts } = turn;
      const { format, isComplete } = facts;
      const { keptAnswer, keptMessages } = await loadKept();
      const asked = keptMessages(format, question);
      const { results } = question;
      // A tool must not run twice: its results are kept without an answer too.
      const nothing: KeptMessage | undefined = results && { role: 'assistant', parts: [] };
      const answered = keptAnswer(format, answer, isComplete) ?? nothing;
      const { priceRub, searchRub = 0 } = end.cost;
      const generationId = end.ids['generation-id'] ?? null;
      // A question that was refused without a usage record has cost its search.
      const answerRub = priceRub ?? (answered || isOpen || generationId !== null ? null : 0);
      const texts = asks.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      if (results) texts.push(`(results of tools: ${results.length})`);
      const logged = await write((log) =>
        log.add({
          ...facts,
          account: accountFor(context, client),
          conversation: id,
          name,
          parent: head(),
          request: { ...question, ...without },
          asked: asked.map(shelved),
          answered: answered && shelved(answered),
          question: texts.join('\n').slice(0, searchedLength),
          answer: answer.text.slice(0, searchedLength),
          model: question.model,
          generationId,
          priceRub: answerRub === null ? null : answerRub + searchRub,
          searchRub,
          inputTokens: answer.usage?.inputTokens ?? null,
          outputTokens: answer.usage?.outputTokens ?? null,
          finishReason: answer.finishReason ?? null,
        }),
      );
      id = logged?.conversation ?? id;
      if (answered) {
        const messages = [...asked, answered];
        said.push({ id: logged?.id, messages, last: { ...question, format } });
      }
      return logged && { conversation: name ?? `c${logged.conversation}`, turn: logged.id };
    },
    /** Takes the last turn back; it stays in the log. */
    undo: async (): Promise<void> => {
      // Answers to results of tools belong to the question.
      while (said.pop()?.messages[0]?.role === 'tool');
      const conversation = id;
      if (conversation === undefined) return;
      await write((log) => log.setHead(conversation, head(), context.clock.now()));
    },
  };
}

/** @throws UsageError when there is nothing to continue. */
async function find(context: Context, given: string | undefined) {
  const log = (await loadLog()).openLog(context.paths);
  const service = async () => accountFor(context, await context.client()).service;
  const known =
    given === undefined ? log.conversations(1, await service())[0] : log.conversation(given);
  if (known) {
    const { id, name, head } = known;
    return { id, name: name ?? undefined, said: await saidIn(log, head) };
  }
  if (given === undefined || /^c\d+$/.test(given)) {
    throw new UsageError(`there is no conversation ${given ?? 'to continue'}`, {
      code: 'no_conversation',
      hint: 'to start one: svc chat "your question"',
    });
  }
  assertName(given, '--conversation');
  return { id: undefined, name: given, said: [] };
}

/** @throws UsageError for what cannot be the name of a conversation */
export function assertName(name: string, what: string): void {
  if (/^(?!c?\d+$)[A-Za-z0-9][\w.-]{0,63}$/.test(name)) return;
  const rule = 'starts with a letter or digit and has at most 64 letters, digits, . _ -';
  throw new UsageError(`${what}: a name ${rule}; 12 and c12 are ids`, { code: 'usage' });
}

/** The turns up to this one. @throws UsageError when an image of theirs is gone */
export async function saidIn(log: Log, head: number | null): Promise<Said[]> {
  const said: Said[] = [];
  for (const turn of head === null ? [] : log.thread(head)) {
    const { id, model, format } = turn;
    const messages = await Promise.all((await keptIn(log, turn)).map(unshelved));
    const request = KeptConversation.safeParse(log.content(turn.request)).data ?? {};
    const { system, tools, tool } = request;
    const named = listOf(tool).flatMap((name) => textOf(name) ?? []);
    const kept = { system, tools: Array.isArray(tools) ? listOf(tools) : undefined, tool: named };
    said.push({ id, messages, last: { model, format, ...kept } });
  }
  return said;
}

/** What a turn added: its question, and its answer. */
export async function keptIn(log: Log, turn: Turn): Promise<KeptMessage[]> {
  const { KeptMessage } = await loadKept();
  const hashes = [...listOf(parsedJson(turn.asked)), turn.answered];
  return hashes.flatMap((hash) => KeptMessage.safeParse(log.content(String(hash))).data ?? []);
}

/** Without the images of files, which are read again. */
function shelved(message: KeptMessage): KeptMessage {
  const parts = message.parts.map((part): KeptPart => {
    if (part.type !== 'image' || !part.url?.startsWith('data:')) return part;
    const { url, path } = part;
    if (path === undefined) return part;
    const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
    return { type: 'image', path, hash: hashOf(bytes), bytes: bytes.length };
  });
  return { ...message, parts };
}

/** @throws UsageError when a file of an image is gone or has changed. */
async function unshelved(message: KeptMessage): Promise<KeptMessage> {
  const parts = message.parts.map(async (part): Promise<KeptPart> => {
    if (part.type !== 'image' || part.url !== undefined) return part;
    const { path = '', hash } = part;
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes && hashOf(bytes) === hash) {
      return { ...part, url: `data:${imageTypeOf(bytes)};base64,${bytes.toString('base64')}` };
    }
    throw new UsageError(`an image of this conversation is gone or has changed: ${path}`, {
      code: 'lost_attachment',
      hint: 'to attach it to a new conversation: svc chat -a FILE',
    });
  });
  return { ...message, parts: await Promise.all(parts) };
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
