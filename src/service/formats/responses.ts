/** The responses format (section 2.5; names beyond it are the public format's). */
import * as z from 'zod/mini';
import { messageRoles } from '../../contract/enums.js';
import type { createResponse } from '../../contract/chat.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { maybe } from '../../contract/fields.js';
import { parse } from '../body.js';
import type { Item, Part, Plan, Prompt, Turn } from '../engines/engine.js';
import { asText } from '../engines/prompts.js';
import { badRequest, failureType } from '../failure.js';
import {
  Content,
  FunctionTool,
  namedFrame,
  readContent,
  readEffort,
  readOutput,
  readToolChoice,
  ToolName,
  toolTurn,
  unknownBlock,
  type Frame,
  type Head,
  type Writer,
} from './format.js';

const Extras = z.looseObject({
  instructions: maybe(z.string()),
  max_output_tokens: maybe(z.int().check(z.positive())),
  tools: maybe(z.array(z.extend(FunctionTool, { type: z.literal('function') }))),
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

/** Which of a request's settings the reply repeats. */
interface Settings {
  /** Whether a summary of the reasoning was asked for; the reasoning itself is never shown. */
  readonly showsReasoning: boolean;
  /** Fields of the reply that repeat the request. */
  readonly echoed: Readonly<Record<string, unknown>>;
}

/** Reads a body that fits the contract; a detail that cannot be read is a 400. */
export function readResponsesRequest(body: Body): Settings & { prompt: Prompt } {
  const extras = parse(Extras, body);
  // Answers are not kept, so a request that leans on an earlier one cannot be understood.
  for (const field of ['previous_response_id', 'conversation'] as const) {
    if (extras[field] !== undefined && extras[field] !== null) {
      throw badRequest(`${field} is not supported: send the whole conversation as input`, field);
    }
  }
  const system = typeof extras.instructions === 'string' ? [extras.instructions] : [];
  const turns: Turn[] = [];
  const input =
    typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  input.forEach((item, i) => {
    const { role, parts } = readItem(item, `input[${i}]`);
    if (role === 'system') system.push(...parts.map((part) => asText([part])));
    else turns.push({ role, parts });
  });
  const format = extras.text?.format;
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
    output: readOutput(format?.type, format?.type === 'json_schema' && format.schema),
    reasoning: readEffort(body.reasoning?.effort ?? (body.reasoning?.summary && 'medium')),
  };
  const showsReasoning = body.reasoning?.summary !== undefined;
  return { prompt, showsReasoning, echoed: echo(body, extras) };
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

const roles = [...messageRoles, 'developer'] as const;
const Message = z.looseObject({ role: z.enum(roles), content: Content });
const InputItem = z.looseObject({ type: z.optional(z.string()) });
const Call = z.looseObject({ call_id: z.string(), name: z.string(), arguments: z.string() });
const CallOutput = z.looseObject({ call_id: z.string(), output: Content });

function readItem(
  item: unknown,
  place: string,
): { role: Turn['role'] | 'system'; parts: readonly Part[] } {
  const { type = 'message' } = parse(InputItem, item, place);
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

/** A writer for one request. */
export function responsesWriter({ showsReasoning, echoed }: Settings): Writer {
  const response = (head: Head, state: object) => ({
    id: `resp_${head.id}`,
    object: 'response',
    created_at: Math.floor(head.createdAtMs / 1000),
    model: head.model,
    ...echoed,
    ...state,
  });
  const finished = (plan: Plan, head: Head, output: readonly object[]) => {
    const isCut = plan.finish === 'length';
    return response(head, {
      status: isCut ? 'incomplete' : 'completed',
      incomplete_details: isCut ? { reason: 'max_output_tokens' } : undefined,
      output,
      usage: usageOf(plan),
    });
  };
  const shown = (item: Item) =>
    item.type === 'reasoning' && !showsReasoning ? { ...item, text: '' } : item;
  return {
    complete: (plan, head) => {
      const status = plan.finish === 'length' ? 'incomplete' : 'completed';
      const output = plan.items.map((item, i) => outputItem(shown(item), head.id, i, status));
      return finished(plan, head, output);
    },
    stream: (plan, head) => {
      let sequence = 0;
      const send = (type: string, rest: object): Frame =>
        namedFrame(type, { sequence_number: sequence++, ...rest });
      const output: object[] = [];
      return {
        start: () => {
          const started = { response: response(head, { status: 'in_progress', output: [] }) };
          return [send('response.created', started), send('response.in_progress', started)];
        },
        *open(item, index) {
          const bare = emptyItem(item, head.id, index);
          yield send('response.output_item.added', { output_index: index, item: bare });
          if (item.type === 'toolCall' || shown(item) !== item) return;
          const { place, kind } = placeOf(item, head.id, index);
          yield send(`response.${kind}_part.added`, { ...place, part: partOf(item.type, '') });
        },
        *delta(item, delta, index) {
          if (shown(item) !== item) return;
          const { place, words } = placeOf(item, head.id, index);
          const logprobs = item.type === 'text' ? { logprobs: [] } : {};
          yield send(`response.${words}.delta`, { ...place, delta, ...logprobs });
        },
        *close(item, index) {
          const { place, words, kind } = placeOf(item, head.id, index);
          if (item.type === 'toolCall') {
            const { name, json } = item;
            yield send(`response.${words}.done`, { ...place, name, arguments: json });
          } else if (shown(item) === item) {
            const { text, type } = item;
            const logprobs = type === 'text' ? { logprobs: [] } : {};
            yield send(`response.${words}.done`, { ...place, text, ...logprobs });
            yield send(`response.${kind}_part.done`, { ...place, part: partOf(type, text) });
          }
          const isCut = plan.finish === 'length' && index === plan.items.length - 1;
          const status = isCut ? 'incomplete' : 'completed';
          const done = outputItem(shown(item), head.id, index, status);
          output.push(done);
          yield send('response.output_item.done', { output_index: index, item: done });
        },
        // Clients read either the flat fields or the nested ones; some notice only the nested.
        failure: ({ status, code, message, details: { param = null } }) => {
          const error = { type: failureType(status), code, message, param };
          return send('error', { code, message, param, error });
        },
        finish: () => {
          const type = plan.finish === 'length' ? 'response.incomplete' : 'response.completed';
          return [send(type, { response: finished(plan, head, output) })];
        },
      };
    },
  };
}

/** An item of the output; its id is the same in the stream and in the whole. */
function outputItem(item: Item, id: string, index: number, status: string): object {
  const { item_id: itemId } = placeOf(item, id, index).place;
  switch (item.type) {
    case 'reasoning':
      return {
        id: itemId,
        type: 'reasoning',
        summary: item.text === '' ? [] : [partOf('reasoning', item.text)],
      };
    case 'text': {
      const content = [partOf('text', item.text)];
      return { id: itemId, type: 'message', status, role: 'assistant', content };
    }
    case 'toolCall':
      return {
        id: itemId,
        type: 'function_call',
        status: status === 'in_progress' ? status : 'completed',
        call_id: `call_${item.id}`,
        name: item.name,
        arguments: item.json,
      };
  }
}

/** An item as it begins. */
function emptyItem(item: Item, id: string, index: number): object {
  const bare = item.type === 'toolCall' ? { ...item, json: '' } : { ...item, text: '' };
  const begun = outputItem(bare, id, index, 'in_progress');
  return item.type === 'text' ? { ...begun, content: [] } : begun;
}

/** Where the frames of an item belong, and what they are called. */
function placeOf(item: Item, id: string, index: number) {
  switch (item.type) {
    case 'reasoning': {
      const place = { item_id: `rs_${id}_${index}`, output_index: index, summary_index: 0 };
      return { place, kind: 'reasoning_summary', words: 'reasoning_summary_text' };
    }
    case 'text': {
      const place = { item_id: `msg_${id}_${index}`, output_index: index, content_index: 0 };
      return { place, kind: 'content', words: 'output_text' };
    }
    case 'toolCall': {
      const place = { item_id: `fc_${item.id}`, output_index: index };
      return { place, kind: '', words: 'function_call_arguments' };
    }
  }
}

function partOf(type: 'reasoning' | 'text', text: string): object {
  if (type === 'reasoning') return { type: 'summary_text', text };
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function usageOf({ usage: { inputTokens, outputTokens, reasoningTokens } }: Plan): object {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
