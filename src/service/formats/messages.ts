/** The messages format (section 2.4; names beyond its table are the public format's). */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { createMessage } from '../../contract/chat.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { maybe } from '../../contract/fields.js';
import { parse } from '../body.js';
import type { Item, Part, Plan, Prompt, Turn } from '../engines/engine.js';
import { asText } from '../engines/prompts.js';
import { failureBody } from '../failure.js';
import {
  Content,
  namedFrame,
  readContent,
  ToolName,
  toolTurn,
  type Head,
  type Writer,
} from './format.js';

const Format = z.looseObject({ type: z.literal('json_schema'), schema: z.unknown() });

const Extras = z.looseObject({
  stop_sequences: maybe(z.array(z.string())),
  tools: maybe(z.array(z.looseObject({ name: ToolName, input_schema: z.looseObject({}) }))),
  tool_choice: maybe(
    z.union([
      z.looseObject({ type: z.literal('tool'), name: z.string() }),
      z.looseObject({ type: z.enum(['auto', 'any', 'none']) }),
    ]),
  ),
  output_config: maybe(z.looseObject({ format: maybe(Format), effort: maybe(z.string()) })),
  output_format: maybe(Format),
});
type Extras = z.output<typeof Extras>;

type Body = EndpointInput<typeof createMessage>['body'];

/** Reads a body that fits the contract; a detail that cannot be read is a 400. */
export function readMessagesRequest(body: Body): Prompt {
  const extras = parse(Extras, body);
  const choice = extras.tool_choice;
  return {
    format: 'messages',
    model: body.model,
    stream: body.stream ?? false,
    ...readConversation(body),
    maxTokens: body.max_tokens,
    stop: extras.stop_sequences ?? [],
    toolChoice: readToolChoice(choice),
    parallelToolCalls: choice?.disable_parallel_tool_use !== true,
    output: readOutput(extras),
    reasoning: readThinking(body.thinking, extras.output_config?.effort),
  };
}

/** Reads what counts as input: system prompts, messages and tools. */
export function readConversation(
  body: Pick<Body, 'messages' | 'system'> & Readonly<Record<string, unknown>>,
): Pick<Prompt, 'system' | 'turns' | 'tools'> {
  const { tools } = parse(Extras, body);
  const system = readContent(body.system, 'system').map((part) => asText([part]));
  const turns: Turn[] = [];
  body.messages.forEach((message, i) => {
    const parts = readContent(message.content, `messages[${i}].content`, readBlock);
    if (message.role === 'system') {
      system.push(...parts.map((part) => asText([part])));
    } else if (message.role === 'tool') {
      turns.push(toolTurn(message, parts));
    } else if (message.role === 'assistant') turns.push({ role: 'assistant', parts });
    else turns.push(...splitResults(parts));
  });
  return {
    system,
    turns,
    tools: (tools ?? []).map((tool) => ({ name: tool.name, parameters: tool.input_schema })),
  };
}

/** In this format tool results come inside a user message. */
function splitResults(parts: readonly Part[]): Turn[] {
  const results = parts.filter((part) => part.type === 'toolResult');
  const others = parts.filter((part) => part.type !== 'toolResult');
  const turns: Turn[] = [];
  if (results.length > 0) turns.push({ role: 'tool', parts: results });
  if (others.length > 0 || results.length === 0) turns.push({ role: 'user', parts: others });
  return turns;
}

function readToolChoice(choice: Extras['tool_choice']): Prompt['toolChoice'] {
  switch (choice?.type) {
    case 'any':
      return 'required';
    case 'tool':
      return { name: choice.name };
    case 'none':
      return 'none';
    default:
      return 'auto';
  }
}

function readOutput({ output_config: config, output_format: format }: Extras): Prompt['output'] {
  const wanted = config?.format ?? format;
  return wanted ? { form: 'schema', schema: wanted.schema } : { form: 'text' };
}

function readThinking(
  thinking: Body['thinking'],
  effort: string | null | undefined,
): Prompt['reasoning'] {
  if (thinking?.type !== 'enabled') return { mode: 'off' };
  return { mode: 'on', effort: effort ?? 'medium', budgetTokens: thinking.budget_tokens };
}

const ToolUse = z.looseObject({ id: z.string(), name: z.string(), input: z.unknown() });
const ToolResult = z.looseObject({ tool_use_id: z.string(), content: maybe(Content) });

function readBlock(block: { readonly type: string }, place: string): Part | undefined {
  if (block.type === 'tool_use') {
    const { id, name, input } = parse(ToolUse, block, place);
    return { type: 'toolCall', id, name, json: JSON.stringify(input ?? {}) };
  }
  if (block.type !== 'tool_result') return undefined;
  const { tool_use_id: id, content } = parse(ToolResult, block, place);
  return { type: 'toolResult', id, text: asText(readContent(content, `${place}.content`)) };
}

const stopReasons: Readonly<Record<Plan['finish'], string>> = {
  stop: 'end_turn',
  stopSequence: 'stop_sequence',
  length: 'max_tokens',
  toolCalls: 'tool_use',
};

export const messagesWriter: Writer = {
  complete: (plan, head) => ({
    ...envelope(head),
    content: plan.items.map((item) => {
      if (item.type === 'text') return item;
      if (item.type === 'reasoning') {
        return { type: 'thinking', thinking: item.text, signature: signatureOf(item.text) };
      }
      const input: unknown = JSON.parse(item.json);
      return { type: 'tool_use', id: `toolu_${item.id}`, name: item.name, input };
    }),
    stop_reason: stopReasons[plan.finish],
    stop_sequence: plan.stopSequence ?? undefined,
    usage: usageOf(plan, plan.usage.outputTokens),
  }),
  stream: (plan, head) => ({
    start: () => {
      const empty = { content: [], stop_reason: null, stop_sequence: null };
      const message = { ...envelope(head), ...empty, usage: usageOf(plan, 0) };
      return [namedFrame('message_start', { message }), namedFrame('ping')];
    },
    open: (item, index) => [
      namedFrame('content_block_start', { index, content_block: emptyBlock(item) }),
    ],
    delta: ({ type }, text, index) => [
      namedFrame('content_block_delta', { index, delta: deltaOf(type, text) }),
    ],
    close: (item, index) => {
      const stop = namedFrame('content_block_stop', { index });
      if (item.type !== 'reasoning') return [stop];
      const delta = { type: 'signature_delta', signature: signatureOf(item.text) };
      return [namedFrame('content_block_delta', { index, delta }), stop];
    },
    failure: (failure) => namedFrame('error', failureBody('messages', failure, head.requestId)),
    finish: () => [
      namedFrame('message_delta', {
        delta: { stop_reason: stopReasons[plan.finish], stop_sequence: plan.stopSequence },
        usage: usageOf(plan, plan.usage.outputTokens),
      }),
      namedFrame('message_stop'),
    ],
  }),
};

function emptyBlock(item: Item): object {
  switch (item.type) {
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'text':
      return { type: 'text', text: '' };
    case 'toolCall':
      return { type: 'tool_use', id: `toolu_${item.id}`, name: item.name, input: {} };
  }
}

function deltaOf(type: Item['type'], text: string): object {
  switch (type) {
    case 'reasoning':
      return { type: 'thinking_delta', thinking: text };
    case 'text':
      return { type: 'text_delta', text };
    case 'toolCall':
      return { type: 'input_json_delta', partial_json: text };
  }
}

function envelope({ id, model }: Head) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model };
}

/** A stand-in for the seal by which a service knows its own thoughts again. */
function signatureOf(thinking: string): string {
  return createHash('sha256').update(thinking).digest('base64');
}

function usageOf({ usage }: Plan, outputTokens: number) {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
  };
}
