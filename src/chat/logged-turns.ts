/** The turns of a conversation as the log has them. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { KeptMessage, KeptPart } from '../api/chat/conversation.js';
import type { ChatCall } from '../api/chat/question.js';
import { KeptConversation } from '../contract/chat.js';
import { UsageError } from '../errors.js';
import { imageTypeOf } from '../lib/file-kind.js';
import { listOf, parsedJson, textOf, toJson } from '../lib/json.js';
import type { Log, Turn } from '../state/log.js';

/** What the next turn uses unless it chooses: the model, the system prompt and the tools. */
export interface TurnSettings extends Pick<ChatCall, 'model' | 'system' | 'tools' | 'tool'> {
  readonly format: Turn['format'];
}

export interface AnsweredTurn {
  /** Its id in the log; none where it is not logged. */
  readonly id?: number;
  /** What it added: its question, and its answer as the last. */
  readonly messages: readonly KeptMessage[];
  readonly settings: TurnSettings;
}

/** The turns up to this one. @throws UsageError when an image of theirs is gone */
export async function answeredTurns(log: Log, head: number | null): Promise<AnsweredTurn[]> {
  const turns: AnsweredTurn[] = [];
  for (const turn of head === null ? [] : log.thread(head)) {
    const { id, model, format } = turn;
    const messages = await Promise.all((await messagesOf(log, turn)).map(withImages));
    const request = KeptConversation.safeParse(log.content(turn.request)).data ?? {};
    const tools = Array.isArray(request.tools) ? listOf(request.tools) : undefined;
    const tool = listOf(request.tool).flatMap((name) => textOf(name) ?? []);
    turns.push({ id, messages, settings: { model, format, system: request.system, tools, tool } });
  }
  return turns;
}

/** What a turn added: its question, and its answer. */
export async function messagesOf(log: Log, turn: Turn): Promise<KeptMessage[]> {
  const { KeptMessage } = await import('../api/chat/conversation.js');
  const hashes = [...listOf(parsedJson(turn.asked)), turn.answered];
  return hashes.flatMap((hash) => KeptMessage.safeParse(log.content(String(hash))).data ?? []);
}

/** Without the images of files, which are read again. */
export function withoutImages(message: KeptMessage): KeptMessage {
  const parts = message.parts.map((part): KeptPart => {
    if (part.type !== 'image' || !part.url?.startsWith('data:')) return part;
    const { url, path } = part;
    if (path === undefined) return part;
    const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
    return { type: 'image', path, hash: hashOf(bytes), bytes: bytes.length };
  });
  return { ...message, parts };
}

/** Of another program's message no image is kept: no file has it. */
export function withoutData(message: KeptMessage): KeptMessage {
  const parts = message.parts.map((part) =>
    part.type === 'image' && part.url?.startsWith('data:') ? { ...part, path: '' } : part,
  );
  const { native } = message;
  const hasData = native && /;base64,|"type":"base64"|"input_audio":/.test(toJson(native.items));
  return withoutImages({ ...message, parts, native: hasData ? undefined : native });
}

/** @throws UsageError when a file of an image is gone or has changed. */
async function withImages(message: KeptMessage): Promise<KeptMessage> {
  const parts = message.parts.map(async (part): Promise<KeptPart> => {
    if (part.type !== 'image' || part.url !== undefined) return part;
    const { path = '', hash } = part;
    if (path === '') return { type: 'text', text: '[an image that was not kept]' };
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
