/** The messages format (section 2.4; names beyond its table are the public format's). */
import { createHash } from 'node:crypto';
import type { createMessage } from '../../contract/chat.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { parseJson, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import type { Item, Part, Plan, Prompt } from '../engines/engine.js';
import { asText } from '../engines/prompts.js';
import { failureBody } from '../failure.js';
import { conversation, namedFrame, readContent, readOutput, readStops } from './format.js';
import { readToolChoice, readTools, toolCall, toolTurn } from './format.js';
import type { AnswerHead, ConversationItem, Writer } from './format.js';

type MessagesBody = EndpointInput<typeof createMessage>['body'];

export function readMessagesRequest(body: MessagesBody): Prompt {
  const choice = body['tool_choice'];
  const { format = body['output_format'], effort } = recordOf(body['output_config']);
  return {
    format: 'messages',
    model: body.model,
    stream: body.stream ?? false,
    ...readConversation(body),
    maxTokens: body.max_tokens,
    stop: readStops(body['stop_sequences']),
    toolChoice: readToolChoice(choice),
    parallelToolCalls: recordOf(choice)['disable_parallel_tool_use'] !== true,
    output: readOutput(format),
    reasoning: {
      mode: body.thinking?.type === 'enabled' ? 'on' : 'off',
      effort: textOf(effort) ?? 'medium',
      budgetTokens: body.thinking?.budget_tokens,
    },
  };
}

/** The counted input: system prompts, messages and tools. */
export function readConversation(
  body: Pick<MessagesBody, 'messages' | 'system'> & Readonly<Record<string, unknown>>,
): Pick<Prompt, 'system' | 'turns' | 'tools'> {
  const system = { role: 'system', parts: readContent(body.system, 'system') } as const;
  const messages = body.messages.flatMap((message, i): ConversationItem | ConversationItem[] => {
    const { role, content } = message;
    const parts = readContent(content, `messages[${i}].content`, readBlock);
    if (role === 'tool') return toolTurn(parts);
    return role === 'user' ? splitResults(parts) : { role, parts };
  });
  return {
    ...conversation([system, ...messages]),
    // In this format, each tool takes an object.
    tools: readTools(body['tools']).map(({ name, parameters, kind }) =>
      kind === 'hosted' ? { name, parameters, kind } : { name, parameters },
    ),
  };
}

/** In this format, tool results are inside a user message. */
function splitResults(parts: readonly Part[]): ConversationItem[] {
  const results = parts.filter(({ type }) => type === 'toolResult');
  const others = parts.filter(({ type }) => type !== 'toolResult');
  const tool: ConversationItem[] = results.length > 0 ? [{ role: 'tool', parts: results }] : [];
  return others.length > 0 || !tool[0] ? [...tool, { role: 'user', parts: others }] : tool;
}

function readBlock(block: JsonRecord, place: string): Part | undefined {
  if (block['type'] === 'tool_use') return toolCall(block['name'], block['input']);
  if (block['type'] !== 'tool_result') return undefined;
  return { type: 'toolResult', text: asText(readContent(block['content'], `${place}.content`)) };
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
    const input: unknown = isWhole ? parseJson(item.json) : {};
    return { type: 'tool_use', id: `toolu_${item.id}`, name: item.name, input };
  }
  const text = isWhole ? item.text : '';
  if (item.type === 'text') return { type: 'text', text };
  return { type: 'thinking', thinking: text, signature: isWhole ? signatureOf(text) : '' };
}

function envelope({ id, model }: AnswerHead) {
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
