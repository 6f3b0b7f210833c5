/** Chat completions: chunks and whole replies (spec 2.3; events of the public format). */
import { isRecord, listOf, numberOf, recordOf, textOf, toJson } from '../../lib/json.js';
import type { JsonRecord } from '../../lib/json.js';
import { DeltaTemplate } from './delta-template.js';
import { idsAndModel, fields, finishOf, jsonOrText, noAnswer, restOf, usageOf } from './pieces.js';
import type { EventReader, KnownField, Piece, ToolPiece } from './pieces.js';

export function chatEvents(): EventReader {
  const template = new DeltaTemplate();
  const tools = new ToolIndex();
  return {
    text: (data) => template.read(data),
    *pieces(chunk, _, data) {
      const news: Piece[] = [];
      for (const piece of chunkPieces(chunk, tools)) {
        yield piece;
        // Every chunk repeats the fields beside the choices.
        const isOld = piece.type === 'about' || (piece.type === 'rest' && !piece.rest['choices']);
        if (!isOld) news.push(piece);
      }
      const [only] = news;
      if (only && 'text' in only && news.length === 1) template.learn(data, only);
    },
  };
}

const counts = ['prompt', 'completion'] as const;

function* chunkPieces(chunk: JsonRecord, tools: ToolIndex): Iterable<Piece> {
  const choice = firstChoice(chunk);
  yield idsAndModel(chunk);
  yield* usageOf(chunk, counts);
  yield* messagePieces(recordOf(choice['delta']), tools);
  yield* restIn(chunk);
  yield* finishOf(choice['finish_reason'], choice['error']);
}

export function* chatReply(reply: JsonRecord): Iterable<Piece> {
  const choice = firstChoice(reply);
  const message = choice['message'];
  if (!isRecord(message)) throw noAnswer();
  yield idsAndModel(reply);
  yield* messagePieces(message, new ToolIndex());
  yield* usageOf(reply, counts);
  yield* restIn(reply);
  yield* finishOf(choice['finish_reason'], choice['error']);
}

/** svc asks for one answer; further ones have higher indices. */
function firstChoice(holder: JsonRecord): JsonRecord {
  const choices = listOf(holder['choices']).filter(isRecord);
  return choices.find((choice) => (choice['index'] ?? 0) === 0) ?? {};
}

function* messagePieces(message: JsonRecord, tools: ToolIndex): Iterable<Piece> {
  const { content, refusal, reasoning_content: thought, reasoning } = message;
  const thinking = textOf(thought) ?? textOf(reasoning);
  if (thinking) yield { type: 'reasoning', text: thinking };
  const text = contentOf(content) + (textOf(refusal) ?? '');
  if (text !== '' || content === '') yield { type: 'text', text };
  for (const [place, call] of listOf(message['tool_calls']).filter(isRecord).entries()) {
    const { name, arguments: json } = recordOf(call['function']);
    const piece = {
      id: textOf(call['id']),
      name: textOf(name),
      arguments: isRecord(json) ? toJson(json) : (textOf(json) ?? ''),
    };
    const index = tools.of(piece, numberOf(call['index']), place === 0);
    yield { type: 'tool_call', index, ...piece };
  }
}

function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((block) => textOf(recordOf(block)['text']) ?? '')
    .join('');
}

const inMessage: KnownField = {
  ...fields('role reasoning reasoning_content refusal'),
  content: (content) => {
    if (typeof content === 'string') return true;
    return typeof recordOf(content)['text'] === 'string' ? fields('type text') : {};
  },
  tool_calls: { ...fields('index id type'), function: fields('name arguments') },
};
const inChoice: KnownField = {
  ...fields('index finish_reason'),
  message: inMessage,
  delta: inMessage,
};
/** The fields of a reply that other pieces contain; of the choices, only the first. */
const inReply: KnownField = {
  ...fields('id object created model usage obfuscation'),
  choices: (choice) => ((recordOf(choice)['index'] ?? 0) === 0 ? inChoice : {}),
};

function* restIn(reply: JsonRecord): Iterable<Piece> {
  const rest = restOf(reply, inReply);
  if (!isRecord(rest)) return;
  const choices = listOf(rest['choices']).map((choice) => {
    const { delta, ...more } = recordOf(choice);
    return delta === undefined ? more : { ...more, message: delta };
  });
  yield { type: 'rest', rest: choices.length === 0 ? rest : { ...rest, choices } };
}

/** Finds the tool call of a piece, even where the service does not name it. */
class ToolIndex {
  private next = 0;
  private last: { index: number; name?: string; json: string; mayEnd?: boolean } | undefined;
  private readonly byId = new Map<string, number>();

  of(piece: Omit<ToolPiece, 'index'>, stated: number | undefined, isFirst: boolean): number {
    const index = stated ?? this.guess(piece, isFirst);
    this.next = Math.max(this.next, index + 1);
    if (piece.id) this.byId.set(piece.id, index);
    if (this.last?.index !== index) this.last = { index, json: '' };
    if (piece.name) this.last.name = piece.name;
    this.last.json += piece.arguments;
    this.last.mayEnd = piece.arguments.endsWith('}');
    return index;
  }

  /** A new id begins a new call; without ids, a name does, unless it only repeats itself. */
  private guess({ id, name }: Omit<ToolPiece, 'index'>, isFirst: boolean): number {
    const { last, next } = this;
    if (!last) return next;
    if (id) return this.byId.get(id) ?? next;
    const begins =
      name && (!isFirst || name !== last.name || (last.mayEnd && isRecord(jsonOrText(last.json))));
    return begins ? next : last.index;
  }
}
