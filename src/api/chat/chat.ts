/** Chat completions: chunks and whole replies (spec 2.3; events of the public format). */
import { isRecord, listOf, numberOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { DeltaTemplate } from './delta-template.js';
import {
  parseEvent,
  refuseEnd,
  refuseError,
  noAnswer,
  type AnswerListener,
  type EventDecoder,
  type Usage,
  type ToolPiece,
} from './answer.js';
import { restOf, told, type Known } from './rest.js';

/** Tells a listener the events of one stream of the chat format, in their order. */
export function decodeChat(listener: AnswerListener): EventDecoder {
  const template = new DeltaTemplate();
  const tools = new ToolIndex();
  const decoder: EventDecoder = {
    isTerminated: false,
    isFinished: false,
    event: (name, data) => {
      const repeated = name === undefined ? template.read(data) : undefined;
      if (repeated !== undefined) {
        listener.text(repeated);
        return;
      }
      if (data.trim() === '[DONE]') {
        decoder.isTerminated = true;
        return;
      }
      const chunk = parseEvent(name, data);
      refuseError(name, chunk);
      listener.about({ id: textOf(chunk['id']), model: textOf(chunk['model']) });
      if (isRecord(chunk['usage'])) listener.usage(usageOf(chunk['usage']));
      const choice = firstChoice(chunk);
      const delta = recordOf(choice['delta']);
      tellMessage(delta, listener, tools);
      const rest = isPlain(chunk, choice, delta)
        ? undefined
        : restOf({ ...chunk, choices: listOf(chunk['choices']).map(whole) }, inReply);
      if (isRecord(rest)) listener.rest?.(rest);
      const reason = textOf(choice['finish_reason']);
      refuseEnd(reason, choice['error']);
      if (reason) {
        decoder.isFinished = true;
        listener.finish(reason);
      }
      const isRepeatable = recordOf(rest)['choices'] === undefined;
      if (isRepeatable && isOnlyText(delta, chunk, reason)) {
        template.learn(data, 'content', delta['content']);
      }
    },
  };
  return decoder;
}

/** Tells a whole reply; @throws StreamFault when it is none. */
export function tellChatReply(reply: JsonRecord, listener: AnswerListener): void {
  const choice = firstChoice(reply);
  const message = choice['message'];
  if (!isRecord(message)) throw noAnswer();
  listener.about({ id: textOf(reply['id']), model: textOf(reply['model']) });
  tellMessage(message, listener, new ToolIndex());
  if (isRecord(reply['usage'])) listener.usage(usageOf(reply['usage']));
  const rest = restOf(reply, inReply);
  if (isRecord(rest)) listener.rest?.(rest);
  const reason = textOf(choice['finish_reason']);
  refuseEnd(reason, choice['error']);
  if (reason) listener.finish(reason);
}

const plainChunk = told('id object created model usage obfuscation choices');
const plainChoice = told('index finish_reason delta');
const plainDelta = told('role content reasoning reasoning_content refusal');

/** Whether a chunk has nothing more to tell, as nearly every one: to look for it costs memory. */
function isPlain(chunk: JsonRecord, choice: JsonRecord, delta: JsonRecord): boolean {
  const [only, ...others] = listOf(chunk['choices']);
  return (
    hasOnly(chunk, plainChunk) &&
    only === choice &&
    others.length === 0 &&
    hasOnly(choice, plainChoice) &&
    hasOnly(delta, plainDelta) &&
    typeof (delta['content'] ?? '') === 'string'
  );
}

function hasOnly(record: JsonRecord, names: Readonly<Record<string, true>>): boolean {
  return Object.keys(record).every((name) => Object.hasOwn(names, name) || record[name] === null);
}

/** A choice of a chunk in the shape that it has in a whole reply. */
function whole(choice: unknown): JsonRecord {
  const { delta, ...more } = recordOf(choice);
  return { ...more, message: delta };
}

const inMessage: Known = {
  ...told('role reasoning reasoning_content refusal'),
  content: (content) => {
    if (typeof content === 'string') return true;
    return textOf(recordOf(content)['text']) === undefined ? {} : told('type text');
  },
  tool_calls: { ...told('index id type'), function: told('name arguments') },
};

/** What the pieces of an answer tell of a reply: of its choices, the first. */
const inReply: Known = {
  ...told('id object created model usage obfuscation'),
  choices: (choice) => {
    if ((recordOf(choice)['index'] ?? 0) !== 0) return {};
    return { ...told('index finish_reason'), message: inMessage };
  },
};

/** Only one answer is ever asked for; a service that sends more has them at higher indices. */
function firstChoice(holder: JsonRecord): JsonRecord {
  const choices = listOf(holder['choices']).filter(isRecord);
  return choices.find((choice) => (choice['index'] ?? 0) === 0) ?? {};
}

/** A chunk that brings text and nothing else that a repetition would have to tell again. */
function isOnlyText(
  delta: JsonRecord,
  chunk: JsonRecord,
  reason: string | undefined,
): delta is JsonRecord & { content: string } {
  return (
    typeof delta['content'] === 'string' &&
    delta['content'] !== '' &&
    !reason &&
    !chunk['usage'] &&
    !delta['tool_calls'] &&
    !reasoningOf(delta) &&
    !delta['refusal']
  );
}

function tellMessage(message: JsonRecord, listener: AnswerListener, tools: ToolIndex): void {
  const reasoning = reasoningOf(message);
  if (reasoning) listener.reasoning(reasoning);
  const { content, refusal } = message;
  const text = contentOf(content) + (textOf(refusal) ?? '');
  if (text !== '' || content === '') listener.text(text);
  for (const [place, call] of listOf(message['tool_calls']).filter(isRecord).entries()) {
    const named = recordOf(call['function']);
    const piece = {
      index: numberOf(call['index']),
      id: textOf(call['id']),
      name: textOf(named['name']),
      arguments: argumentsOf(named['arguments']),
    };
    listener.tool({ ...piece, index: tools.of(piece, place === 0) });
  }
}

/** Vendors name it one way or the other. */
function reasoningOf(message: JsonRecord): string {
  return textOf(message['reasoning_content']) ?? textOf(message['reasoning']) ?? '';
}

/** Text, or the text of content blocks. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((block) => textOf(recordOf(block)['text']) ?? '')
    .join('');
}

/** Some services send the arguments as an object, not as its JSON. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return isRecord(value) ? JSON.stringify(value) : '';
}

function usageOf(usage: JsonRecord): Usage {
  const { prompt_tokens, completion_tokens, total_tokens, ...more } = usage;
  return {
    ...more,
    inputTokens: numberOf(prompt_tokens),
    outputTokens: numberOf(completion_tokens),
    reasoningTokens: numberOf(recordOf(more['completion_tokens_details'])['reasoning_tokens']),
    totalTokens: numberOf(total_tokens),
  };
}

/** A piece as the service sent it. */
type LoosePiece = Omit<ToolPiece, 'index'> & { index?: number };

/** The indices of the tool calls of one answer. */
class ToolIndex {
  private next = 0;
  private last: { index: number; name: string; arguments: ArgumentsEnd } | undefined;
  private readonly byId = new Map<string, number>();

  /** @param isFirst whether it is the first piece of its event. */
  of(piece: LoosePiece, isFirst: boolean): number {
    const index = piece.index ?? this.guess(piece, isFirst);
    this.next = Math.max(this.next, index + 1);
    if (piece.id) this.byId.set(piece.id, index);
    if (this.last?.index !== index) {
      this.last = { index, name: '', arguments: new ArgumentsEnd() };
    }
    if (piece.name) this.last.name = piece.name;
    this.last.arguments.add(piece.arguments);
    return index;
  }

  /** A new id begins a new call; without ids, a name does, unless it only repeats itself. */
  private guess({ id, name }: LoosePiece, isFirst: boolean): number {
    const { last } = this;
    if (!last) return this.next;
    if (id) return this.byId.get(id) ?? this.next;
    const begins = name && (!isFirst || name !== last.name || last.arguments.isReached);
    return begins ? this.next : last.index;
  }
}

/** Tells when the object of a call's arguments is closed, without keeping its text. */
class ArgumentsEnd {
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  isReached = false;

  add(json: string): void {
    for (const character of json) {
      if (this.isEscaped) this.isEscaped = false;
      else if (character === '"') this.isInString = !this.isInString;
      else if (this.isInString) this.isEscaped = character === '\\';
      else if (character === '{') this.depth += 1;
      else if (character === '}') {
        this.depth -= 1;
        this.isReached = this.depth === 0;
      }
    }
  }
}
