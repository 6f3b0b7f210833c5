/** The responses format (section 2.5; names beyond it are the public format's). */
import * as z from 'zod/mini';
import { messageRoles } from '../../contract/enums.js';
import type { createResponse } from '../../contract/chat.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { maybe } from '../../contract/fields.js';
import { parse } from '../body.js';
import type { Item, Plan, Prompt } from '../engines/engine.js';
import { asText } from '../engines/prompts.js';
import { badRequest, failureType } from '../failure.js';
import {
  Content,
  conversation,
  FunctionTool,
  namedFrame,
  readContent,
  readEffort,
  readOutput,
  readToolChoice,
  ToolName,
  toolTurn,
  unknownBlock,
  type Head,
  type Said,
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

/** Reads a body that fits the contract; a detail that cannot be read is a 400. */
export function readResponsesRequest(body: Body) {
  const extras = parse(Extras, body);
  // Answers are not kept, so a request that leans on an earlier one cannot be understood.
  for (const field of ['previous_response_id', 'conversation'] as const) {
    if (extras[field] !== undefined && extras[field] !== null) {
      throw badRequest(`${field} is not supported: send the whole conversation as input`, field);
    }
  }
  const { instructions } = extras;
  const input =
    typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  const said = input.map((item, i) => readItem(item, `input[${i}]`));
  const first: Said = { role: 'system', parts: readContent(instructions, 'instructions') };
  const format = extras.text?.format;
  const prompt: Prompt = {
    format: 'responses',
    model: body.model,
    stream: body.stream ?? false,
    ...conversation([first, ...said]),
    maxTokens: extras.max_output_tokens ?? undefined,
    stop: [],
    tools: (extras.tools ?? []).map(({ name, parameters }) => ({ name, parameters })),
    toolChoice: readToolChoice(extras.tool_choice),
    parallelToolCalls: extras.parallel_tool_calls ?? true,
    output: readOutput(format?.type, format?.type === 'json_schema' && format.schema),
    reasoning: readEffort(body.reasoning?.effort ?? (body.reasoning?.summary && 'medium')),
  };
  // The reasoning itself is never shown.
  const showsReasoning = body.reasoning?.summary !== undefined;
  return { prompt, showsReasoning, echoed: echo(body, extras) };
}

function echo(body: Body, extras: Extras) {
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

function readItem(item: unknown, place: string): Said {
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

type Settings = Omit<ReturnType<typeof readResponsesRequest>, 'prompt'>;

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
  const isHidden = ({ type }: Item) => type === 'reasoning' && !showsReasoning;
  const shown = (item: Item, head: Head, index: number, status: string) => {
    const seen: Item = isHidden(item) ? { type: 'reasoning', text: '' } : item;
    return outputItem(seen, head.id, index, status);
  };
  return {
    complete: (plan, head) => {
      const status = plan.finish === 'length' ? 'incomplete' : 'completed';
      const output = plan.items.map((item, i) => shown(item, head, i, status));
      return finished(plan, head, output);
    },
    stream: (plan, head) => {
      let sequence = 0;
      const send = (type: string, rest: object) =>
        namedFrame(type, { sequence_number: sequence++, ...rest });
      const output: object[] = [];
      return (event) => {
        if (event.type === 'start') {
          const started = { response: response(head, { status: 'in_progress', output: [] }) };
          return send('response.created', started) + send('response.in_progress', started);
        }
        if (event.type === 'failure') {
          // Clients read either the flat fields or the nested ones; some notice only the nested.
          const { status, code, message, details } = event.failure;
          const { param = null } = details;
          const error = { type: failureType(status), code, message, param };
          return send('error', { code, message, param, error });
        }
        if (event.type === 'finish') {
          const type = plan.finish === 'length' ? 'response.incomplete' : 'response.completed';
          return send(type, { response: finished(plan, head, output) });
        }
        const { item, index } = event;
        const { place, words, kind } = placeOf(item, head.id, index);
        const logprobs = item.type === 'text' ? { logprobs: [] } : {};
        if (event.type === 'delta') {
          if (isHidden(item)) return '';
          return send(`response.${words}.delta`, { ...place, delta: event.text, ...logprobs });
        }
        if (event.type === 'open') {
          const empty = item.type === 'toolCall' ? { ...item, json: '' } : { ...item, text: '' };
          const begun = outputItem(empty, head.id, index, 'in_progress');
          const bare = item.type === 'text' ? { ...begun, content: [] } : begun;
          const added = send('response.output_item.added', { output_index: index, item: bare });
          if (item.type === 'toolCall' || isHidden(item)) return added;
          const part = partOf(item.type, '');
          return added + send(`response.${kind}_part.added`, { ...place, part });
        }
        let closed = '';
        if (item.type === 'toolCall') {
          const { name, json } = item;
          closed = send(`response.${words}.done`, { ...place, name, arguments: json });
        } else if (!isHidden(item)) {
          const { text, type } = item;
          closed = send(`response.${words}.done`, { ...place, text, ...logprobs });
          closed += send(`response.${kind}_part.done`, { ...place, part: partOf(type, text) });
        }
        const isCut = plan.finish === 'length' && index === plan.items.length - 1;
        const done = shown(item, head, index, isCut ? 'incomplete' : 'completed');
        output.push(done);
        return closed + send('response.output_item.done', { output_index: index, item: done });
      };
    },
  };
}

/** An item of the output; its id is the same in the stream and in the whole. */
function outputItem(item: Item, id: string, index: number, status: string): object {
  const { item_id: itemId } = placeOf(item, id, index).place;
  if (item.type === 'reasoning') {
    const summary = item.text === '' ? [] : [partOf('reasoning', item.text)];
    return { id: itemId, type: 'reasoning', summary };
  }
  if (item.type === 'text') {
    const content = [partOf('text', item.text)];
    return { id: itemId, type: 'message', status, role: 'assistant', content };
  }
  return {
    id: itemId,
    type: 'function_call',
    status: status === 'in_progress' ? status : 'completed',
    call_id: `call_${item.id}`,
    name: item.name,
    arguments: item.json,
  };
}

/** Where the frames of an item belong, and what they are called. */
function placeOf(item: Item, id: string, index: number) {
  if (item.type === 'reasoning') {
    const place = { item_id: `rs_${id}_${index}`, output_index: index, summary_index: 0 };
    return { place, kind: 'reasoning_summary', words: 'reasoning_summary_text' };
  }
  if (item.type === 'text') {
    const place = { item_id: `msg_${id}_${index}`, output_index: index, content_index: 0 };
    return { place, kind: 'content', words: 'output_text' };
  }
  const place = { item_id: `fc_${item.id}`, output_index: index };
  return { place, kind: '', words: 'function_call_arguments' };
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
