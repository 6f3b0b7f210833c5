/** A question to a model, and its form in each of the three wire formats. */
import type * as z from 'zod/mini';
import {
  type ChatFormat,
  type reasoningEfforts,
  type reasoningSummaries,
  type thinkingTypes,
  toolChoices,
} from '../../contract/enums.js';
import {
  Conversation,
  type createChatCompletion,
  type createMessage,
  type createResponse,
  type System,
} from '../../contract/chat.js';
import * as limits from '../../contract/limits.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { recordOf, textOf, isRecord } from '../../lib/json.js';

export type Part =
  | { type: 'text'; text: string }
  /** `url` is https, http or a data URL. */
  | { type: 'image'; url: string };

export interface ChatCall {
  model: string;
  system?: z.input<typeof System>;
  /** What was said before, in the form of the wire format: it goes as it is. */
  messages?: readonly unknown[];
  /** None when what was said before is all. */
  parts: readonly Part[];
  stream: boolean;
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  reasoningEffort?: (typeof reasoningEfforts)[number];
  reasoningSummary?: (typeof reasoningSummaries)[number];
  thinking?: (typeof thinkingTypes)[number];
  thinkingBudgetTokens?: number;
  tools?: readonly unknown[];
  /** auto, none, required, or a tool's name. */
  toolChoice?: string;
  jsonObject?: boolean;
  schema?: { name: string; schema: unknown };
}

/** What a format cannot say; a question that holds it would be changed silently. */
export const lacking: Readonly<Record<ChatFormat, readonly (keyof ChatCall)[]>> = {
  chat: ['reasoningSummary', 'thinking', 'thinkingBudgetTokens'],
  messages: ['reasoningEffort', 'reasoningSummary', 'jsonObject', 'schema'],
  responses: ['thinking', 'thinkingBudgetTokens'],
};

/**
 * Section 2.3. The field stream is always sent: some services stream unless it is false.
 * @param asksUsage of a stream, to which the specification gives none.
 */
export function chatBody(
  question: ChatCall,
  asksUsage = true,
): EndpointInput<typeof createChatCompletion>['body'] {
  return {
    model: question.model,
    messages: [...systemMessage(question), ...turns(question, chatPart)],
    stream: question.stream,
    ...(question.stream && asksUsage ? { stream_options: { include_usage: true } } : {}),
    max_tokens: question.maxTokens,
    temperature: question.temperature,
    top_p: question.topP,
    reasoning_effort: question.reasoningEffort,
    tools: toolsFor('chat', question.tools),
    tool_choice: toolChoiceFor('chat', question.toolChoice),
    response_format: question.schema
      ? { type: 'json_schema', json_schema: { ...question.schema, strict: true } }
      : question.jsonObject
        ? { type: 'json_object' }
        : undefined,
  };
}

/** Section 2.4. max_tokens is required there, and must leave room beyond the thinking. */
export function messagesBody(question: ChatCall): EndpointInput<typeof createMessage>['body'] {
  const { thinkingBudgetTokens: budget } = question;
  const thinking = question.thinking ?? (budget === undefined ? undefined : 'enabled');
  return {
    model: question.model,
    max_tokens: question.maxTokens ?? limits.messagesMaxTokens + (budget ?? 0),
    messages: turns(question, messagesPart),
    system: question.system,
    stream: question.stream,
    temperature: question.temperature,
    top_p: question.topP,
    thinking: thinking && { type: thinking, budget_tokens: budget },
    tools: toolsFor('messages', question.tools),
    tool_choice: toolChoiceFor('messages', question.toolChoice),
  };
}

/** Section 2.5; names beyond its table are those of the public format. */
export function responsesBody(question: ChatCall): EndpointInput<typeof createResponse>['body'] {
  const { reasoningEffort: effort, reasoningSummary: summary } = question;
  return {
    model: question.model,
    input: [
      ...systemMessage(question),
      ...(question.messages ?? []),
      ...turns({ parts: question.parts }, responsesPart),
    ],
    stream: question.stream,
    max_output_tokens: question.maxTokens,
    temperature: question.temperature,
    top_p: question.topP,
    reasoning: effort || summary ? { effort, summary } : undefined,
    tools: toolsFor('responses', question.tools),
    tool_choice: toolChoiceFor('responses', question.toolChoice),
    text: question.schema
      ? { format: { type: 'json_schema', ...question.schema, strict: true } }
      : question.jsonObject
        ? { format: { type: 'json_object' } }
        : undefined,
  };
}

/** The estimate's request: section 2.4 has a text for its system prompt. */
export function countBody(question: ChatCall) {
  // What is no message of that format counts by its text.
  const said = question.messages?.map((item) =>
    'role' in recordOf(item) ? item : { role: 'user', content: JSON.stringify(item) },
  );
  const { model, messages, system } = messagesBody({ ...question, messages: said });
  const texts = typeof system === 'string' ? [system] : system?.map(({ text }) => textOf(text));
  const tools = toolsFor('messages', question.tools);
  return { model, messages, system: texts?.join('\n'), tools };
}

function systemMessage({ system }: ChatCall) {
  return system === undefined ? [] : [{ role: 'system' as const, content: system }];
}

/** What was said before, and the prompt. */
function turns(
  { messages = [], parts }: Pick<ChatCall, 'messages' | 'parts'>,
  toBlock: (part: Part) => { type: string },
): z.output<typeof Conversation> {
  const prompt = { role: 'user' as const, content: contentOf(parts, toBlock) };
  return [...Conversation.parse(messages), ...(parts.length === 0 ? [] : [prompt])];
}

/** Text alone stays text; anything else becomes blocks. */
function contentOf<Block>(
  parts: readonly Part[],
  toBlock: (part: Part) => Block,
): string | Block[] {
  const [only, ...others] = parts;
  return only?.type === 'text' && others.length === 0 ? only.text : parts.map(toBlock);
}

function chatPart(part: Part) {
  return part.type === 'text' ? part : { type: 'image_url', image_url: { url: part.url } };
}

function messagesPart(part: Part) {
  if (part.type === 'text') return part;
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(part.url);
  return {
    type: 'image',
    source: data
      ? { type: 'base64', media_type: data[1], data: data[2] }
      : { type: 'url', url: part.url },
  };
}

function responsesPart(part: Part) {
  return part.type === 'text'
    ? { type: 'input_text', text: part.text }
    : { type: 'input_image', image_url: part.url };
}

interface Tool {
  name: string;
  description?: unknown;
  parameters?: unknown;
  /** The messages format has no such thing. */
  strict?: unknown;
}

/** Definitions in any of the three forms; one in its own form, or in none, goes as it came. */
export function toolsFor(
  format: ChatFormat,
  tools: readonly unknown[] | undefined,
): unknown[] | undefined {
  return tools?.map((definition) => {
    const tool = toolFrom(definition);
    return tool && formOf(definition) !== format ? shape(format, tool) : definition;
  });
}

/** The name of a definition in any of the three forms. */
export function toolName(definition: unknown): string | undefined {
  return toolFrom(definition)?.name;
}

/** @param choice auto, none, required, or a tool's name. */
export function toolChoiceFor(format: ChatFormat, choice: string | undefined): unknown {
  if (choice === undefined) return undefined;
  const isWord = toolChoices.some((word) => word === choice);
  switch (format) {
    case 'chat':
      return choice;
    case 'responses':
      return isWord ? choice : { type: 'function', name: choice };
    case 'messages':
      // That format says `any` for required.
      if (isWord) return { type: choice === 'required' ? 'any' : choice };
      return { type: 'tool', name: choice };
  }
}

function toolFrom(definition: unknown): Tool | undefined {
  if (!isRecord(definition)) return undefined;
  const named = isRecord(definition['function']) ? definition['function'] : definition;
  const { name, description, parameters, input_schema: inputSchema, strict } = named;
  if (typeof name !== 'string') return undefined;
  // A definition with a type of its own that is no function is a tool of the service; the
  // messages format calls its functions custom.
  const type = definition['type'] ?? 'function';
  if (type !== 'function' && !(type === 'custom' && inputSchema)) return undefined;
  return { name, description, parameters: parameters ?? inputSchema, strict };
}

function formOf(definition: unknown): ChatFormat | undefined {
  const { type, function: inner, input_schema: inputSchema } = recordOf(definition);
  if (isRecord(inputSchema)) return 'messages';
  if (type !== 'function') return undefined;
  return isRecord(inner) ? 'chat' : 'responses';
}

/** What is undefined is left out of the JSON. */
function shape(format: ChatFormat, { name, description, parameters, strict }: Tool): unknown {
  const schema = recordOf(parameters ?? { type: 'object', properties: {} });
  if (format === 'messages') return { name, description, input_schema: schema };
  const named = { name, description, parameters: schema, strict };
  return format === 'chat' ? { type: 'function', function: named } : { type: 'function', ...named };
}
