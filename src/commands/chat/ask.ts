/** Turns the command line, piped text and files into a question; refuses what makes no sense. */
import { basename, extname } from 'node:path';
import { lacking, type Part, type ChatCall, toolName } from '../../api/chat/question.js';
import type { Context, Stdin } from '../../cli/context.js';
import type { InputOf } from '../../cli/declaration.js';
import { KeptConversation } from '../../contract/chat.js';
import { toolChoices, type ChatFormat } from '../../contract/enums.js';
import { explain } from '../../contract/explain.js';
import { UsageError } from '../../errors.js';
import { jsonOf, readJsonFile, readBytes, mostBytes, tooLarge } from '../../files/named-file.js';
import { isRecord, listOf } from '../../lib/json.js';
import { imageTypeOf, textIn } from '../../lib/file-kind.js';
import { kebabCase } from '../../lib/names.js';
import { joinText } from '../join-text.js';
import type { chat } from './index.js';

export type ChatInput = InputOf<typeof chat>;

/** @throws UsageError before anything is sent, in one sentence. */
export async function questionFrom(
  context: Context,
  { args, options }: ChatInput,
  format: ChatFormat,
): Promise<ChatCall> {
  if (options.output === '') {
    throw new UsageError('--output needs the name of a file', { code: 'usage' });
  }
  assertFormatHas(options, format);
  const tools = await toolsIn(options.tools);
  assertKnownTool(options.toolChoice, tools);
  const schema = await schemaIn(options.schema);
  const said = await conversationIn(context, options.messages, format);
  const system = options.system ?? said.system;
  if (options.system !== undefined && said.system !== undefined) {
    throw new UsageError('--messages has a system prompt already; leave out --system', {
      code: 'usage',
    });
  }
  return {
    model: await modelFor(context, options.model),
    system,
    messages: said.messages,
    stream: options.stream,
    maxTokens: options.maxTokens,
    temperature: options.temperature,
    topP: options.topP,
    reasoningEffort: options.reasoningEffort,
    reasoningSummary: options.reasoningSummary,
    thinking: options.thinking,
    thinkingBudgetTokens: options.thinkingBudget,
    tools,
    toolChoice: options.toolChoice,
    jsonObject: options.jsonObject,
    schema,
    parts: await partsFrom(context, args.prompt, options, said.messages?.length),
  };
}

/** The options that stand for fields of a question that not every format has. */
const optionOf: Partial<Record<keyof ChatCall, keyof ChatInput['options']>> = {
  reasoningEffort: 'reasoningEffort',
  reasoningSummary: 'reasoningSummary',
  thinking: 'thinking',
  thinkingBudgetTokens: 'thinkingBudget',
  jsonObject: 'jsonObject',
  schema: 'schema',
};

function assertFormatHas(options: ChatInput['options'], format: ChatFormat): void {
  for (const field of lacking[format]) {
    const option = optionOf[field];
    if (option === undefined || options[option] === undefined) continue;
    const formats = Object.entries(lacking)
      .filter(([, fields]) => !fields.includes(field))
      .map(([name]) => `--format ${name}`);
    throw new UsageError(`--format ${format} has no --${kebabCase(option)}`, {
      code: 'usage',
      hint: `use ${formats.join(' or ')}`,
    });
  }
}

async function modelFor(context: Context, given: string | undefined): Promise<string> {
  // The embedded service has models of its own; a profile's model is another service's.
  const model = given ?? (context.flags.local ? 'local/guide' : context.settings().model);
  if (model?.trim()) return model.trim();
  // Who has no service to ask yet needs that first, and is told so.
  await context.client();
  throw new UsageError('no model is named', {
    code: 'no_model',
    hint: 'give -m MODEL (`svc models list` shows them) or run `svc config set model MODEL`',
  });
}

/** Piped text first, then what is attached, then the prompt. */
async function partsFrom(
  context: Context,
  words: readonly string[],
  { attach, messages }: ChatInput['options'],
  saidBefore = 0,
): Promise<Part[]> {
  const stdinUses = attach.filter((source) => source === '-').length;
  if (stdinUses > 1) throw new UsageError('-a - can be given once', { code: 'usage' });
  const attached: Part[] = [];
  let length = 0;
  for (const source of attach) {
    const part = await attachmentPart(source, context.stdin);
    attached.push(part);
    length += (part.type === 'text' ? part.text : part.url).length;
    // An image becomes a third longer on its way.
    if (length > mostBytes) throw tooLarge('what is attached', length);
  }
  const isRead = stdinUses > 0 || messages === '-';
  const piped = isRead || context.stdin.isTerminal ? '' : await context.stdin.text();
  const prompt = words.join(' ');
  if (piped.trim() === '' && prompt.trim() === '' && attached.length === 0) {
    // A conversation may be all there is to answer.
    if (saidBefore > 0) return [];
    throw new UsageError('the prompt is empty', {
      code: 'empty_prompt',
      hint: 'svc chat "your question", or pipe text into it',
    });
  }
  if (attached.length === 0) return [{ type: 'text', text: joinText(piped, prompt) }];
  return [...textPart(piped), ...attached, ...textPart(prompt)];
}

function textPart(text: string): Part[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** A conversation in a file: its messages alone, or with the system prompt, as a request has them. */
async function conversationIn(
  { stdin }: Context,
  path: string | undefined,
  format: ChatFormat,
): Promise<Pick<ChatCall, 'system' | 'messages'>> {
  if (path === undefined) return {};
  const flag = '--messages';
  const value =
    path === '-' ? jsonOf(await stdin.text(), 'stdin', flag) : await readJsonFile(path, flag);
  const kept = isRecord(value) ? value : { messages: value };
  const messages = listOf(kept['messages']);
  // Items of the responses format that are no messages have a type and no role.
  const judged = messages.map((item) =>
    format === 'responses' && isRecord(item) && 'type' in item && !('role' in item)
      ? { role: 'user' }
      : item,
  );
  const whole = Array.isArray(kept['messages']) ? { ...kept, messages: judged } : kept;
  const checked = KeptConversation.safeParse(whole);
  if (checked.success) return { messages, system: checked.data.system };
  throw new UsageError(`${flag}: ${explain(checked.error, whole)}`, { code: 'invalid_messages' });
}

async function toolsIn(path: string | undefined): Promise<readonly unknown[] | undefined> {
  if (path === undefined) return undefined;
  const tools: unknown = await readJsonFile(path, '--tools');
  if (!Array.isArray(tools)) {
    throw new UsageError(`--tools: ${path} holds no JSON array of tool definitions`, {
      code: 'invalid_tools',
    });
  }
  return tools.map((tool: unknown) => tool);
}

function assertKnownTool(choice: string | undefined, tools: readonly unknown[] | undefined): void {
  if (choice === undefined || toolChoices.some((word) => word === choice)) return;
  const names = (tools ?? []).map(toolName).filter((name) => name !== undefined);
  if (names.includes(choice)) return;
  throw new UsageError(`--tool-choice: no tool is named ${choice}`, {
    code: 'usage',
    hint: `one of ${[...toolChoices, ...names].join(', ')}`,
  });
}

async function schemaIn(
  path: string | undefined,
): Promise<{ name: string; schema: unknown } | undefined> {
  if (path === undefined) return undefined;
  const schema = await readJsonFile(path, '--schema');
  if (!isRecord(schema)) {
    throw new UsageError(`--schema: ${path} holds no JSON Schema object`, {
      code: 'invalid_schema',
    });
  }
  const title = typeof schema['title'] === 'string' ? schema['title'] : 'answer';
  // The formats take letters, digits, hyphens and underscores in a schema's name.
  return { name: title.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'answer', schema };
}

/** Names that promise an image; a file that breaks the promise is refused. */
const imageExtensions = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp']);

/**
 * @param source a file, an http(s) or data URL of an image, or `-` for stdin.
 * @throws UsageError when it is missing, or neither an image nor text; LocalFileError.
 */
async function attachmentPart(source: string, stdin: Stdin): Promise<Part> {
  if (/^(https?:\/\/|data:image\/)/i.test(source)) return { type: 'image', url: source };
  if (source === '') throw new UsageError('--attach needs a file, a URL or -', { code: 'usage' });
  if (source === '-') return partFrom(await stdin.bytes(), 'stdin', false);
  const bytes = await readBytes(source, '--attach');
  return partFrom(bytes, basename(source), imageExtensions.has(extname(source).toLowerCase()));
}

function partFrom(bytes: Buffer, name: string, mustBeImage: boolean): Part {
  const imageType = imageTypeOf(bytes);
  if (imageType) {
    return { type: 'image', url: `data:${imageType};base64,${bytes.toString('base64')}` };
  }
  if (mustBeImage) {
    throw new UsageError(`${name} is named like an image but is no PNG, JPEG, GIF or WebP`, {
      code: 'not_an_image',
    });
  }
  const text = textIn(bytes);
  if (text === undefined) {
    throw new UsageError(`${name} is neither an image (PNG, JPEG, GIF, WebP) nor UTF-8 text`, {
      code: 'unsupported_attachment',
    });
  }
  if (text.trim() === '') throw new UsageError(`${name} is empty`, { code: 'empty_attachment' });
  return { type: 'text', text: `${name}:\n\n${text}` };
}
