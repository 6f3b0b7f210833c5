/** The messages format: named events and whole replies (spec 2.4; events of the public format). */
import { maxEventBytes } from '../../http/sse.js';
import { isRecord, listOf, numberOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import {
  aboutOf,
  fields,
  finishOf,
  jsonOrText,
  noAnswer,
  restOf,
  restPieces,
  StreamFault,
  usageOf,
  type EventReader,
  type Held,
  type Piece,
} from './pieces.js';

export function messagesEvents(): EventReader {
  /** A block of a kind that svc does not know, while it comes; blocks never overlap. */
  let strange: { index: number; json: string } | undefined;
  return {
    *pieces(event, name) {
      const index = numberOf(event['index']) ?? 0;
      // The data's own type decides; the event's name may be missing or differ.
      switch (textOf(event['type']) ?? name) {
        case 'message_start':
          yield* headPieces(recordOf(event['message']));
          break;
        case 'content_block_start': {
          const block = recordOf(event['content_block']);
          strange = knownBlocks.has(block['type']) ? undefined : { index, json: '' };
          yield* blockPieces(block, index);
          yield* blockRest(index, restOf(block, inBlock));
          break;
        }
        case 'content_block_delta': {
          const { citation, partial_json: json, ...more } = recordOf(event['delta']);
          yield* textPieces(more);
          if (strange?.index === index) {
            if (strange.json.length > maxEventBytes) {
              throw new StreamFault('a block of it is too large', 'answer_too_large');
            }
            strange.json += textOf(json) ?? '';
          } else if (typeof json === 'string' && json) {
            yield { type: 'tool_call', index, arguments: json };
          }
          if (isRecord(citation)) yield* blockRest(index, { citations: [citation] });
          yield* blockRest(index, restOf(more, inDelta));
          break;
        }
        case 'content_block_stop':
          if (strange?.json) yield* blockRest(index, { input: jsonOrText(strange.json) });
          strange = undefined;
          break;
        case 'message_delta': {
          const delta = recordOf(event['delta']);
          yield* usageOf(event);
          yield* restPieces(delta, fields('stop_reason'));
          yield* finishOf(delta['stop_reason']);
          break;
        }
        case 'message_stop':
          yield { type: 'end' };
          break;
        default: // ping, and whatever comes next
      }
    },
  };
}

export function* messagesReply(reply: JsonRecord): Iterable<Piece> {
  if (!Array.isArray(reply['content'])) throw noAnswer();
  yield* headPieces(reply);
  for (const [index, block] of listOf(reply['content']).entries()) {
    yield* blockPieces(recordOf(block), index);
  }
  yield* finishOf(reply['stop_reason']);
}

function* headPieces(message: JsonRecord): Iterable<Piece> {
  yield aboutOf(message);
  yield* usageOf(message);
  yield* restPieces(message, inReply);
}

function* blockPieces(block: JsonRecord, index: number): Iterable<Piece> {
  yield* textPieces(block);
  if (block['type'] !== 'tool_use') return;
  const input = recordOf(block['input']);
  yield {
    type: 'tool_call',
    index,
    id: textOf(block['id']),
    name: textOf(block['name']),
    // An empty input only opens the call: its JSON follows in deltas.
    arguments: Object.keys(input).length > 0 ? JSON.stringify(input) : '',
  };
}

function* textPieces({ text, thinking }: JsonRecord): Iterable<Piece> {
  if (typeof text === 'string') yield { type: 'text', text };
  if (typeof thinking === 'string' && thinking) yield { type: 'reasoning', text: thinking };
}

/** What other pieces hold of a block, by its type. */
const knownBlocks: ReadonlyMap<unknown, Held> = new Map([
  [undefined, fields('text thinking')],
  ['text', fields('type text')],
  ['thinking', fields('type thinking signature')],
  ['tool_use', fields('type id name input')],
]);
const inBlock = (block: unknown): Held => knownBlocks.get(recordOf(block)['type']) ?? {};
const inDelta = fields('type text thinking signature');
const inReply: Held = { ...fields('id type role model stop_reason usage'), content: inBlock };

function* blockRest(index: number, rest: unknown): Iterable<Piece> {
  if (isRecord(rest)) yield { type: 'rest', rest: { content: [{ ...rest, index }] } };
}
