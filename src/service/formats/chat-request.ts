/** Reads a chat completions request (section 2.3; names beyond its table are the public format's). */
import * as z from 'zod/mini';
import { toolChoices } from '../../contract/enums.js';
import type { createChatCompletion } from '../../contract/chat.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { maybe } from '../../contract/fields.js';
import { asText } from '../engines/prompts.js';
import type { OutputForm, Part, Prompt, Reasoning, ToolChoice, Turn } from '../engines/types.js';
import { parse } from '../parse.js';
import { readContent } from './blocks.js';

const ToolName = z.string().check(z.minLength(1));

const Extras = z.looseObject({
  max_completion_tokens: maybe(z.int().check(z.positive())),
  stop: maybe(z.union([z.string(), z.array(z.string())])),
  tools: maybe(
    z.array(
      z.looseObject({
        type: z.literal('function'),
        function: z.looseObject({ name: ToolName, parameters: z.optional(z.unknown()) }),
      }),
    ),
  ),
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

/** A request and whether its stream ends with the usage. */
export interface ChatRequest {
  readonly prompt: Prompt;
  readonly includeUsage: boolean;
}

type Body = EndpointInput<typeof createChatCompletion>['body'];

/** Reads a body that fits the contract; a detail that cannot be read is a 400. */
export function readChatRequest(body: Body): ChatRequest {
  const extras = parse(Extras, body);
  const turns: Turn[] = [];
  const system: string[] = [];
  body.messages.forEach((message, i) => {
    const parts = readMessage(message, `messages[${i}]`);
    if (message.role === 'system') system.push(...parts.map((part) => asText([part])));
    else turns.push({ role: message.role, parts });
  });
  const { stop } = extras;
  const prompt: Prompt = {
    format: 'chat',
    model: body.model,
    stream: body.stream ?? false,
    system,
    turns,
    maxTokens: extras.max_completion_tokens ?? body.max_tokens,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    tools: (extras.tools ?? []).map((tool) => ({
      name: tool.function.name,
      parameters: tool.function.parameters,
    })),
    toolChoice: readToolChoice(extras.tool_choice),
    parallelToolCalls: extras.parallel_tool_calls ?? true,
    output: readOutput(extras.response_format),
    reasoning: readEffort(body.reasoning_effort),
  };
  return { prompt, includeUsage: extras.stream_options?.include_usage ?? false };
}

/** What an effort asks for; the words are the contract's. */
export function readEffort(effort: string | null | undefined): Reasoning {
  if (effort === undefined || effort === null) return { mode: 'unasked' };
  return effort === 'none' ? { mode: 'off' } : { mode: 'on', effort };
}

/** One of the words, or the name of a tool (section 2.3: "or a specific tool"). */
export function readToolWord(word: string): ToolChoice {
  return toolChoices.find((known) => known === word) ?? { name: word };
}

function readToolChoice(choice: z.output<typeof Extras>['tool_choice']): ToolChoice {
  if (choice === undefined || choice === null) return 'auto';
  return typeof choice === 'string' ? readToolWord(choice) : { name: choice.function.name };
}

function readOutput(format: z.output<typeof Extras>['response_format']): OutputForm {
  switch (format?.type) {
    case 'json_object':
      return { form: 'json' };
    case 'json_schema':
      return { form: 'schema', schema: format.json_schema.schema };
    default:
      return { form: 'text' };
  }
}

type Message = Body['messages'][number];

const ToolCalls = maybe(
  z.array(
    z.looseObject({
      id: z.string(),
      function: z.looseObject({ name: z.string(), arguments: z.string() }),
    }),
  ),
);

function readMessage(message: Message, place: string): Part[] {
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
