/** Makes the question of a turn from its options, its files and what is piped in. */
import { basename, extname, resolve } from 'node:path';
import * as wire from '../api/chat/question.js';
import type { Context, Stdin } from '../context.js';
import * as rows from '../contract/chat.js';
import { toolChoices, type ChatFormat } from '../contract/enums.js';
import { explain } from '../contract/explain.js';
import { UsageError, type ErrorCode } from '../errors.js';
import { jsonOf, maxRequestBytes, readBytes, readJsonFile, tooLarge } from '../files/named-file.js';
import { isWebAddress } from '../lib/address.js';
import {
  fileKindOf,
  howToConvert,
  imageTypeOf,
  kindByContentType,
  textIn,
} from '../lib/file-kind.js';
import { isRecord, listOf } from '../lib/json.js';
import { kebabCase } from '../lib/names.js';
import { joinText, utf16Of } from '../lib/plain-text.js';
import { modelFor } from '../jobs/known-model.js';
import type { TurnSettings } from './logged-turns.js';
import type { ToolUse } from './tool-use.js';
import type { Turn } from './turn.js';

/** What a question takes from its options, its files and the turns before it. */
type Resolved = 'model' | 'system' | 'messages' | 'results' | 'parts' | 'tools' | 'tool' | 'schema';

/** The options of a question, named as on the command line; the rest is sent as it is given. */
export interface QuestionOptions extends Omit<wire.ChatCall, Resolved> {
  readonly model?: string;
  readonly format?: ChatFormat;
  readonly system?: string;
  /** A file with the conversation so far, or - for stdin. */
  readonly history?: string;
  /** Images and texts that stand before the prompt. */
  readonly attach: readonly string[];
  /** Files, folders and pages whose text comes first. */
  readonly file: readonly string[];
  /** A file of tool definitions, whose calls are printed. */
  readonly toolDefinitions?: string;
  readonly schema?: string;
  readonly schemaMulti?: string;
  readonly approve?: string;
  /** Whether it is typed in a session, so that stdin is not read. */
  readonly interactive?: boolean;
  readonly countTokens?: boolean;
}

export interface QuestionInput {
  /** The words of the prompt. */
  readonly words: readonly string[];
  readonly options: QuestionOptions;
  /** Puts what was typed or piped into a template's prompt. @param isAlone nothing is attached */
  readonly frame?: (typed: string, isAlone: boolean) => string;
}

/** What is known before the question. */
export interface BeforeQuestion {
  /** The settings of the last turn, which hold unless the options choose. */
  readonly last?: Partial<TurnSettings>;
  /** The tools that svc runs. */
  readonly use?: ToolUse;
  /** Whether the question may be empty, as calls of tools are waiting. */
  readonly isPending?: boolean;
}

/** @throws UsageError before anything is sent. */
export async function questionFrom(
  context: Context,
  input: QuestionInput,
  { last = {}, use, isPending = false }: BeforeQuestion = {},
): Promise<Pick<Turn, 'format' | 'question' | 'use'>> {
  const { options } = input;
  const format = options.format ?? last.format ?? 'chat';
  const { schemaMulti, schema: schemaSource = schemaMulti } = options;
  assertFormatHas({ ...options, schema: schemaSource }, format);
  const tools = await toolsFrom(options, use?.tools ?? last.tools);
  const schema =
    schemaSource === undefined
      ? undefined
      : await (
          await import('../api/chat/schema.js')
        ).namedSchema(schemaSource, schemaSource === schemaMulti);
  const stored = await conversationIn(context, options.history, format);
  if (options.system !== undefined && stored.system !== undefined) {
    throw wrong('--history already has a system prompt; omit --system');
  }
  const [word] = input.words;
  const model = await modelFor(context, options.model?.trim() ?? last.model, 'chat', word);
  const library = options.file.length > 0 ? await import('./fragments.js') : undefined;
  const before = (await library?.fragmentsFrom(context, options, model)) ?? '';
  const earlier = isPending ? 1 : (stored.messages?.length ?? 0);
  const question = {
    ...options,
    model,
    system: options.system ?? stored.system ?? last.system,
    messages: stored.messages,
    tools,
    tool: use?.names,
    schema,
    parts: await partsFrom(context, input, before, earlier),
  };
  return { format, question, use };
}

function wrong(message: string, code: ErrorCode = 'usage', hint?: string): UsageError {
  return new UsageError(message, { code, hint });
}

function assertFormatHas(options: QuestionOptions, format: ChatFormat): void {
  const lacked = wire.unsupportedOptions[format].find((field) => options[field] !== undefined);
  if (lacked === undefined) return;
  const formats = Object.entries(wire.unsupportedOptions)
    .filter(([, fields]) => !fields.some((field) => field === lacked))
    .map(([name]) => `--format ${name}`);
  const words = `--format ${format} does not support --${kebabCase(lacked)}`;
  throw wrong(words, 'usage', `use ${formats.join(' or ')}`);
}

async function partsFrom(
  context: Context,
  { words, options: { approve, attach, history, interactive }, frame }: QuestionInput,
  fragments: string,
  earlierMessages: number,
): Promise<wire.Part[]> {
  const stdinUses = attach.filter((source) => source === '-').length;
  if (stdinUses > 1) throw wrong('-a - can only be given once');
  const attached: wire.Part[] = [];
  let length = 0;
  for (const source of attach) {
    const part = await attachmentPart(source, context.stdin);
    attached.push(part);
    length += (part.type === 'text' ? part.text : part.url).length;
    // Base64 makes an image a third longer.
    if (length > maxRequestBytes) throw tooLarge('the attached data', length);
  }
  const isRead = stdinUses > 0 || history === '-';
  let { piped, prompt } = interactive
    ? { piped: '', prompt: words.join(' ') }
    : await context.stdin.forPrompt(words, {
        isTaken: isRead,
        isBeside: true,
        isOptional: attached.length > 0 || fragments !== '' || earlierMessages > 0,
      });
  if (frame) {
    prompt = frame(joinText(piped, prompt), attached.length === 0 && fragments === '');
    piped = '';
  }
  const before = joinText(fragments, piped);
  if (attached.length > 0) return [...textPart(before), ...attached, ...textPart(prompt)];
  const text = joinText(before, prompt);
  if (text.trim() !== '') return [{ type: 'text', text }];
  // A conversation needs no prompt.
  if (earlierMessages > 0) return [];
  const hint = 'svc chat "your question", or pipe text into it; svc chat -i opens a session';
  const reason = approve === undefined ? '' : 'no tool calls are waiting, and ';
  throw wrong(`${reason}the prompt is empty`, 'empty_prompt', hint);
}

function textPart(text: string): wire.Part[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** Reads a conversation: its messages, or an object with messages and system. */
async function conversationIn({ stdin }: Context, path: string | undefined, format: ChatFormat) {
  if (path === undefined) return {};
  const flag = '--history';
  const value =
    path === '-' ? jsonOf(await stdin.text(), 'stdin', flag) : await readJsonFile(path, flag);
  const stored = isRecord(value) ? value : { messages: value };
  const messages = listOf(stored['messages']);
  // In the responses format, items that are not messages have a type and no role.
  const isItem = (item: unknown) => isRecord(item) && 'type' in item && !('role' in item);
  const judged = messages.map((item) =>
    format === 'responses' && isItem(item) ? { role: 'user' } : item,
  );
  const whole = Array.isArray(stored['messages']) ? { ...stored, messages: judged } : stored;
  const checked = rows.KeptConversation.safeParse(whole);
  if (checked.success) return { messages, system: checked.data.system };
  throw wrong(`${flag}: ${explain(checked.error, whole)}`, 'invalid_messages');
}

async function toolsFrom(
  { toolDefinitions: path, toolChoice }: QuestionOptions,
  known: readonly unknown[] | undefined,
): Promise<readonly unknown[] | undefined> {
  const offered = known?.length === 0 ? undefined : known;
  const flag = '--tool-definitions';
  const tools: unknown = path === undefined ? offered : await readJsonFile(path, flag);
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) {
    throw wrong(`${flag}: ${path} is not a JSON array of tool definitions`, 'invalid_tools');
  }
  const choices = [
    ...toolChoices,
    ...tools.map(wire.toolName).filter((name) => name !== undefined),
  ];
  if (toolChoice !== undefined && !choices.includes(toolChoice)) {
    const words = `--tool-choice: there is no tool ${toolChoice}`;
    throw wrong(words, 'usage', `use one of ${choices.join(', ')}`);
  }
  return [...listOf(tools)];
}

const imageExtensions = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp']);

async function attachmentPart(source: string, stdin: Stdin): Promise<wire.Part> {
  if (isWebAddress(source)) return { type: 'image', url: source };
  const [, imageName] = /^data:(image\/[^;,]+)/i.exec(source) ?? [];
  if (imageName !== undefined) {
    // Services know image/jpg only by its registered name.
    const type = kindByContentType(imageName)?.mediaType ?? imageName;
    return { type: 'image', url: `data:${type}${source.slice('data:'.length + imageName.length)}` };
  }
  if (source === '') throw wrong('--attach needs a file, a URL or -');
  const isFile = source !== '-';
  const bytes = isFile ? await readBytes(source, '--attach') : await stdin.bytes();
  const name = isFile ? basename(source) : 'stdin';
  const imageType = imageTypeOf(bytes);
  if (imageType) {
    const url = `data:${imageType};base64,${bytes.toString('base64')}`;
    return { type: 'image', url, path: isFile ? resolve(source) : undefined };
  }
  const wide = utf16Of(bytes);
  const other = wide ? undefined : fileKindOf(bytes)?.mediaType;
  if (other !== undefined) {
    const words = `${name} is ${other}; an attachment is PNG, JPEG, GIF, WebP or UTF-8 text`;
    throw wrong(words, 'unsupported_attachment', howToConvert(other));
  }
  if (isFile && imageExtensions.has(extname(source).toLowerCase())) {
    const words = `${name} is named like an image but is not a PNG, JPEG, GIF or WebP file`;
    throw wrong(words, 'not_an_image');
  }
  const text = wide ? wide.decode(bytes) : textIn(bytes);
  if (text === undefined) {
    const words = `${name} is neither an image (PNG, JPEG, GIF, WebP) nor UTF-8 text`;
    throw wrong(words, 'unsupported_attachment');
  }
  if (text.trim() === '') throw wrong(`${name} is empty`, 'empty_attachment');
  return { type: 'text', text: `${name}:\n\n${text}` };
}
