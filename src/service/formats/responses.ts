/** The responses format (section 2.5; names beyond it are the public format's). */
import * as z from 'zod/mini';
import { messageRoles } from '../../contract/enums.js';
import type { createResponse } from '../../contract/chat.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { maybe } from '../../contract/fields.js';
import { recordOf } from '../../lib/json.js';
import { parse } from '../body.js';
import type { Item, Plan, Prompt } from '../engines/engine.js';
import { badRequest, failureType } from '../failure.js';
import { conversation, namedFrame, readContent, readEffort, readOutput } from './format.js';
import { readToolChoice, readTools, toolCall, toolTurn } from './format.js';
import type { Head, ConversationItem, Writer } from './format.js';

const Extras = z.looseObject({
  max_output_tokens: maybe(z.int().check(z.positive())),
  parallel_tool_calls: maybe(z.boolean()),
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
  const { instructions } = body;
  const input = typeof body.input === 'string' ? [body.input] : body.input;
  const said = input.flatMap((item, i) => readItem(item, `input[${i}]`));
  const first = { role: 'system', parts: readContent(instructions, 'instructions') } as const;
  const text = recordOf(body['text']);
  const tools = [body['tools'], ...input.map((item) => recordOf(item)['tools'])];
  const prompt: Prompt = {
    format: 'responses',
    model: body.model,
    stream: body.stream ?? false,
    ...conversation([first, ...said]),
    maxTokens: extras.max_output_tokens ?? undefined,
    stop: [],
    tools: tools.flatMap((definitions) => readTools(definitions)),
    toolChoice: readToolChoice(body['tool_choice']),
    parallelToolCalls: extras.parallel_tool_calls ?? true,
    output: readOutput(text['format'] ?? body['response_format']),
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
    text: { format: { type: 'text' }, ...text },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: body['tools'] ?? [],
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
  };
  // Only the summary of the reasoning is shown.
  return { prompt, showsReasoning: summary !== undefined, echoed };
}

/** What is understood of an item, which may have any form (section 2.5 shows none). */
function readItem(given: unknown, place: string): ConversationItem | [] {
  const item = typeof given === 'string' ? { content: given } : recordOf(given);
  const { type = 'message', role, content, output } = item;
  const kind = String(type);
  if (kind.endsWith('_output')) {
    return toolTurn(readContent(output, `${place}.output`));
  }
  if (kind.endsWith('_call')) {
    const { name = kind, arguments: json, input = json } = item;
    return { role: 'assistant', parts: [toolCall(name, input)] };
  }
  const isMessage = kind === 'message' || (role !== undefined && content !== undefined);
  if (!isMessage) return [];
  const parts = readContent(content, `${place}.content`);
  if (role === 'tool') return toolTurn(parts);
  if (role === 'developer') return { role: 'system', parts };
  return { role: messageRoles.find((known) => known === role) ?? 'user', parts };
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
    const { id, name, json, tool } = item;
    const state = status === 'in_progress' ? status : 'completed';
    const call = { status: state, call_id: `call_${id}`, name, namespace: tool?.namespace };
    const none = { place: {}, logprobs: {}, part: undefined };
    if (tool?.kind === 'custom') {
      const output = { id: `ctc_${id}`, type: 'custom_tool_call', ...call, input: json };
      return { output, words: 'custom_tool_call_input', done: { input: json }, ...none };
    }
    const output = { id: `fc_${id}`, type: 'function_call', ...call, arguments: json };
    const done = { name, arguments: json };
    return { output, words: 'function_call_arguments', done, ...none };
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
