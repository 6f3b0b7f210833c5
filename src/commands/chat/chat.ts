import { basename, extname } from 'node:path';
import { withUnnamed } from '../../api/beyond-spec.js';
import { call, request } from '../../api/call.js';
import * as wire from '../../api/chat/question.js';
import { readAnswer, warmUp } from '../../api/chat/read.js';
import type { Client } from '../../api/client.js';
import { costOf } from '../../api/cost.js';
import { idsIn } from '../../api/prepare.js';
import { refusesField } from '../../api/refusal.js';
import type { Context, Stdin } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import * as rows from '../../contract/chat.js';
import { toolChoices, type ChatFormat } from '../../contract/enums.js';
import { explain } from '../../contract/explain.js';
import { UsageError } from '../../errors.js';
import { jsonOf, mostBytes, readBytes, readJsonFile, tooLarge } from '../../files/named-file.js';
import type { HttpResponse } from '../../http/types.js';
import { mayCost } from '../../jobs/cost.js';
import { imageTypeOf, textIn } from '../../lib/file-kind.js';
import { isRecord, listOf, numberOf, recordOf } from '../../lib/json.js';
import { kebabCase } from '../../lib/names.js';
import { joinText } from '../join-text.js';
import { modelFor } from '../known-model.js';
import type { chat } from './index.js';
import { openShow, type End } from './show.js';

type ChatInput = InputOf<typeof chat>;
type Options = ChatInput['options'];

export const run: Handler<typeof chat> = async (context, input) => {
  const format = input.options.format ?? 'chat';
  const asks = await questionFrom(context, input, format);
  const { search: query } = input.options;
  const lookUp =
    query === undefined ? undefined : (await import('./search.js')).prepareSearch(query);
  const client = await context.client();
  if (input.options.countTokens) return showTokenCount(context, client, asks);
  const show = await openShow(context, input);
  const work = async (paying: Client) => {
    let end: End = { cost: {}, ids: {} };
    try {
      show.wait(asks.model).catch(() => undefined);
      const found = await lookUp?.(context, paying);
      end = { cost: { searchRub: found?.costRub }, ids: {}, found };
      const question = found ? { ...asks, parts: found.before(asks.parts) } : asks;
      const asked = ask(paying, format, question);
      // While the request is on its way, svc loads what the answer needs.
      warmUp(format);
      const [response] = await Promise.all([asked, show.ready()]);
      const ids = idsIn(response.headers, client.brand);
      const reading = readAnswer(response, format, show.take, show.pace).then(show.flush);
      await reading.catch(() => undefined);
      const cost = show.wantsCost ? await costOf(client, [ids['generation-id']]) : {};
      end = { cost: { ...cost, ...end.cost }, ids, found };
      await reading;
    } catch (error) {
      await show.fail(end, error);
      const { withSimilarName } = await import('../known-model.js');
      throw await withSimilarName(context, client, asks.model, error);
    }
    await show.finish(end);
  };
  await mayCost(context, client, work, show.interrupted);
};

function ask(client: Client, format: ChatFormat, question: wire.ChatCall): Promise<HttpResponse> {
  const [messages, responses] = [rows.createMessage, rows.createResponse];
  if (format === 'messages')
    return request(client, messages, { body: wire.messagesBody(question) });
  if (format === 'responses')
    return request(client, responses, { body: wire.responsesBody(question) });
  const send = (asksUsage: boolean) => {
    const body = wire.chatBody(question, asksUsage);
    return request(client, rows.createChatCompletion, { body }).catch((error: unknown) => {
      const { toolChoice: name } = question;
      const isName = name !== undefined && !toolChoices.some((word) => word === name);
      if (!isName || !refusesField(error, /\btool_choice\b/)) throw error;
      // Section 2.3 takes the name of a tool as a string, the public format as an object.
      const choice = { type: 'function', function: { name } };
      return request(client, rows.createChatCompletion, { body: { ...body, tool_choice: choice } });
    });
  };
  return question.stream ? withUnnamed(client, /\bstream_options\b/, send) : send(false);
}

/** Estimates in the messages format, whatever the format of the request. */
async function showTokenCount(
  { out, flags }: Context,
  client: Client,
  question: wire.ChatCall,
): Promise<void> {
  const body = wire.countBody(question);
  const { data } = await call(client, rows.countTokens, { body }).catch((error: unknown) => {
    if (body.tools === undefined || !refusesField(error, /\btools\b/)) throw error;
    // Section 2.4 counts characters, so tools count as text.
    const { system = '', tools, ...others } = body;
    const text = `${system}\n${JSON.stringify(tools)}`;
    return call(client, rows.countTokens, { body: { ...others, system: text } });
  });
  const inputTokens = numberOf(recordOf(data)['input_tokens']);
  // Section 4.10 does not show the reply: an unknown one is printed unchanged.
  if (flags.json || inputTokens === undefined) await out.json(data);
  else await out.line(String(inputTokens));
}

function wrong(message: string, code = 'usage', hint?: string): UsageError {
  return new UsageError(message, { code, hint });
}

async function questionFrom(
  context: Context,
  { args, options }: ChatInput,
  format: ChatFormat,
): Promise<wire.ChatCall> {
  if (options.output === '') throw wrong('--output needs a file name');
  assertFormatHas(options, format);
  const tools = await toolsIn(options);
  const schema = await schemaIn(options.schema);
  const said = await conversationIn(context, options.messages, format);
  if (options.system !== undefined && said.system !== undefined) {
    throw wrong('--messages already has a system prompt; omit --system');
  }
  return {
    ...options,
    model: await modelFor(context, options.model?.trim(), 'chat'),
    system: options.system ?? said.system,
    messages: said.messages,
    tools,
    schema,
    parts: await partsFrom(context, args.prompt, options, said.messages?.length),
  };
}

function assertFormatHas(options: Options, format: ChatFormat): void {
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
  words: readonly string[],
  { attach, messages }: Options,
  saidBefore = 0,
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
    if (length > mostBytes) throw tooLarge('the attached data', length);
  }
  const isRead = stdinUses > 0 || messages === '-';
  const piped = isRead || context.stdin.isTerminal ? '' : await context.stdin.text();
  const prompt = words.join(' ');
  if (attached.length > 0) return [...textPart(piped), ...attached, ...textPart(prompt)];
  if (piped.trim() !== '' || prompt.trim() !== '') {
    return [{ type: 'text', text: joinText(piped, prompt) }];
  }
  // A conversation needs no prompt.
  if (saidBefore > 0) return [];
  const hint = 'svc chat "your question", or pipe text into it';
  throw wrong('the prompt is empty', 'empty_prompt', hint);
}

function textPart(text: string): wire.Part[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** Reads a conversation: its messages, or an object with messages and system. */
async function conversationIn(
  { stdin }: Context,
  path: string | undefined,
  format: ChatFormat,
): Promise<Pick<wire.ChatCall, 'system' | 'messages'>> {
  if (path === undefined) return {};
  const flag = '--messages';
  const value =
    path === '-' ? jsonOf(await stdin.text(), 'stdin', flag) : await readJsonFile(path, flag);
  const kept = isRecord(value) ? value : { messages: value };
  const messages = listOf(kept['messages']);
  // In the responses format, items that are not messages have a type and no role.
  const isItem = (item: unknown) => isRecord(item) && 'type' in item && !('role' in item);
  const judged = messages.map((item) =>
    format === 'responses' && isItem(item) ? { role: 'user' } : item,
  );
  const whole = Array.isArray(kept['messages']) ? { ...kept, messages: judged } : kept;
  const checked = rows.KeptConversation.safeParse(whole);
  if (checked.success) return { messages, system: checked.data.system };
  throw wrong(`${flag}: ${explain(checked.error, whole)}`, 'invalid_messages');
}

async function toolsIn({ tools: path, toolChoice }: Options): Promise<unknown[] | undefined> {
  if (path === undefined) return undefined;
  const tools: unknown = await readJsonFile(path, '--tools');
  if (!Array.isArray(tools)) {
    throw wrong(`--tools: ${path} is not a JSON array of tool definitions`, 'invalid_tools');
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

async function schemaIn(path: string | undefined): Promise<wire.ChatCall['schema']> {
  if (path === undefined) return undefined;
  const schema = await readJsonFile(path, '--schema');
  if (!isRecord(schema)) {
    throw wrong(`--schema: ${path} is not a JSON Schema object`, 'invalid_schema');
  }
  const title = typeof schema['title'] === 'string' ? schema['title'] : 'answer';
  // The name of a schema consists of letters, digits, hyphens and underscores.
  return { name: title.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'answer', schema };
}

const imageExtensions = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp']);

async function attachmentPart(source: string, stdin: Stdin): Promise<wire.Part> {
  if (/^(https?:\/\/|data:image\/)/i.test(source)) return { type: 'image', url: source };
  if (source === '') throw wrong('--attach needs a file, a URL or -');
  const isFile = source !== '-';
  const bytes = isFile ? await readBytes(source, '--attach') : await stdin.bytes();
  const name = isFile ? basename(source) : 'stdin';
  const imageType = imageTypeOf(bytes);
  if (imageType) {
    return { type: 'image', url: `data:${imageType};base64,${bytes.toString('base64')}` };
  }
  if (isFile && imageExtensions.has(extname(source).toLowerCase())) {
    const words = `${name} is named like an image but is not a PNG, JPEG, GIF or WebP file`;
    throw wrong(words, 'not_an_image');
  }
  const text = textIn(bytes);
  if (text === undefined) {
    const words = `${name} is neither an image (PNG, JPEG, GIF, WebP) nor UTF-8 text`;
    throw wrong(words, 'unsupported_attachment');
  }
  if (text.trim() === '') throw wrong(`${name} is empty`, 'empty_attachment');
  return { type: 'text', text: `${name}:\n\n${text}` };
}
