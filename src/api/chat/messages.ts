/** The messages format: named events and whole replies (spec 2.4; events of the public format). */
import { isRecord, listOf, numberOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { maxEventBytes } from '../../http/sse.js';
import {
  parseEvent,
  assertWhole,
  assertNoError,
  noAnswer,
  StreamFault,
  type AnswerListener,
  type EventDecoder,
  type Usage,
} from './answer.js';
import { restOf, reported, type Known } from './rest.js';

/** Tells a listener the events of one stream of the messages format, in their order. */
export function decodeMessages(listener: AnswerListener): EventDecoder {
  /** A block of a kind that svc does not know, while it comes; blocks never overlap. */
  let strange: { index: number; json: string } | undefined;
  const tellRest = (index: number, rest: unknown) => {
    if (isRecord(rest)) listener.rest?.({ content: [{ ...rest, index }] });
  };
  const decoder: EventDecoder = {
    isTerminated: false,
    isFinished: false,
    event: (name, data) => {
      if (data.trim() === '[DONE]') return;
      const event = parseEvent(name, data);
      assertNoError(name, event);
      const index = numberOf(event['index']) ?? 0;
      // The data's own type decides; the event's name may be missing or differ.
      switch (textOf(event['type']) ?? name) {
        case 'message_start':
          tellHead(recordOf(event['message']), listener);
          break;
        case 'content_block_start': {
          const block = recordOf(event['content_block']);
          strange = knownBlocks.has(block['type']) ? undefined : { index, json: '' };
          tellBlock(block, index, listener);
          tellRest(index, restOf(block, inBlock));
          break;
        }
        case 'content_block_delta': {
          const delta = recordOf(event['delta']);
          const isStrange = strange?.index === index;
          const { citation, partial_json, ...more } = delta;
          if (strange && isStrange) strange.json = joined(strange.json, partial_json);
          tellDelta(isStrange ? more : delta, index, listener);
          if (isRecord(citation)) tellRest(index, { citations: [citation] });
          tellRest(index, restOf(more, inDelta));
          break;
        }
        case 'content_block_stop':
          if (strange?.json) tellRest(index, { input: parsedInput(strange.json) });
          strange = undefined;
          break;
        case 'message_delta': {
          if (isRecord(event['usage'])) listener.usage(usageOf(event['usage']));
          const delta = recordOf(event['delta']);
          const rest = restOf(delta, reported('stop_reason'));
          if (isRecord(rest)) listener.rest?.(rest);
          const reason = textOf(delta['stop_reason']);
          assertWhole(reason, undefined);
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
        default: // ping, and whatever comes next
      }
    },
  };
  return decoder;
}

/** Tells a whole reply; @throws StreamFault when it is none. */
export function readMessagesReply(reply: JsonRecord, listener: AnswerListener): void {
  if (!Array.isArray(reply['content'])) throw noAnswer();
  tellHead(reply, listener);
  for (const [index, block] of listOf(reply['content']).entries()) {
    tellBlock(recordOf(block), index, listener);
  }
  const reason = textOf(reply['stop_reason']);
  assertWhole(reason, undefined);
  if (reason) listener.finish(reason);
}

/** What the pieces of an answer tell of a block, by its type. */
const knownBlocks: ReadonlyMap<unknown, Known> = new Map([
  [undefined, reported('text thinking')],
  ['text', reported('type text')],
  ['thinking', reported('type thinking signature')],
  ['tool_use', reported('type id name input')],
]);
const inBlock = (block: unknown): Known => knownBlocks.get(recordOf(block)['type']) ?? {};
const inDelta = reported('type text thinking signature');
const inReply: Known = { ...reported('id type role model stop_reason usage'), content: inBlock };

/** @throws StreamFault for more than an event may hold. */
function joined(json: string, piece: unknown): string {
  if (json.length > maxEventBytes)
    throw new StreamFault('a block of it is too large', 'answer_too_large');
  return json + (textOf(piece) ?? '');
}

function parsedInput(json: string): unknown {
  try {
    const input: unknown = JSON.parse(json);
    return input;
  } catch {
    return json;
  }
}

function tellHead(message: JsonRecord, listener: AnswerListener): void {
  listener.about({ id: textOf(message['id']), model: textOf(message['model']) });
  if (isRecord(message['usage'])) listener.usage(usageOf(message['usage']));
  const rest = restOf(message, inReply);
  if (isRecord(rest)) listener.rest?.(rest);
}

/** A block as its start event or a whole reply has it; what it already holds is told. */
function tellBlock(block: JsonRecord, index: number, listener: AnswerListener): void {
  const text = textOf(block['text']);
  const thinking = textOf(block['thinking']);
  if (text !== undefined) listener.text(text);
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

function usageOf({ input_tokens, output_tokens, ...more }: JsonRecord): Usage {
  return { ...more, inputTokens: numberOf(input_tokens), outputTokens: numberOf(output_tokens) };
}
