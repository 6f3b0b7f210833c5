/** The responses format: typed events and whole replies (spec 2.5; events of the public format). */
import { isRecord, listOf, numberOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { faultFrom, parseEvent, refuseError } from './event-json.js';
import {
  noAnswer,
  StreamFault,
  type AnswerListener,
  type EventDecoder,
  type Usage,
} from './listener.js';

/** What of the output has been told; tools by their place in it. */
interface Told {
  text: boolean;
  reasoning: boolean;
  tools: Set<number>;
}

/** Tells a listener the events of one stream of the responses format, in their order. */
export function decodeResponses(listener: AnswerListener): EventDecoder {
  const told: Told = { text: false, reasoning: false, tools: new Set() };
  const end = (event: JsonRecord, reason: string) => {
    const response = recordOf(event['response']);
    tellHead(response, listener);
    // A service may send no deltas at all: its last event holds everything.
    tellOutput(response, listener, told);
    listener.finish(textOf(recordOf(response['incomplete_details'])['reason']) ?? reason);
    decoder.isTerminated = true;
    decoder.isFinished = true;
  };
  const decoder: EventDecoder = {
    isTerminated: false,
    isFinished: false,
    event: (name, data) => {
      if (data.trim() === '[DONE]') return;
      const event = parseEvent(name, data);
      refuseError(name, event);
      const index = numberOf(event['output_index']) ?? 0;
      const delta = textOf(event['delta']) ?? '';
      switch (textOf(event['type']) ?? name) {
        case 'response.created':
          tellHead(recordOf(event['response']), listener);
          break;
        case 'response.output_text.delta':
        case 'response.refusal.delta':
          told.text = true;
          if (delta) listener.text(delta);
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
          throw failureOf(recordOf(event['response']));
        default: // parts, and whatever comes next
      }
    },
  };
  return decoder;
}

/** Tells a whole reply; @throws StreamFault when it is none, or says that it failed. */
export function tellResponsesReply(reply: JsonRecord, listener: AnswerListener): void {
  if (reply['status'] === 'failed' || reply['status'] === 'cancelled') throw failureOf(reply);
  if (!Array.isArray(reply['output'])) throw noAnswer();
  tellHead(reply, listener);
  tellOutput(reply, listener, { text: false, reasoning: false, tools: new Set() });
  listener.finish(
    textOf(recordOf(reply['incomplete_details'])['reason']) ??
      textOf(reply['status']) ??
      'completed',
  );
}

function failureOf(response: JsonRecord): StreamFault {
  return isRecord(response['error'])
    ? faultFrom(response['error'])
    : new StreamFault('the service reported that the answer failed');
}

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
    if (text) tell(text);
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

function usageOf(usage: JsonRecord): Usage {
  return {
    inputTokens: numberOf(usage['input_tokens']),
    outputTokens: numberOf(usage['output_tokens']),
    reasoningTokens: numberOf(recordOf(usage['output_tokens_details'])['reasoning_tokens']),
    totalTokens: numberOf(usage['total_tokens']),
  };
}
