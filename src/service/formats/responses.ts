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
import { Content, conversation, FunctionTool, namedFrame, readContent } from './format.js';
import { readEffort, readOutput, readToolChoice, ToolName, toolTurn } from './format.js';
import { unknownBlock } from './format.js';
import type { Head, ConversationItem, Writer } from './format.js';

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

type Body = EndpointInput<typeof createResponse>['body'];

export function readResponsesRequest(body: Body) {
  const extras = parse(Extras, body);
  // Answers are not stored, so a request cannot refer to an earlier one.
  for (const field of ['previous_response_id', 'conversation'] as const) {
    if (extras[field] !== undefined && extras[field] !== null) {
      throw badRequest(`${field} is not supported: send the whole conversation as input`, field);
    }
  }
  const { instructions } = extras;
  const input =
    typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  const said = input.map((item, i) => readItem(item, `input[${i}]`));
  const first = { role: 'system', parts: readContent(instructions, 'instructions') } as const;
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
  const { effort, summary } = body.reasoning ?? {};
  const echoed = {
    instructions: instructions ?? undefined,
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
  // Only the summary of the reasoning is shown.
  return { prompt, showsReasoning: summary !== undefined, echoed };
}

const roles = [...messageRoles, 'developer'] as const;
const Message = z.looseObject({ role: z.enum(roles), content: Content });
const InputItem = z.looseObject({ type: z.optional(z.string()) });
const Call = z.looseObject({ call_id: z.string(), name: z.string(), arguments: z.string() });
const CallOutput = z.looseObject({ call_id: z.string(), output: Content });

const notStored = 'refers to a stored item, but items are not stored: send it in full';

function readItem(item: unknown, place: string): ConversationItem {
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
      throw badRequest(`${place} ${notStored}`, place);
    // A model's own thoughts, returned to it, are not needed.
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
  const finished = ({ finish, usage }: Plan, head: Head, output: readonly object[]) => {
    const isCut = finish === 'length';
    const { inputTokens, outputTokens, reasoningTokens } = usage;
    return response(head, {
      status: isCut ? 'incomplete' : 'completed',
      incomplete_details: isCut ? { reason: 'max_output_tokens' } : undefined,
      output,
      usage: {
        input_tokens: inputTokens,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: outputTokens,
        output_tokens_details: { reasoning_tokens: reasoningTokens },
        total_tokens: inputTokens + outputTokens,
      },
    });
  };
  const isHidden = ({ type }: Item) => type === 'reasoning' && !showsReasoning;
  const shown = (item: Item, head: Head, index: number, status: string) =>
    shapeOf(isHidden(item) ? { type: 'reasoning', text: '' } : item, head.id, index, status);
  return {
    complete: (plan, head) => {
      const status = plan.finish === 'length' ? 'incomplete' : 'completed';
      const output = plan.items.map((item, i) => shown(item, head, i, status).output);
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
          // Clients read either the flat fields or the nested ones; some read only the nested.
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
        const isOpen = event.type === 'open';
        const isCut = plan.finish === 'length' && index === plan.items.length - 1;
        const status = isCut ? 'incomplete' : 'completed';
        const begun = item.type === 'toolCall' ? { ...item, json: '' } : { ...item, text: '' };
        const shape = isOpen
          ? shapeOf(begun, head.id, index, 'in_progress')
          : shown(item, head, index, status);
        const place = { item_id: shape.output.id, output_index: index, ...shape.place };
        const words = (step: string, rest: object) =>
          isHidden(item) ? '' : send(`response.${shape.words}.${step}`, { ...place, ...rest });
        const part = (step: string) =>
          isHidden(item) || !shape.part
            ? ''
            : send(`response.${shape.part.name}_part.${step}`, {
                ...place,
                part: shape.part.value,
              });
        const whole = { output_index: index, item: shape.output };
        if (isOpen) return send('response.output_item.added', whole) + part('added');
        if (event.type === 'delta') return words('delta', { delta: event.text, ...shape.logprobs });
        output.push(shape.output);
        const closed = words('done', { ...shape.done, ...shape.logprobs }) + part('done');
        return closed + send('response.output_item.done', whole);
      };
    },
  };
}

/** An item of the output, and the names of its frames; both share one id. */
function shapeOf(item: Item, answerId: string, index: number, status: string) {
  if (item.type === 'toolCall') {
    const { id, name, json } = item;
    const done = { name, arguments: json };
    const state = status === 'in_progress' ? status : 'completed';
    const call = { id: `fc_${id}`, type: 'function_call', status: state, call_id: `call_${id}` };
    const none = { place: {}, logprobs: {}, part: undefined };
    return { output: { ...call, ...done }, words: 'function_call_arguments', done, ...none };
  }
  const { type, text } = item;
  if (type === 'reasoning') {
    const value = { type: 'summary_text', text };
    const summary = text === '' ? [] : [value];
    return {
      output: { id: `rs_${answerId}_${index}`, type, summary },
      ...{ words: 'reasoning_summary_text', done: { text }, place: { summary_index: 0 } },
      ...{ part: { name: 'reasoning_summary', value }, logprobs: {} },
    };
  }
  const value = { type: 'output_text', text, annotations: [], logprobs: [] };
  const content = status === 'in_progress' ? [] : [value];
  return {
    output: { id: `msg_${answerId}_${index}`, type: 'message', status, role: 'assistant', content },
    ...{ words: 'output_text', done: { text }, place: { content_index: 0 } },
    ...{ part: { name: 'content', value }, logprobs: { logprobs: [] } },
  };
}
