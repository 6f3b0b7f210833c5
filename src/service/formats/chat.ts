/** The chat completions format (section 2.3; names beyond its table are the public format's). */
import * as z from 'zod/mini';
import type { createChatCompletion } from '../../contract/chat.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { maybe } from '../../contract/fields.js';
import { listOf, recordOf } from '../../lib/json.js';
import { parse } from '../body.js';
import type { Item, Plan, Prompt } from '../engines/engine.js';
import { failureBody } from '../failure.js';
import { conversation, dataFrame, toolCall, toolTurn } from './format.js';
import { readContent, readEffort, readOutput, readStops } from './format.js';
import { readToolChoice, readTools } from './format.js';
import type { ConversationItem, AnswerHead, Writer } from './format.js';

const Extras = z.looseObject({
  max_completion_tokens: maybe(z.int().check(z.positive())),
  parallel_tool_calls: maybe(z.boolean()),
  stream_options: maybe(z.looseObject({ include_usage: maybe(z.boolean()) })),
});

type ToolCallItem = Extract<Item, { type: 'toolCall' }>;
type ChatBody = EndpointInput<typeof createChatCompletion>['body'];

export function readChatRequest(body: ChatBody) {
  const extras = parse(Extras, body);
  const messages = body.messages.map((message, i) =>
    readMessage(message, `messages[${i}].content`),
  );
  const prompt: Prompt = {
    format: 'chat',
    model: body.model,
    stream: body.stream ?? false,
    ...conversation(messages),
    maxTokens: extras.max_completion_tokens ?? body.max_tokens,
    stop: readStops(body['stop']),
    tools: readTools(body.tools),
    toolChoice: readToolChoice(body.tool_choice),
    parallelToolCalls: extras.parallel_tool_calls ?? true,
    output: readOutput(body.response_format),
    reasoning: readEffort(body.reasoning_effort),
  };
  return { prompt, includeUsage: extras.stream_options?.include_usage ?? false };
}

function readMessage(message: ChatBody['messages'][number], place: string): ConversationItem {
  const parts = readContent(message.content, place);
  if (message.role === 'tool') return toolTurn(parts);
  for (const call of message.role === 'assistant' ? listOf(message['tool_calls']) : []) {
    const { function: called, custom } = recordOf(call);
    const { name, arguments: json, input = json } = recordOf(called ?? custom);
    parts.push(toolCall(name, input));
  }
  return { role: message.role, parts };
}

const finishReasons: Readonly<Record<Plan['finish'], string>> = {
  stop: 'stop',
  stopSequence: 'stop',
  length: 'length',
  toolCalls: 'tool_calls',
};

/** @param includeUsage whether a stream ends with a chunk for the usage */
export function chatWriter(includeUsage: boolean): Writer {
  return {
    complete: (plan, head) => {
      const texts = { text: '', reasoning: '' };
      const calls: object[] = [];
      for (const item of plan.items) {
        if (item.type === 'toolCall') calls.push(callOf(item, item.json));
        else texts[item.type] += item.text;
      }
      const message = {
        role: 'assistant',
        content: texts.text || (calls.length > 0 ? null : ''),
        reasoning_content: texts.reasoning || undefined,
        tool_calls: calls.length > 0 ? calls : undefined,
      };
      return {
        ...envelope(head, 'chat.completion'),
        choices: [{ index: 0, message, finish_reason: finishReasons[plan.finish] }],
        usage: usageOf(plan),
      };
    },
    stream: (plan, head) => {
      const base = envelope(head, 'chat.completion.chunk');
      const usage = includeUsage ? null : undefined;
      const chunk = (delta: object, finish: string | null = null) =>
        dataFrame({ ...base, choices: [{ index: 0, delta, finish_reason: finish }], usage });
      let call = -1;
      return (event) => {
        switch (event.type) {
          case 'start':
            return chunk({ role: 'assistant', content: '' });
          case 'open':
            if (event.item.type !== 'toolCall') return '';
            call += 1;
            return chunk({ tool_calls: [{ index: call, ...callOf(event.item, '') }] });
          case 'delta': {
            const { item, text } = event;
            if (item.type === 'reasoning') return chunk({ reasoning_content: text });
            if (item.type === 'text') return chunk({ content: text });
            return chunk({ tool_calls: [{ index: call, ...calledWith(item, text) }] });
          }
          case 'close':
            return '';
          case 'failure':
            return dataFrame(failureBody('chat', event.failure, head.requestId));
          case 'finish': {
            const used = dataFrame({ ...base, choices: [], usage: usageOf(plan) });
            const last = chunk({}, finishReasons[plan.finish]);
            return `${last}${includeUsage ? used : ''}data: [DONE]\n\n`;
          }
        }
      };
    },
  };
}

function envelope({ id, model, createdAtMs }: AnswerHead, object: string) {
  return { id: `chatcmpl-${id}`, object, created: Math.floor(createdAtMs / 1000), model };
}

function callOf(item: ToolCallItem, json: string) {
  const { id, name, tool } = item;
  const called = calledWith(item, json, name);
  return { id: `call_${id}`, type: tool?.kind === 'custom' ? 'custom' : 'function', ...called };
}

/** @param name only at the start of a call */
function calledWith({ tool }: ToolCallItem, json: string, name?: string) {
  if (tool?.kind === 'custom') return { custom: { name, input: json } };
  return { function: { name, arguments: json } };
}

function usageOf({ usage: { inputTokens, outputTokens, reasoningTokens } }: Plan) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
