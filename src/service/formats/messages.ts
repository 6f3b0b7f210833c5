/** The messages format (section 2.4; names beyond its table are the public format's). */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { createMessage } from '../../contract/chat.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { maybe } from '../../contract/fields.js';
import { parse } from '../body.js';
import type { Item, Part, Plan, Prompt } from '../engines/engine.js';
import { asText } from '../engines/prompts.js';
import { failureBody } from '../failure.js';
import { Content, conversation, namedFrame, readContent, ToolName, toolTurn } from './format.js';
import type { Head, ConversationItem, Writer } from './format.js';

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
const toolWords = { auto: 'auto', any: 'required', none: 'none' } as const;

type Body = EndpointInput<typeof createMessage>['body'];

export function readMessagesRequest(body: Body): Prompt {
  const extras = parse(Extras, body);
  const choice = extras.tool_choice;
  const format = extras.output_config?.format ?? extras.output_format;
  return {
    format: 'messages',
    model: body.model,
    stream: body.stream ?? false,
    ...readConversation(body),
    maxTokens: body.max_tokens,
    stop: extras.stop_sequences ?? [],
    toolChoice: choice?.type === 'tool' ? { name: choice.name } : toolWords[choice?.type ?? 'auto'],
    parallelToolCalls: choice?.disable_parallel_tool_use !== true,
    output: format ? { form: 'schema', schema: format.schema } : { form: 'text' },
    reasoning: {
      mode: body.thinking?.type === 'enabled' ? 'on' : 'off',
      effort: extras.output_config?.effort ?? 'medium',
      budgetTokens: body.thinking?.budget_tokens,
    },
  };
}

/** The counted input: system prompts, messages and tools. */
export function readConversation(
  body: Pick<Body, 'messages' | 'system'> & Readonly<Record<string, unknown>>,
): Pick<Prompt, 'system' | 'turns' | 'tools'> {
  const { tools } = parse(Extras, body);
  const system = { role: 'system', parts: readContent(body.system, 'system') } as const;
  const said = body.messages.flatMap((message, i): ConversationItem | ConversationItem[] => {
    const { role, content } = message;
    const parts = readContent(content, `messages[${i}].content`, readBlock);
    if (role === 'tool') return toolTurn(message, parts);
    return role === 'user' ? splitResults(parts) : { role, parts };
  });
  return {
    ...conversation([system, ...said]),
    tools: (tools ?? []).map((tool) => ({ name: tool.name, parameters: tool.input_schema })),
  };
}

/** In this format, tool results are inside a user message. */
function splitResults(parts: readonly Part[]): ConversationItem[] {
  const results = parts.filter(({ type }) => type === 'toolResult');
  const others = parts.filter(({ type }) => type !== 'toolResult');
  const tool: ConversationItem[] = results.length > 0 ? [{ role: 'tool', parts: results }] : [];
  return others.length > 0 || !tool[0] ? [...tool, { role: 'user', parts: others }] : tool;
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
    content: plan.items.map((item) => blockOf(item, true)),
    stop_reason: stopReasons[plan.finish],
    stop_sequence: plan.stopSequence ?? undefined,
    usage: usageOf(plan, plan.usage.outputTokens),
  }),
  stream: (plan, head) => (event) => {
    switch (event.type) {
      case 'start': {
        const empty = { content: [], stop_reason: null, stop_sequence: null };
        const message = { ...envelope(head), ...empty, usage: usageOf(plan, 0) };
        return namedFrame('message_start', { message }) + namedFrame('ping');
      }
      case 'open': {
        const block = { index: event.index, content_block: blockOf(event.item, false) };
        return namedFrame('content_block_start', block);
      }
      case 'delta': {
        const [type, field] = deltas[event.item.type];
        return deltaFrame(event.index, { type, [field]: event.text });
      }
      case 'close': {
        const { item, index } = event;
        const stop = namedFrame('content_block_stop', { index });
        if (item.type !== 'reasoning') return stop;
        const signature = signatureOf(item.text);
        return deltaFrame(index, { type: 'signature_delta', signature }) + stop;
      }
      case 'failure':
        return namedFrame('error', failureBody('messages', event.failure, head.requestId));
      case 'finish': {
        const delta = { stop_reason: stopReasons[plan.finish], stop_sequence: plan.stopSequence };
        const usage = usageOf(plan, plan.usage.outputTokens);
        return namedFrame('message_delta', { delta, usage }) + namedFrame('message_stop');
      }
    }
  },
};

function deltaFrame(index: number, delta: object): string {
  return namedFrame('content_block_delta', { index, delta });
}

/** The type of an item's deltas, and the field for the text. */
const deltas = {
  text: ['text_delta', 'text'],
  reasoning: ['thinking_delta', 'thinking'],
  toolCall: ['input_json_delta', 'partial_json'],
} as const;

/** An item as a block of content, complete or as empty as at the start of its stream. */
function blockOf(item: Item, isWhole: boolean): object {
  if (item.type === 'toolCall') {
    const input: unknown = isWhole ? JSON.parse(item.json) : {};
    return { type: 'tool_use', id: `toolu_${item.id}`, name: item.name, input };
  }
  const text = isWhole ? item.text : '';
  if (item.type === 'text') return { type: 'text', text };
  return { type: 'thinking', thinking: text, signature: isWhole ? signatureOf(text) : '' };
}

function envelope({ id, model }: Head) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model };
}

/** A stand-in for the signature by which a service recognises its own thoughts. */
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
