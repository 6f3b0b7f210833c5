/** Chat completions: chunks and whole replies (spec 2.3; events of the public format). */
import { isRecord, listOf, numberOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { utf8 } from '../../http/sse.js';
import {
  parseEvent,
  assertWhole,
  assertNoError,
  noAnswer,
  type AnswerListener,
  type EventDecoder,
  type Usage,
  type ToolPiece,
} from './answer.js';
import { restOf, reported, type Known } from './rest.js';

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
      assertNoError(name, chunk);
      const choice = firstChoice(chunk);
      const delta = recordOf(choice['delta']);
      listener.about({ id: textOf(chunk['id']), model: textOf(chunk['model']) });
      if (isRecord(chunk['usage'])) listener.usage(usageOf(chunk['usage']));
      tellMessage(delta, listener, tools);
      const isSameElse = tellRest(chunk, listener);
      decoder.isFinished = tellEnd(choice, listener) || decoder.isFinished;
      const { content } = delta;
      const hasMore = Object.entries(delta).some(
        ([field, value]) => value && field !== 'role' && field !== 'content',
      );
      if (hasMore || !isSameElse || chunk['usage'] || textOf(choice['finish_reason'])) return;
      if (typeof content === 'string' && content !== '') template.learn(data, content);
    },
  };
  return decoder;
}

/** Tells a whole reply; @throws StreamFault when it is none. */
export function readChatReply(reply: JsonRecord, listener: AnswerListener): void {
  const choice = firstChoice(reply);
  const message = choice['message'];
  if (!isRecord(message)) throw noAnswer();
  listener.about({ id: textOf(reply['id']), model: textOf(reply['model']) });
  tellMessage(message, listener, new ToolIndex());
  if (isRecord(reply['usage'])) listener.usage(usageOf(reply['usage']));
  tellRest(reply, listener);
  tellEnd(choice, listener);
}

/** @returns whether it tells a reason to finish. */
function tellEnd(choice: JsonRecord, listener: AnswerListener): boolean {
  const reason = textOf(choice['finish_reason']);
  assertWhole(reason, choice['error']);
  if (reason) listener.finish(reason);
  return Boolean(reason);
}

/** @returns whether no choice has anything to tell: a repetition of the others says nothing new. */
function tellRest(reply: JsonRecord, listener: AnswerListener): boolean {
  const rest = restOf(reply, inReply);
  if (!isRecord(rest)) return true;
  const choices = listOf(rest['choices']).map((choice) => {
    const { delta, ...more } = recordOf(choice);
    return delta === undefined ? more : { ...more, message: delta };
  });
  listener.rest?.(choices.length === 0 ? rest : { ...rest, choices });
  return choices.length === 0;
}

const inMessage: Known = {
  ...reported('role reasoning reasoning_content refusal'),
  content: (content) => {
    if (typeof content === 'string') return true;
    return textOf(recordOf(content)['text']) === undefined ? {} : reported('type text');
  },
  tool_calls: { ...reported('index id type'), function: reported('name arguments') },
};

const inChoice: Known = {
  ...reported('index finish_reason'),
  message: inMessage,
  // A chunk has it in the message's place.
  delta: inMessage,
};

/** What the pieces of an answer tell of a reply: of its choices, the first. */
const inReply: Known = {
  ...reported('id object created model usage obfuscation'),
  choices: (choice) => ((recordOf(choice)['index'] ?? 0) === 0 ? inChoice : {}),
};

/** Only one answer is ever asked for; a service that sends more has them at higher indices. */
function firstChoice(holder: JsonRecord): JsonRecord {
  const choices = listOf(holder['choices']).filter(isRecord);
  return choices.find((choice) => (choice['index'] ?? 0) === 0) ?? {};
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

/** Tells which tool call a piece belongs to, also where the service does not. */
class ToolIndex {
  private next = 0;
  private last: { index: number; name?: string; json: string; mayEnd?: boolean } | undefined;
  private readonly byId = new Map<string, number>();

  /** @param isFirst whether it is the first piece of its event. */
  of(piece: Omit<ToolPiece, 'index'> & { index?: number }, isFirst: boolean): number {
    const index = piece.index ?? this.guess(piece, isFirst);
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
    const begins = name && (!isFirst || name !== last.name || (last.mayEnd && isWhole(last.json)));
    return begins ? next : last.index;
  }
}

/** Whether the object of a call's arguments is closed. */
function isWhole(json: string): boolean {
  try {
    return isRecord(JSON.parse(json));
  } catch {
    return false;
  }
}

/** Longer events are few: parsing them costs less than keeping one. */
const mostLength = 16 * 1024;
const plain = /^[ !#-[\]-~]*$/;
/** A quote, a backslash or a control: the text is written otherwise than it reads. */
const special = /["\\\u0000-\u001f]/;

/**
 * Reads events that differ from one before in their text alone without parsing them: 200,000 of
 * them take 0.6 s in place of 2.4. Two JSON texts that share all before an opening quote and all
 * from the closing one on differ in that string alone, if what stands between is not special.
 */
export class DeltaTemplate {
  private before = '';
  private after = '';

  /** The changed string, decoded; undefined when the event differs elsewhere too. */
  read(data: string): string | undefined {
    const { before, after } = this;
    if (before === '' || data.length < before.length + after.length) return undefined;
    const end = data.length - after.length;
    // Equality compares in words, startsWith character by character.
    // eslint-disable-next-line @typescript-eslint/prefer-string-starts-ends-with
    if (data.slice(0, before.length) !== before || data.slice(end) !== after) return undefined;
    const changed = data.slice(before.length, end);
    if (plain.test(changed)) return changed;
    return special.test(changed) ? undefined : utf8(changed);
  }

  /**
   * Learns from an event that held nothing but this text. One in which its place is not certain
   * teaches nothing: it names the field twice, or holds an escape, which may spell the name again.
   */
  learn(data: string, text: string): void {
    const [, tail = '', ...others] = data.split(/"content"\s*:\s*"/);
    const raw = Buffer.from(text, 'utf8').toString('latin1');
    const isCertain = tail.startsWith(`${raw}"`) && others.length === 0 && !data.includes('\\');
    if (!isCertain || data.length > mostLength) return;
    const start = data.length - tail.length;
    this.before = data.slice(0, start);
    this.after = tail.slice(raw.length);
  }
}
