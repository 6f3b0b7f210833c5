/** The responses format: typed events and whole replies (spec 2.5; events of the public format). */
import { isRecord, listOf, numberOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import {
  parseEvent,
  assertWhole,
  assertNoError,
  noAnswer,
  type AnswerListener,
  type EventDecoder,
  type Usage,
} from './answer.js';
import { restOf, reported as elsewhere, type Known } from './rest.js';

/** What of the output has been told; tools by their place in it. */
interface Told {
  text: boolean;
  reasoning: boolean;
  tools: Set<number>;
}

/** Tells a listener the events of one stream of the responses format, in their order. */
export function decodeResponses(listener: AnswerListener): EventDecoder {
  const told: Told = { text: false, reasoning: false, tools: new Set() };
  const end = (event: JsonRecord, status: string) => {
    // A service may send no deltas at all: its last event holds everything.
    tellEnd(recordOf(event['response']), status, listener, told);
    decoder.isTerminated = true;
    decoder.isFinished = true;
  };
  const decoder: EventDecoder = {
    isTerminated: false,
    isFinished: false,
    event: (name, data) => {
      if (data.trim() === '[DONE]') return;
      const event = parseEvent(name, data);
      assertNoError(name, event);
      const index = numberOf(event['output_index']) ?? 0;
      const delta = textOf(event['delta']) ?? '';
      switch (textOf(event['type']) ?? name) {
        case 'response.created':
          tellHead(recordOf(event['response']), listener);
          break;
        case 'response.output_text.delta':
        case 'response.refusal.delta':
          told.text = true;
          listener.text(delta);
          break;
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          told.reasoning = true;
          if (delta) listener.reasoning(delta);
          break;
        case 'response.output_item.added':
          tellCall(recordOf(event['item']), index, listener, '');
          break;
        case 'response.function_call_arguments.delta':
          if (!delta) break;
          told.tools.add(index);
          listener.tool({ index, arguments: delta });
          break;
        case 'response.function_call_arguments.done':
          if (told.tools.has(index)) break;
          told.tools.add(index);
          listener.tool({ index, arguments: textOf(event['arguments']) ?? '' });
          break;
        case 'response.output_item.done':
          // A service may send a call whole, here alone.
          tellWholeCall(recordOf(event['item']), index, listener, told.tools);
          tellRest(restOf({ output: [{ ...recordOf(event['item']), index }] }, inReply), listener);
          break;
        case 'response.completed':
        case 'response.done':
          end(event, 'completed');
          break;
        case 'response.incomplete':
          end(event, 'incomplete');
          break;
        case 'response.failed':
        case 'response.cancelled':
          assertWhole('failed', recordOf(event['response'])['error']);
          break;
        default: // parts, and whatever comes next
      }
    },
  };
  return decoder;
}

/** Tells a whole reply; @throws StreamFault when it is none, or says that it failed. */
export function readResponsesReply(reply: JsonRecord, listener: AnswerListener): void {
  assertWhole(reply['status'], reply['error']);
  if (!Array.isArray(reply['output'])) throw noAnswer();
  tellEnd(reply, 'completed', listener, { text: false, reasoning: false, tools: new Set() });
}

/** @param named the status that the event names; what the response says of itself counts as well. */
function tellEnd(response: JsonRecord, named: string, listener: AnswerListener, told: Told): void {
  tellHead(response, listener);
  tellOutput(response, listener, told);
  tellRest(restOf(response, inReply), listener);
  const status = textOf(response['status']) ?? named;
  assertWhole(status, response['error']);
  const reason = textOf(recordOf(response['incomplete_details'])['reason']);
  listener.finish(reason ?? (status === 'completed' ? named : status));
}

function tellRest(rest: unknown, listener: AnswerListener): void {
  if (isRecord(rest)) listener.rest?.(rest);
}

const inPart: Known = (part) => {
  const { type } = recordOf(part);
  return /^(output_text|refusal|summary_text|reasoning_text)$/.test(String(type))
    ? elsewhere('type text refusal')
    : {};
};

/** What the pieces of an answer tell of an item of its output. */
const inItem: Known = (item) => {
  switch (recordOf(item)['type']) {
    case 'message':
      return { ...elsewhere('index type id status role'), content: inPart };
    case 'reasoning':
      return { ...elsewhere('index type id status'), summary: inPart, content: inPart };
    case 'function_call':
      return elsewhere('index type id status call_id name arguments');
    default:
      return {};
  }
};

/** Besides what an answer tells, a reply repeats the request. */
const inReply: Known = {
  ...elsewhere('id object model created_at completed_at status error incomplete_details usage'),
  ...elsewhere('instructions max_output_tokens max_tool_calls metadata parallel_tool_calls'),
  ...elsewhere('previous_response_id prompt_cache_key reasoning safety_identifier store'),
  ...elsewhere('temperature text tool_choice tools top_logprobs top_p truncation user background'),
  output: inItem,
};

function tellHead(response: JsonRecord, listener: AnswerListener): void {
  listener.about({ id: textOf(response['id']), model: textOf(response['model']) });
  if (isRecord(response['usage'])) listener.usage(usageOf(response['usage']));
}

/** Tells the items of `output` that were not told before. */
function tellOutput(response: JsonRecord, listener: AnswerListener, told: Told): void {
  for (const [index, item] of listOf(response['output']).map(recordOf).entries()) {
    tellWholeCall(item, index, listener, told.tools);
    if (item['type'] === 'reasoning' && !told.reasoning) {
      tellParts(item['summary'], (text) => listener.reasoning(text));
      tellParts(item['content'], (text) => listener.reasoning(text));
    }
    if (item['type'] === 'message' && !told.text) {
      tellParts(item['content'], (text) => listener.text(text));
    }
  }
}

function tellParts(parts: unknown, tell: (text: string) => void): void {
  for (const part of listOf(parts).map(recordOf)) {
    const text = textOf(part['text']) ?? textOf(part['refusal']);
    if (text !== undefined) tell(text);
  }
}

/** A call as a whole item has it, unless its arguments were told before. */
function tellWholeCall(
  item: JsonRecord,
  index: number,
  listener: AnswerListener,
  told: Set<number>,
): void {
  if (item['type'] !== 'function_call' || told.has(index)) return;
  told.add(index);
  tellCall(item, index, listener, textOf(item['arguments']) ?? '');
}

function tellCall(item: JsonRecord, index: number, listener: AnswerListener, json: string): void {
  if (item['type'] !== 'function_call') return;
  listener.tool({
    index,
    id: textOf(item['call_id']) ?? textOf(item['id']),
    name: textOf(item['name']),
    arguments: json,
  });
}

function usageOf({ input_tokens, output_tokens, total_tokens, ...more }: JsonRecord): Usage {
  return {
    ...more,
    inputTokens: numberOf(input_tokens),
    outputTokens: numberOf(output_tokens),
    reasoningTokens: numberOf(recordOf(more['output_tokens_details'])['reasoning_tokens']),
    totalTokens: numberOf(total_tokens),
  };
}
