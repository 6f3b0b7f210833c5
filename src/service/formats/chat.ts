/** The chat completions format (section 2.3; names beyond its table are the public format's). */
import * as z from 'zod/mini';
import type { createChatCompletion } from '../../contract/chat.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { maybe } from '../../contract/fields.js';
import { parse } from '../body.js';
import type { Part, Plan, Prompt } from '../engines/engine.js';
import { asText } from '../engines/prompts.js';
import { failureBody } from '../failure.js';
import { conversation, dataFrame, FunctionTool, readContent, readEffort } from './format.js';
import { readOutput, readToolChoice, ToolName } from './format.js';
import type { Head, Writer } from './format.js';

const Extras = z.looseObject({
  max_completion_tokens: maybe(z.int().check(z.positive())),
  stop: maybe(z.union([z.string(), z.array(z.string())])),
  tools: maybe(z.array(z.looseObject({ type: z.literal('function'), function: FunctionTool }))),
  tool_choice: maybe(
    z.union([z.string(), z.looseObject({ function: z.looseObject({ name: ToolName }) })]),
  ),
  parallel_tool_calls: maybe(z.boolean()),
  response_format: maybe(
    z.union([
      z.looseObject({ type: z.enum(['text', 'json_object']) }),
      z.looseObject({
        type: z.literal('json_schema'),
        json_schema: z.looseObject({ schema: z.optional(z.unknown()) }),
      }),
    ]),
  ),
  stream_options: maybe(z.looseObject({ include_usage: maybe(z.boolean()) })),
});

type Body = EndpointInput<typeof createChatCompletion>['body'];

export function readChatRequest(body: Body) {
  const extras = parse(Extras, body);
  const said = body.messages.map((message, i) => ({
    role: message.role,
    parts: readMessage(message, `messages[${i}]`),
  }));
  const { stop, tool_choice: choice, response_format: format } = extras;
  const prompt: Prompt = {
    format: 'chat',
    model: body.model,
    stream: body.stream ?? false,
    ...conversation(said),
    maxTokens: extras.max_completion_tokens ?? body.max_tokens,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    tools: (extras.tools ?? []).map(({ function: { name, parameters } }) => ({ name, parameters })),
    toolChoice: readToolChoice(typeof choice === 'object' ? choice?.function : choice),
    parallelToolCalls: extras.parallel_tool_calls ?? true,
    output: readOutput(format?.type, format?.type === 'json_schema' && format.json_schema.schema),
    reasoning: readEffort(body.reasoning_effort),
  };
  return { prompt, includeUsage: extras.stream_options?.include_usage ?? false };
}

const ToolCalls = maybe(
  z.array(
    z.looseObject({
      id: z.string(),
      function: z.looseObject({ name: z.string(), arguments: z.string() }),
    }),
  ),
);

function readMessage(message: Body['messages'][number], place: string): Part[] {
  const parts = readContent(message.content, `${place}.content`);
  if (message.role === 'tool') {
    const id = parse(z.string(), message.tool_call_id, `${place}.tool_call_id`);
    return [{ type: 'toolResult', id, text: asText(parts) }];
  }
  if (message.role !== 'assistant') return parts;
  const calls = parse(ToolCalls, message.tool_calls, `${place}.tool_calls`) ?? [];
  for (const { id, function: called } of calls) {
    parts.push({ type: 'toolCall', id, name: called.name, json: called.arguments });
  }
  return parts;
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
            return chunk({ tool_calls: [{ index: call, function: { arguments: text } }] });
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

function envelope({ id, model, createdAtMs }: Head, object: string) {
  return { id: `chatcmpl-${id}`, object, created: Math.floor(createdAtMs / 1000), model };
}

function callOf({ id, name }: { readonly id: string; readonly name: string }, json: string) {
  return { id: `call_${id}`, type: 'function', function: { name, arguments: json } };
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
