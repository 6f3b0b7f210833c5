/** The messages format: named events and whole replies (spec 2.4; events of the public format). */
import { maxEventBytes } from '../../http/sse.js';
import { isRecord, listOf, numberOf, recordOf, textOf, toJson } from '../../lib/json.js';
import type { JsonRecord } from '../../lib/json.js';
import {
  idsAndModel,
  fields,
  finishOf,
  jsonOrText,
  noAnswer,
  restOf,
  restPieces,
  StreamFault,
  usageOf,
  type EventReader,
  type KnownFields,
  type Piece,
} from './pieces.js';

export function messagesEvents(): EventReader {
  /** A block of an unknown kind, while it arrives; blocks never overlap. */
  let strange: { index: number; json: string } | undefined;
  return {
    pieces(event, name) {
      const index = numberOf(event['index']) ?? 0;
      // The type in the data decides: the name of the event may be missing or differ.
      switch (textOf(event['type']) ?? name) {
        case 'message_start':
          return headPieces(recordOf(event['message']));
        case 'content_block_start': {
          const block = recordOf(event['content_block']);
          strange = knownBlocks.has(block['type']) ? undefined : { index, json: '' };
          return [...blockPieces(block, index), ...blockRest(index, restOf(block, inBlock))];
        }
        case 'content_block_delta': {
          const { citation, partial_json: json, ...more } = recordOf(event['delta']);
          const { signature } = more;
          const isStrange = strange?.index === index;
          if (strange && isStrange) strange.json += textOf(json) ?? '';
          if (strange && strange.json.length > maxEventBytes) {
            throw new StreamFault('one of its blocks is too large', 'answer_too_large');
          }
          const isCall = !isStrange && typeof json === 'string' && json !== '';
          return [
            ...textPieces(more),
            ...(isCall ? [{ type: 'tool_call', index, arguments: json } as const] : []),
            ...(signature ? [{ type: 'item', index, item: { signature } } as const] : []),
            ...(isRecord(citation) ? blockRest(index, { citations: [citation] }) : []),
            ...blockRest(index, restOf(more, inDelta)),
          ];
        }
        case 'content_block_stop': {
          const json = strange?.json;
          strange = undefined;
          return json ? blockRest(index, { input: jsonOrText(json) }) : [];
        }
        case 'message_delta':
          return [
            ...usageOf(event),
            ...restPieces(event['delta'], fields('stop_reason')),
            ...finishOf(recordOf(event['delta'])['stop_reason']),
          ];
        case 'message_stop':
          return [{ type: 'end' }];
        default: // ping, and unknown events
          return [];
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

function headPieces(message: JsonRecord): Piece[] {
  return [idsAndModel(message), ...usageOf(message), ...restPieces(message, inReply)];
}

function blockPieces(block: JsonRecord, index: number): Piece[] {
  const [id, name, input] = [textOf(block['id']), textOf(block['name']), recordOf(block['input'])];
  // An empty input opens the call; its JSON follows in deltas.
  const json = Object.keys(input).length > 0 ? toJson(input) : '';
  const isCall = block['type'] === 'tool_use';
  const call = { type: 'tool_call', index, id, name, arguments: json } as const;
  return [{ type: 'item', index, item: block }, ...textPieces(block), ...(isCall ? [call] : [])];
}

function* textPieces({ text, thinking }: JsonRecord): Iterable<Piece> {
  if (typeof text === 'string') yield { type: 'text', text };
  if (typeof thinking === 'string' && thinking) yield { type: 'reasoning', text: thinking };
}

/** The fields of a block that other pieces contain, by its type. */
const knownBlocks: ReadonlyMap<unknown, KnownFields> = new Map([
  [undefined, fields('text thinking')],
  ['text', fields('type text')],
  ['thinking', fields('type thinking signature')],
  ['tool_use', fields('type id name input')],
]);
const inBlock = (block: unknown): KnownFields => knownBlocks.get(recordOf(block)['type']) ?? {};
const inDelta = fields('type text thinking signature');
const inReply: KnownFields = {
  ...fields('id type role model stop_reason usage'),
  content: inBlock,
};

function blockRest(index: number, rest: unknown): Piece[] {
  return isRecord(rest) ? [{ type: 'rest', rest: { content: [{ ...rest, index }] } }] : [];
}
