/** Reads a messages request (section 2.4; names beyond it are the public format's). */
import * as z from 'zod/mini';
import type { createMessage } from '../../contract/chat.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { maybe } from '../../contract/fields.js';
import { asText } from '../engines/prompts.js';
import type { OutputForm, Part, Prompt, Reasoning, ToolChoice, Turn } from '../engines/types.js';
import { parse } from '../parse.js';
import { Content, readContent, toolTurn } from './blocks.js';

const Format = z.looseObject({ type: z.literal('json_schema'), schema: z.unknown() });

const Extras = z.looseObject({
  stop_sequences: maybe(z.array(z.string())),
  tools: maybe(
    z.array(
      z.looseObject({ name: z.string().check(z.minLength(1)), input_schema: z.looseObject({}) }),
    ),
  ),
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

/** What the token estimate shares with a whole request. */
export type Countable = Pick<Prompt, 'system' | 'turns' | 'tools'>;

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
): Countable {
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

function readToolChoice(choice: Extras['tool_choice']): ToolChoice {
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

function readOutput({ output_config: config, output_format: format }: Extras): OutputForm {
  const wanted = config?.format ?? format;
  return wanted ? { form: 'schema', schema: wanted.schema } : { form: 'text' };
}

function readThinking(thinking: Body['thinking'], effort: string | null | undefined): Reasoning {
  if (thinking?.type !== 'enabled') return { mode: 'off' };
  return { mode: 'on', effort: effort ?? 'medium', budgetTokens: thinking.budget_tokens };
}

const ToolUse = z.looseObject({ id: z.string(), name: z.string(), input: z.unknown() });
const ToolResult = z.looseObject({
  tool_use_id: z.string(),
  content: maybe(Content),
});

function readBlock(block: { readonly type: string }, place: string): Part | undefined {
  switch (block.type) {
    case 'tool_use': {
      const { id, name, input } = parse(ToolUse, block, place);
      return { type: 'toolCall', id, name, json: JSON.stringify(input ?? {}) };
    }
    case 'tool_result': {
      const { tool_use_id: id, content } = parse(ToolResult, block, place);
      return { type: 'toolResult', id, text: asText(readContent(content, `${place}.content`)) };
    }
    default:
      return undefined;
  }
}
