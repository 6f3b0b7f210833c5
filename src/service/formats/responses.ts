/** The responses format (section 2.5; names beyond it are the public format's). */
import * as z from 'zod/mini';
import { messageRoles } from '../../contract/enums.js';
import type { createResponse } from '../../contract/chat.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { maybe } from '../../contract/fields.js';
import { parsedJson, recordOf, type JsonRecord } from '../../lib/json.js';
import { parse } from '../body.js';
import type { Event, Item, Plan, Prompt } from '../engines/engine.js';
import { badRequest, failureType } from '../failure.js';
import { conversation, namedFrame, readContent, readEffort, readOutput } from './format.js';
import { readToolChoice, readTools, toolCall, toolTurn } from './format.js';
import type { AnswerHead, ConversationItem, Writer } from './format.js';

const Extras = z.looseObject({
  max_output_tokens: maybe(z.int().check(z.positive())),
  parallel_tool_calls: maybe(z.boolean()),
  previous_response_id: maybe(z.string()),
  conversation: z.optional(z.unknown()),
});

type ResponsesBody = EndpointInput<typeof createResponse>['body'];

export function readResponsesRequest(body: ResponsesBody) {
  const extras = parse(Extras, body);
  // Answers are not stored, so a request cannot refer to an earlier one.
  for (const field of ['previous_response_id', 'conversation'] as const) {
    if (extras[field] !== undefined && extras[field] !== null) {
      throw badRequest(`${field} is not supported: send the whole conversation as input`, field);
    }
  }
  const { instructions } = body;
  const input = typeof body.input === 'string' ? [body.input] : body.input;
  const messages = input.flatMap((item, i) => readItem(item, `input[${i}]`));
  const first = { role: 'system', parts: readContent(instructions, 'instructions') } as const;
  const text = recordOf(body['text']);
  const tools = [body['tools'], ...input.map((item) => recordOf(item)['tools'])];
  const prompt: Prompt = {
    format: 'responses',
    model: body.model,
    stream: body.stream ?? false,
    ...conversation([first, ...messages]),
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
function readItem(value: unknown, place: string): ConversationItem | [] {
  const item = typeof value === 'string' ? { content: value } : recordOf(value);
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

interface ResponseSettings {
  /** Whether a summary of the reasoning is shown. */
  readonly showsReasoning: boolean;
  /** The settings of the request, which the answer repeats. */
  readonly echoed: JsonRecord;
}

export function responsesWriter(settings: ResponseSettings): Writer {
  return {
    complete: (plan, head) => {
      const output = plan.items.map((_, index) => finalShape(plan, head, index, settings).output);
      return endOf(plan, head, output, settings);
    },
    stream: (plan, head) => {
      const stream = new ResponseStream(plan, head, settings);
      return (event) => stream.write(event);
    },
  };
}

/** Writes the events of one answer, numbered. */
class ResponseStream {
  #sequence = 0;
  readonly #output: object[] = [];

  constructor(
    private readonly plan: Plan,
    private readonly head: AnswerHead,
    private readonly settings: ResponseSettings,
  ) {}

  write(event: Event): string {
    if (event.type === 'start') {
      const state = { status: 'in_progress', output: [] };
      const response = responseOf(this.head, state, this.settings);
      return (
        this.#send('response.created', { response }) +
        this.#send('response.in_progress', { response })
      );
    }
    if (event.type === 'failure') {
      // Clients read either the flat fields or the nested ones; some read only the nested.
      const { status, code, message, details } = event.failure;
      const { param = null } = details;
      const error = { type: failureType(status), code, message, param };
      return this.#send('error', { code, message, param, error });
    }
    if (event.type === 'finish') {
      const type = this.plan.finish === 'length' ? 'response.incomplete' : 'response.completed';
      return this.#send(type, {
        response: endOf(this.plan, this.head, this.#output, this.settings),
      });
    }
    return this.#writeItem(event);
  }

  #writeItem(event: Extract<Event, { item: Item }>): string {
    const { item, index } = event;
    const isOpen = event.type === 'open';
    const empty = item.type === 'toolCall' ? { ...item, json: '' } : { ...item, text: '' };
    const shape = isOpen
      ? shapeOf(empty, this.head.id, index, 'in_progress')
      : finalShape(this.plan, this.head, index, this.settings);
    const place = { item_id: shape.output.id, output_index: index, ...shape.place };
    const isShown = item.type !== 'reasoning' || this.settings.showsReasoning;
    const words = (step: string, rest: object) => {
      if (!isShown || !shape.words) return '';
      return this.#send(`response.${shape.words}.${step}`, { ...place, ...rest });
    };
    const part = (step: string) => {
      if (!isShown || !shape.part) return '';
      const { name, value } = shape.part;
      return this.#send(`response.${name}_part.${step}`, { ...place, part: value });
    };
    const whole = { output_index: index, item: shape.output };
    if (isOpen) return this.#send('response.output_item.added', whole) + part('added');
    if (event.type === 'delta') return words('delta', { delta: event.text, ...shape.logprobs });
    this.#output.push(shape.output);
    const closed = words('done', { ...shape.done, ...shape.logprobs }) + part('done');
    return closed + this.#send('response.output_item.done', whole);
  }

  #send(type: string, rest: object): string {
    return namedFrame(type, { sequence_number: this.#sequence++, ...rest });
  }
}

function responseOf(head: AnswerHead, state: object, { echoed }: ResponseSettings) {
  return {
    id: `resp_${head.id}`,
    object: 'response',
    created_at: Math.floor(head.createdAtMs / 1000),
    model: head.model,
    ...echoed,
    ...state,
  };
}

function endOf(
  plan: Plan,
  head: AnswerHead,
  output: readonly object[],
  settings: ResponseSettings,
) {
  const isCut = plan.finish === 'length';
  const { inputTokens, outputTokens, reasoningTokens } = plan.usage;
  const usage = {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
  const status = isCut ? 'incomplete' : 'completed';
  const incomplete_details = isCut ? { reason: 'max_output_tokens' } : undefined;
  return responseOf(head, { status, incomplete_details, output, usage }, settings);
}

/** A finished item; only the last one can be cut. */
function finalShape(
  { items, finish }: Plan,
  head: AnswerHead,
  index: number,
  settings: ResponseSettings,
) {
  const isCut = finish === 'length' && index === items.length - 1;
  const item = items[index] ?? { type: 'text', text: '' };
  const isHidden = item.type === 'reasoning' && !settings.showsReasoning;
  const shown: Item = isHidden ? { type: 'reasoning', text: '' } : item;
  return shapeOf(shown, head.id, index, isCut ? 'incomplete' : 'completed');
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
    if (tool?.kind === 'search') {
      const query = { call_id: call.call_id, status: state, arguments: recordOf(parsedJson(json)) };
      const output = { id: `tsc_${id}`, type: 'tool_search_call', execution: 'client', ...query };
      return { output, words: undefined, done: {}, ...none };
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
