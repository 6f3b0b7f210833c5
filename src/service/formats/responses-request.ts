/** Reads a responses request (section 2.5; names beyond it are the public format's). */
import * as z from 'zod/mini';
import { messageRoles } from '../../contract/enums.js';
import type { createResponse } from '../../contract/chat.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { maybe } from '../../contract/fields.js';
import { asText } from '../engines/prompts.js';
import type { OutputForm, Part, Prompt, ToolChoice, Turn } from '../engines/types.js';
import { badRequest } from '../failure.js';
import { parse } from '../parse.js';
import { Content, readContent, toolTurn, unknownBlock } from './blocks.js';
import { readEffort, readToolWord } from './chat-request.js';

const ToolName = z.string().check(z.minLength(1));

const Extras = z.looseObject({
  instructions: maybe(z.string()),
  max_output_tokens: maybe(z.int().check(z.positive())),
  tools: maybe(
    z.array(
      z.looseObject({
        type: z.literal('function'),
        name: ToolName,
        parameters: z.optional(z.unknown()),
      }),
    ),
  ),
  tool_choice: maybe(z.union([z.string(), z.looseObject({ name: ToolName })])),
  parallel_tool_calls: maybe(z.boolean()),
  text: maybe(
    z.looseObject({
      format: maybe(
        z.union([
          z.looseObject({ type: z.enum(['text', 'json_object']) }),
          z.looseObject({ type: z.literal('json_schema'), schema: z.unknown() }),
        ]),
      ),
    }),
  ),
  previous_response_id: maybe(z.string()),
  conversation: z.optional(z.unknown()),
});
type Extras = z.output<typeof Extras>;

type Body = EndpointInput<typeof createResponse>['body'];

/** A request, and which of its settings the reply repeats. */
export interface ResponsesRequest {
  readonly prompt: Prompt;
  /** Whether a summary of the reasoning was asked for; the reasoning itself is never shown. */
  readonly showsReasoning: boolean;
  /** Fields of the reply that repeat the request. */
  readonly echoed: Readonly<Record<string, unknown>>;
}

/** Reads a body that fits the contract; a detail that cannot be read is a 400. */
export function readResponsesRequest(body: Body): ResponsesRequest {
  const extras = parse(Extras, body);
  refuseMemory(extras);
  const system = typeof extras.instructions === 'string' ? [extras.instructions] : [];
  const turns: Turn[] = [];
  const input =
    typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  input.forEach((item, i) => {
    const { role, parts } = readItem(item, `input[${i}]`);
    if (role === 'system') system.push(...parts.map((part) => asText([part])));
    else turns.push({ role, parts });
  });
  const prompt: Prompt = {
    format: 'responses',
    model: body.model,
    stream: body.stream ?? false,
    system,
    turns,
    maxTokens: extras.max_output_tokens ?? undefined,
    stop: [],
    tools: (extras.tools ?? []).map(({ name, parameters }) => ({ name, parameters })),
    toolChoice: readToolChoice(extras.tool_choice),
    parallelToolCalls: extras.parallel_tool_calls ?? true,
    output: readOutput(extras),
    reasoning: readEffort(body.reasoning?.effort ?? (body.reasoning?.summary && 'medium')),
  };
  const showsReasoning = body.reasoning?.summary !== undefined;
  return { prompt, showsReasoning, echoed: echo(body, extras) };
}

/** Answers are not kept, so a request that leans on an earlier one cannot be understood. */
function refuseMemory(extras: Extras): void {
  for (const field of ['previous_response_id', 'conversation'] as const) {
    if (extras[field] !== undefined && extras[field] !== null) {
      throw badRequest(`${field} is not supported: send the whole conversation as input`, field);
    }
  }
}

function echo(body: Body, extras: Extras): Readonly<Record<string, unknown>> {
  const { effort, summary } = body.reasoning ?? {};
  return {
    instructions: extras.instructions ?? undefined,
    max_output_tokens: extras.max_output_tokens ?? undefined,
    metadata: body.metadata ?? {},
    parallel_tool_calls: extras.parallel_tool_calls ?? true,
    reasoning: { effort, summary },
    store: false,
    temperature: body.temperature ?? 1,
    text: { format: { type: 'text' }, ...extras.text },
    tool_choice: extras.tool_choice ?? 'auto',
    tools: extras.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
  };
}

function readToolChoice(choice: Extras['tool_choice']): ToolChoice {
  if (choice === undefined || choice === null) return 'auto';
  return typeof choice === 'string' ? readToolWord(choice) : { name: choice.name };
}

function readOutput({ text }: Extras): OutputForm {
  switch (text?.format?.type) {
    case 'json_object':
      return { form: 'json' };
    case 'json_schema':
      return { form: 'schema', schema: text.format.schema };
    default:
      return { form: 'text' };
  }
}

const roles = [...messageRoles, 'developer'] as const;
const Message = z.looseObject({ role: z.enum(roles), content: Content });
const Item = z.looseObject({ type: z.optional(z.string()) });
const Call = z.looseObject({ call_id: z.string(), name: z.string(), arguments: z.string() });
const CallOutput = z.looseObject({ call_id: z.string(), output: Content });

interface ItemRead {
  readonly role: Turn['role'] | 'system';
  readonly parts: readonly Part[];
}

function readItem(item: unknown, place: string): ItemRead {
  const { type = 'message' } = parse(Item, item, place);
  switch (type) {
    case 'message': {
      const message = parse(Message, item, place);
      const { role, content } = message;
      const parts = readContent(content, `${place}.content`);
      if (role === 'tool') return toolTurn(message, parts);
      return { role: role === 'developer' ? 'system' : role, parts };
    }
    case 'function_call': {
      const { call_id: id, name, arguments: json } = parse(Call, item, place);
      return { role: 'assistant', parts: [{ type: 'toolCall', id, name, json }] };
    }
    case 'function_call_output': {
      const { call_id: id, output } = parse(CallOutput, item, place);
      const text = asText(readContent(output, `${place}.output`));
      return { role: 'tool', parts: [{ type: 'toolResult', id, text }] };
    }
    case 'item_reference':
      throw badRequest(`${place} refers to an item, but none are kept: send it whole`, place);
    // A model's own thoughts, which it is given back and needs no more.
    case 'reasoning':
      return { role: 'assistant', parts: [] };
    default:
      throw unknownBlock(type, place);
  }
}
