/** A request to a model in each of the three wire formats. */
import type * as z from 'zod/mini';
import * as rows from '../../contract/chat.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import * as enums from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { isRecord, recordOf, textOf, toJson, withAllDigits } from '../../lib/json.js';

export type Part =
  | { type: 'text'; text: string }
  /** `path` is the file that it was read from. */
  | { type: 'image'; url: string; path?: string };

/** What came of a tool call. */
export interface ToolResultPart {
  readonly type: 'tool_result';
  /** That of the call. */
  readonly id: string;
  readonly text: string;
  readonly isError?: boolean | undefined;
}

export interface ChatCall {
  model: string;
  system?: z.input<typeof rows.System>;
  /** Earlier messages in the wire format; they are sent unchanged. */
  messages?: readonly unknown[];
  /** Of the tools that the last answer called; they follow what was said before. */
  results?: readonly ToolResultPart[];
  parts: readonly Part[];
  stream: boolean;
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  reasoningEffort?: (typeof enums.reasoningEfforts)[number];
  reasoningSummary?: (typeof enums.reasoningSummaries)[number];
  thinking?: (typeof enums.thinkingTypes)[number];
  thinkingBudget?: number;
  tools?: readonly unknown[];
  /** The names or paths of the tools that svc runs; they are not sent. */
  tool?: readonly string[];
  toolChoice?: string;
  jsonObject?: boolean;
  schema?: { name: string; schema: unknown };
}

/** Options that a format does not support: svc refuses them instead of ignoring them. */
export const unsupportedOptions = {
  chat: ['reasoningSummary', 'thinking', 'thinkingBudget'],
  messages: ['reasoningEffort', 'reasoningSummary', 'jsonObject', 'schema'],
  responses: ['thinking', 'thinkingBudget'],
} as const satisfies Readonly<Record<enums.ChatFormat, readonly (keyof ChatCall)[]>>;

/** Section 2.3. Some services stream unless `stream` is false, so it is always sent. */
export function chatBody(
  question: ChatCall,
  asksUsage = true,
): EndpointInput<typeof rows.createChatCompletion>['body'] {
  return {
    model: question.model,
    messages: [...systemMessage(question), ...turns(question, 'chat')],
    stream: question.stream,
    ...(question.stream && asksUsage ? { stream_options: { include_usage: true } } : {}),
    max_tokens: question.maxTokens,
    temperature: question.temperature,
    top_p: question.topP,
    reasoning_effort: question.reasoningEffort,
    tools: toolsFor('chat', question.tools),
    tool_choice: toolChoiceFor('chat', question.toolChoice),
    response_format: shapeOf(question, (schema) => ({ json_schema: schema })),
  };
}

/** Section 2.4. max_tokens is required and must exceed the thinking budget. */
export function messagesBody(question: ChatCall): EndpointInput<typeof rows.createMessage>['body'] {
  const { thinkingBudget: budget } = question;
  const thinking = question.thinking ?? (budget === undefined ? undefined : 'enabled');
  return {
    model: question.model,
    max_tokens: question.maxTokens ?? limits.messagesMaxTokens + (budget ?? 0),
    messages: turns(question, 'messages'),
    system: question.system,
    stream: question.stream,
    temperature: question.temperature,
    top_p: question.topP,
    thinking: thinking && { type: thinking, budget_tokens: budget },
    tools: toolsFor('messages', question.tools),
    tool_choice: toolChoiceFor('messages', question.toolChoice),
  };
}

/** Section 2.5; further names are those of the public format. */
export function responsesBody(
  question: ChatCall,
): EndpointInput<typeof rows.createResponse>['body'] {
  const { reasoningEffort: effort, reasoningSummary: summary } = question;
  const format = shapeOf(question, (schema) => schema);
  return {
    model: question.model,
    input: [
      ...systemMessage(question),
      ...(question.messages ?? []),
      ...turns({ parts: question.parts }, 'responses'),
    ],
    stream: question.stream,
    max_output_tokens: question.maxTokens,
    temperature: question.temperature,
    top_p: question.topP,
    reasoning: effort || summary ? { effort, summary } : undefined,
    tools: toolsFor('responses', question.tools),
    tool_choice: toolChoiceFor('responses', question.toolChoice),
    text: format && { format },
  };
}

/** A request for an estimate; in section 2.4 its system prompt is a text. */
export function countBody(question: ChatCall) {
  // An item that is not a message counts as text.
  const items = question.messages?.map((item) =>
    'role' in recordOf(item) ? item : { role: 'user', content: toJson(item) },
  );
  const { model, messages, system } = messagesBody({ ...question, messages: items });
  const texts = typeof system === 'string' ? [system] : system?.map(({ text }) => textOf(text));
  const tools = toolsFor('messages', question.tools);
  return { model, messages, system: texts?.join('\n'), tools };
}

function shapeOf({ jsonObject, schema }: ChatCall, place: (strict: object) => object) {
  if (schema) return { type: 'json_schema', ...place({ ...schema, strict: true }) };
  return jsonObject ? { type: 'json_object' } : undefined;
}

function systemMessage({ system }: ChatCall) {
  return system === undefined ? [] : [{ role: 'system' as const, content: system }];
}

function turns(
  { messages = [], parts }: Pick<ChatCall, 'messages' | 'parts'>,
  format: enums.ChatFormat,
): z.output<typeof rows.Conversation> {
  const earlier = withAllDigits(rows.Conversation.parse(messages), messages);
  return parts.length > 0 ? [...earlier, userMessage(format, parts)] : earlier;
}

export function userMessage(format: enums.ChatFormat, parts: readonly Part[]) {
  const [only, ...others] = parts;
  const isText = only?.type === 'text' && others.length === 0;
  const content = isText ? only.text : parts.map((part) => blockOf(part, format));
  return { role: 'user' as const, content };
}

function blockOf(part: Part, format: enums.ChatFormat) {
  if (part.type === 'text') {
    return format === 'responses' ? { type: 'input_text', text: part.text } : part;
  }
  const { url } = part;
  if (format === 'chat') return { type: 'image_url', image_url: { url } };
  if (format === 'responses') return { type: 'input_image', image_url: url };
  const [, type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  const source = type ? { type: 'base64', media_type: type, data } : { type: 'url', url };
  return { type: 'image', source };
}

/** Converts definitions to the format; those of no known format are sent unchanged. */
export function toolsFor(
  format: enums.ChatFormat,
  tools: readonly unknown[] | undefined,
): unknown[] | undefined {
  return tools?.map((definition) => {
    const tool = toolFrom(definition);
    if (!tool || tool.form === format) return definition;
    const { name, description, strict } = tool;
    const schema = recordOf(tool.parameters ?? { type: 'object', properties: {} });
    // That format has no `strict`.
    if (format === 'messages') return { name, description, input_schema: schema };
    const fn = { name, description, parameters: schema, strict };
    return { type: 'function', ...(format === 'chat' ? { function: fn } : fn) };
  });
}

export const toolName = (definition: unknown): string | undefined => toolFrom(definition)?.name;

export function toolChoiceFor(format: enums.ChatFormat, choice: string | undefined): unknown {
  if (choice === undefined || format === 'chat') return choice;
  const isWord = enums.toolChoices.some((word) => word === choice);
  if (format === 'responses') return isWord ? choice : { type: 'function', name: choice };
  if (!isWord) return { type: 'tool', name: choice };
  return { type: choice === 'required' ? 'any' : choice };
}

/** A function's definition and its format; undefined for a tool of the service. */
function toolFrom(definition: unknown) {
  const { type, function: inner, input_schema: ownSchema } = recordOf(definition);
  const fn = isRecord(inner) ? inner : recordOf(definition);
  const { name, description, parameters, input_schema: inputSchema, strict } = fn;
  // In the messages format a function has the type custom.
  const isFunction = (type ?? 'function') === 'function';
  if (typeof name !== 'string' || !(isFunction || (type === 'custom' && inputSchema))) {
    return undefined;
  }
  let form: enums.ChatFormat | undefined;
  if (isRecord(ownSchema)) form = 'messages';
  else if (type === 'function') form = isRecord(inner) ? 'chat' : 'responses';
  return { form, name, description, parameters: parameters ?? inputSchema, strict };
}
