/** The messages format: named events and whole replies (spec 2.4; events of the public format). */
import { isRecord, listOf, numberOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { parseEvent, refuseError } from './event-json.js';
import { noAnswer, type AnswerListener, type EventDecoder, type Usage } from './listener.js';

/** Tells a listener the events of one stream of the messages format, in their order. */
export function decodeMessages(listener: AnswerListener): EventDecoder {
  const decoder: EventDecoder = {
    isTerminated: false,
    isFinished: false,
    event: (name, data) => {
      if (data.trim() === '[DONE]') return;
      const event = parseEvent(name, data);
      refuseError(name, event);
      // The data's own type decides; the event's name may be missing or differ.
      switch (textOf(event['type']) ?? name) {
        case 'message_start':
          tellHead(recordOf(event['message']), listener);
          break;
        case 'content_block_start':
          tellBlock(recordOf(event['content_block']), numberOf(event['index']) ?? 0, listener);
          break;
        case 'content_block_delta':
          tellDelta(recordOf(event['delta']), numberOf(event['index']) ?? 0, listener);
          break;
        case 'message_delta': {
          if (isRecord(event['usage'])) listener.usage(usageOf(event['usage']));
          const reason = textOf(recordOf(event['delta'])['stop_reason']);
          if (reason) {
            decoder.isFinished = true;
            listener.finish(reason);
          }
          break;
        }
        case 'message_stop':
          decoder.isFinished = true;
          decoder.isTerminated = true;
          break;
        default: // ping, content_block_stop, and whatever comes next
      }
    },
  };
  return decoder;
}

/** Tells a whole reply; @throws StreamFault when it is none. */
export function tellMessagesReply(reply: JsonRecord, listener: AnswerListener): void {
  if (!Array.isArray(reply['content'])) throw noAnswer();
  tellHead(reply, listener);
  for (const [index, block] of listOf(reply['content']).entries()) {
    tellBlock(recordOf(block), index, listener);
  }
  listener.finish(textOf(reply['stop_reason']) ?? 'end_turn');
}

function tellHead(message: JsonRecord, listener: AnswerListener): void {
  listener.about({ id: textOf(message['id']), model: textOf(message['model']) });
  if (isRecord(message['usage'])) listener.usage(usageOf(message['usage']));
}

/** A block as its start event or a whole reply has it; what it already holds is told. */
function tellBlock(block: JsonRecord, index: number, listener: AnswerListener): void {
  const text = textOf(block['text']);
  const thinking = textOf(block['thinking']);
  if (text) listener.text(text);
  if (thinking) listener.reasoning(thinking);
  if (block['type'] !== 'tool_use') return;
  const input = recordOf(block['input']);
  listener.tool({
    index,
    id: textOf(block['id']),
    name: textOf(block['name']),
    // An empty input only opens the call: its JSON follows in deltas.
    arguments: Object.keys(input).length > 0 ? JSON.stringify(input) : '',
  });
}

function tellDelta(delta: JsonRecord, index: number, listener: AnswerListener): void {
  const text = textOf(delta['text']);
  const thinking = textOf(delta['thinking']);
  const json = textOf(delta['partial_json']);
  if (text) listener.text(text);
  if (thinking) listener.reasoning(thinking);
  if (json) listener.tool({ index, arguments: json });
}

function usageOf(usage: JsonRecord): Usage {
  return {
    inputTokens: numberOf(usage['input_tokens']),
    outputTokens: numberOf(usage['output_tokens']),
  };
}
