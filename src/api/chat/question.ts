/** A question to a model, and its form in each of the three wire formats. */
import type { ChatFormat } from '../../contract/enums.js';
import type { reasoningEfforts, reasoningSummaries } from '../../contract/enums.js';
import type { createChatCompletion, createMessage, createResponse } from '../../contract/chat.js';
import * as limits from '../../contract/limits.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { toolChoiceFor, toolsFor } from './tools.js';

export type Part =
  | { type: 'text'; text: string }
  /** `url` is https, http or a data URL. */
  | { type: 'image'; url: string };

export interface Question {
  model: string;
  system?: string;
  parts: readonly Part[];
  stream: boolean;
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  reasoningEffort?: (typeof reasoningEfforts)[number];
  reasoningSummary?: (typeof reasoningSummaries)[number];
  thinkingBudgetTokens?: number;
  tools?: readonly unknown[];
  /** auto, none, required, or a tool's name. */
  toolChoice?: string;
  jsonObject?: boolean;
  schema?: { name: string; schema: unknown };
}

/** What a format cannot say; a question that holds it would be changed silently. */
export const lacking: Readonly<Record<ChatFormat, readonly (keyof Question)[]>> = {
  chat: ['reasoningSummary', 'thinkingBudgetTokens'],
  messages: ['reasoningEffort', 'reasoningSummary', 'jsonObject', 'schema'],
  responses: ['thinkingBudgetTokens'],
};

/**
 * Section 2.3. The field stream is always sent: some services stream unless it is false.
 * @param asksUsage of a stream, to which the specification gives none.
 */
export function chatBody(
  question: Question,
  asksUsage = true,
): EndpointInput<typeof createChatCompletion>['body'] {
  return withoutAbsent({
    model: question.model,
    messages: [
      ...(question.system === undefined
        ? []
        : [{ role: 'system' as const, content: question.system }]),
      { role: 'user' as const, content: contentOf(question.parts, chatPart) },
    ],
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
  });
}

/** Section 2.4. max_tokens is required there, and must leave room beyond the thinking. */
export function messagesBody(question: Question): EndpointInput<typeof createMessage>['body'] {
  const thinking = question.thinkingBudgetTokens;
  return withoutAbsent({
    model: question.model,
    max_tokens: question.maxTokens ?? limits.messagesMaxTokens + (thinking ?? 0),
    messages: [{ role: 'user' as const, content: contentOf(question.parts, messagesPart) }],
    system: question.system,
    stream: question.stream,
    temperature: question.temperature,
    top_p: question.topP,
    thinking:
      thinking === undefined ? undefined : { type: 'enabled' as const, budget_tokens: thinking },
    tools: toolsFor('messages', question.tools),
    tool_choice: toolChoiceFor('messages', question.toolChoice),
  });
}

/** Section 2.5; names beyond its table are those of the public format. */
export function responsesBody(question: Question): EndpointInput<typeof createResponse>['body'] {
  const { reasoningEffort: effort, reasoningSummary: summary } = question;
  return withoutAbsent({
    model: question.model,
    input: [
      ...(question.system === undefined ? [] : [{ role: 'system', content: question.system }]),
      { role: 'user', content: contentOf(question.parts, responsesPart) },
    ],
    stream: question.stream,
    max_output_tokens: question.maxTokens,
    temperature: question.temperature,
    top_p: question.topP,
    reasoning: effort || summary ? withoutAbsent({ effort, summary }) : undefined,
    tools: toolsFor('responses', question.tools),
    tool_choice: toolChoiceFor('responses', question.toolChoice),
    text: question.schema
      ? { format: { type: 'json_schema', ...question.schema, strict: true } }
      : question.jsonObject
        ? { format: { type: 'json_object' } }
        : undefined,
  });
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

function withoutAbsent<Body extends object>(body: Body): Body {
  for (const key of Object.keys(body)) {
    if (Reflect.get(body, key) === undefined) Reflect.deleteProperty(body, key);
  }
  return body;
}
