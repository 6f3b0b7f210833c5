/** The responses format: typed events and whole replies (spec 2.5; events of the public format). */
import { listOf, numberOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { idsAndModel, assertWhole, fields, noAnswer, restPieces, usageOf } from './pieces.js';
import type { EventReader, KnownFields, KnownField, Piece } from './pieces.js';

const nothingSeen = () => ({ text: false, reasoning: false, tools: new Set<number>() });
type Seen = ReturnType<typeof nothingSeen>;

export function responsesEvents(): EventReader {
  const seen = nothingSeen();
  return {
    pieces(event, name) {
      const index = numberOf(event['output_index']) ?? 0;
      const delta = textOf(event['delta']) ?? '';
      const item = recordOf(event['item']);
      const response = recordOf(event['response']);
      const type = textOf(event['type']) ?? name;
      switch (type) {
        case 'response.created':
          return [idsAndModel(response), ...usageOf(response)];
        case 'response.output_text.delta':
        case 'response.refusal.delta':
          seen.text = true;
          return [{ type: 'text', text: delta }];
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          seen.reasoning = true;
          return delta ? [{ type: 'reasoning', text: delta }] : [];
        case 'response.output_item.added':
          return callPieces(item, index, '');
        case 'response.function_call_arguments.delta':
          if (delta) seen.tools.add(index);
          return delta ? [{ type: 'tool_call', index, arguments: delta }] : [];
        case 'response.function_call_arguments.done':
          if (seen.tools.has(index)) return [];
          seen.tools.add(index);
          return [{ type: 'tool_call', index, arguments: textOf(event['arguments']) ?? '' }];
        case 'response.output_item.done':
          // Some services send calls only here.
          return [
            ...wholeCallPieces(item, index, seen),
            { type: 'item', index, item },
            ...restPieces({ output: [{ ...item, index }] }, inReply),
          ];
        case 'response.completed':
        case 'response.done':
          // Some services send no deltas: their last event contains everything.
          return replyPieces(response, 'completed', seen);
        case 'response.incomplete':
          return replyPieces(response, 'incomplete', seen);
        case 'response.failed':
        case 'response.cancelled':
          assertWhole('failed', response['error']);
          return [];
        default: // parts, and unknown events
          return [];
      }
    },
  };
}

export function responsesReply(reply: JsonRecord): Iterable<Piece> {
  assertWhole(reply['status'], reply['error']);
  if (!Array.isArray(reply['output'])) throw noAnswer();
  return replyPieces(reply, 'completed', nothingSeen());
}

/** The unseen part of a response. @param named its status if it contains none */
function* replyPieces(response: JsonRecord, named: string, seen: Seen): Iterable<Piece> {
  yield idsAndModel(response);
  yield* usageOf(response);
  for (const [index, item] of listOf(response['output']).map(recordOf).entries()) {
    yield* wholeCallPieces(item, index, seen);
    yield { type: 'item', index, item };
    const { type, summary, content } = item;
    if (type === 'reasoning' && !seen.reasoning) {
      yield* textPieces('reasoning', summary);
      yield* textPieces('reasoning', content);
    }
    if (type === 'message' && !seen.text) yield* textPieces('text', content);
  }
  yield* restPieces(response, inReply);
  const status = textOf(response['status']) ?? named;
  assertWhole(status, response['error']);
  const reason = textOf(recordOf(response['incomplete_details'])['reason']);
  yield { type: 'finish', reason: reason ?? (status === 'completed' ? named : status) };
  yield { type: 'end' };
}

function* textPieces(type: 'text' | 'reasoning', parts: unknown): Iterable<Piece> {
  for (const part of listOf(parts).map(recordOf)) {
    const text = textOf(part['text']) ?? textOf(part['refusal']);
    if (text !== undefined) yield { type, text };
  }
}

function wholeCallPieces(item: JsonRecord, index: number, { tools }: Seen): Piece[] {
  if (item['type'] !== 'function_call' || tools.has(index)) return [];
  tools.add(index);
  return callPieces(item, index, textOf(item['arguments']) ?? '');
}

function callPieces(item: JsonRecord, index: number, json: string): Piece[] {
  if (item['type'] !== 'function_call') return [];
  const id = textOf(item['call_id']) ?? textOf(item['id']);
  return [{ type: 'tool_call', index, id, name: textOf(item['name']), arguments: json }];
}

const inPart: KnownField = (part) => {
  const { type } = recordOf(part);
  return /^(output_text|refusal|summary_text|reasoning_text)$/.test(String(type))
    ? fields('type text refusal')
    : {};
};

/** The fields of an output item that other pieces contain, by its type. */
const inItem = new Map<unknown, KnownFields>([
  ['message', { ...fields('index type id status role'), content: inPart }],
  ['reasoning', { ...fields('index type id status'), summary: inPart, content: inPart }],
  ['function_call', fields('index type id status call_id name arguments')],
]);

/** The fields of a reply that other pieces contain, or that repeat the request. */
const inReply: KnownField = {
  ...fields('id object model created_at completed_at status error incomplete_details usage'),
  ...fields('instructions max_output_tokens max_tool_calls metadata parallel_tool_calls'),
  ...fields('previous_response_id prompt_cache_key reasoning safety_identifier store'),
  ...fields('temperature text tool_choice tools top_logprobs top_p truncation user background'),
  output: (item) => inItem.get(recordOf(item)['type']) ?? {},
};
