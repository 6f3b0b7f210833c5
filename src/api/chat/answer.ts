/** An answer in pieces, as the three wire formats have it in common, and gathered whole. */
import { type JsonRecord, isRecord, textOf } from '../../lib/json.js';
import { utf8 } from '../../http/sse.js';
import { defaultMaxValues, maxDepth, weigh } from '../json-reply.js';
import { GrowingText } from '../../lib/growing.js';
import { Rest } from './rest.js';

export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  reasoningTokens?: number;
  totalTokens?: number;
  /** Whatever else the service counts, by its own names. */
  [name: string]: unknown;
}

/** A piece of a tool call; pieces with the same `index` belong together. */
export interface ToolPiece {
  index: number;
  id?: string;
  name?: string;
  /** A fragment of the arguments' JSON. */
  arguments: string;
}

/** What an answer brings. */
export interface AnswerPieces {
  text: string;
  reasoning: string;
  tool: ToolPiece;
  /** Cumulative: a later report overwrites an earlier one, field by field. */
  usage: Usage;
  finish: string;
  /** What no other piece has a place for, in the shape of a whole reply of the format (rest.ts). */
  rest: JsonRecord;
  /** The answer's own id and the model that made it, as far as told. */
  about: { id?: string; model?: string };
}

/** Told of the pieces that it wants, as they arrive. */
export type SomeListener = { [Kind in keyof AnswerPieces]?: (piece: AnswerPieces[Kind]) => void };

/** Told of each piece; an empty text says that there is a text, and it is empty. */
export type AnswerListener = SomeListener & Required<Omit<SomeListener, 'rest'>>;

/** Decodes the events of one format. */
export interface EventDecoder {
  /**
   * @param data latin1 (http/sse.ts).
   * @throws StreamFault when the event is an error or cannot be read.
   */
  event: (name: string | undefined, data: string) => void;
  /** The terminator came: nothing after it counts. */
  isTerminated: boolean;
  /** The answer's end was announced, so a clean end of the body is a whole answer. */
  isFinished: boolean;
}

/** The stream told of a failure, or cannot be understood. Its message may be empty. */
export class StreamFault extends Error {
  override readonly name = 'StreamFault';
  constructor(
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}

/** The service's JSON is no answer of the format: `{"detail": …}`, say. */
export function noAnswer(): StreamFault {
  return new StreamFault('the reply holds no answer', 'invalid_reply');
}

/** @throws StreamFault when the data is no JSON object; an error may be told in bare words. */
export function parseEvent(name: string | undefined, data: string): JsonRecord {
  return parseObject(Buffer.from(data, 'latin1'), () =>
    name === 'error'
      ? new StreamFault(utf8(data))
      : new StreamFault('the stream holds an event that is not JSON', 'invalid_event'),
  );
}

/** Less JSON than this is little in memory too, whatever it holds. */
const smallBytes = 16 * 1024;

/**
 * @param notJson what is wrong where it is none.
 * @throws StreamFault for that, for what is no object, and for more values than svc reads.
 */
export function parseObject(json: Buffer, notJson: () => StreamFault): JsonRecord {
  const { values, depth } = json.length > smallBytes ? weigh(json) : { values: 0, depth: 0 };
  if (values > defaultMaxValues || depth > maxDepth) {
    throw new StreamFault('it holds JSON of more values than svc reads', 'too_many_values');
  }
  let value: unknown;
  try {
    value = JSON.parse(json.toString('utf8'));
  } catch {
    throw notJson();
  }
  if (isRecord(value)) return value;
  if (typeof value === 'string') throw new StreamFault(value);
  throw new StreamFault('the stream holds an event that is no object', 'invalid_event');
}

/**
 * Throws when the event reports a failure: `{error: {message, code}}`, `{error: "text"}`, or
 * the flat `{type: "error", message, code}` and `{ok: false, message, code}`.
 */
export function assertNoError(name: string | undefined, event: JsonRecord): void {
  const { error } = event;
  if (typeof error === 'string' && error !== '') throw new StreamFault(error);
  if (isRecord(error)) throw faultFrom(error);
  if (error) throw new StreamFault('');
  if (event['type'] === 'error' || event['ok'] === false || name === 'error')
    throw faultFrom(event);
}

/** @param error `{message, code | type}`, as far as it is told. */
export function faultFrom(error: JsonRecord): StreamFault {
  const type = error['type'] === 'error' ? undefined : textOf(error['type']);
  const code = error['code'];
  return new StreamFault(
    textOf(error['message']) ?? '',
    typeof code === 'string' || typeof code === 'number' ? String(code) : type,
  );
}

const failures: ReadonlySet<unknown> = new Set(['failed', 'cancelled', 'canceled', 'error']);
const underWay: ReadonlySet<unknown> = new Set(['in_progress', 'queued']);

/**
 * Throws when the end of an answer says that it is no answer, whatever event or reply brought it.
 * @param status of the answer, or the reason why it ended.
 * @param error what the service tells with it.
 */
export function assertWhole(status: unknown, error: unknown): void {
  if (isRecord(error)) throw faultFrom(error);
  if (failures.has(status)) {
    throw new StreamFault('the service reported that the answer failed', 'answer_failed');
  }
  if (underWay.has(status)) {
    throw new StreamFault('it ended while the service was still at it', 'answer_unfinished');
  }
}

export interface ToolCall {
  id?: string;
  name: string;
  /** As the model wrote them: JSON, unless the answer broke off. */
  arguments: string;
}

export interface Answer {
  id?: string;
  model?: string;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: ToolCall[];
  usage?: Usage;
  finishReason?: string;
  /** What the other fields do not tell, in the shape of a whole reply. */
  readonly rest?: JsonRecord;
}

/** Far more than any model writes: what is kept of an answer must not fill the memory. */
const most = { textBytes: 2 * 1024 * 1024, toolBytes: 1024 * 1024, restBytes: 8 * 1024 * 1024 };
/** Arguments are turned into values, and a call is more than its text. */
const toolWeight = most.textBytes / most.toolBytes;
const callBytes = 128;
const tooMuch = 'it is larger than svc keeps: 2 MiB of text, or 1 MiB of tool calls';
const tooMuchElse = 'it holds more besides its text than svc keeps: 8 MiB';

/**
 * Gathers what it is told into `answer`; texts and the rest only where `keepText` asks for it. The listener
 * throws StreamFault for what is too much to keep; what came before stays.
 */
export function gather(options: { keepText: boolean }): {
  answer: Answer;
  listener: AnswerListener;
} {
  const texts = { text: new GrowingText(), reasoning: new GrowingText() };
  const answer: Answer = {
    get text() {
      return texts.text.toString();
    },
    get reasoning() {
      return texts.reasoning.toString();
    },
    toolCalls: [],
    get rest() {
      return rest.reply;
    },
  };
  const rest = new Rest();
  const usages = new Rest();
  const calls = new Map<number, ToolCall>();
  let keptBytes = 0;
  const keep = (bytes: number) => {
    if (keptBytes + bytes > most.textBytes) throw new StreamFault(tooMuch, 'answer_too_large');
    keptBytes += bytes;
  };
  const add = (to: Rest, piece: JsonRecord) => {
    to.add(piece);
    if (rest.bytes + usages.bytes <= most.restBytes) return;
    throw new StreamFault(tooMuchElse, 'answer_too_large');
  };
  const keepText = (kind: 'text' | 'reasoning') => (piece: string) => {
    if (!options.keepText) return;
    // As it is written in the end, escapes and all.
    keep(Buffer.byteLength(JSON.stringify(piece)) - 2);
    texts[kind].add(piece);
  };
  return {
    answer,
    listener: {
      text: keepText('text'),
      reasoning: keepText('reasoning'),
      tool: ({ index, id, name, arguments: more }) => {
        let call = calls.get(index);
        if (!call) {
          keep(callBytes * toolWeight);
          call = { name: '', arguments: '' };
          calls.set(index, call);
          answer.toolCalls.push(call);
        }
        // Some services repeat id and name on every piece.
        const news = [more, id === call.id ? '' : id, name === call.name ? '' : name];
        keep(Buffer.byteLength(news.join('')) * toolWeight);
        if (id) call.id = id;
        if (name) call.name = name;
        call.arguments += more;
      },
      usage: (usage) => {
        const known = Object.entries(usage).filter(([, count]) => (count ?? null) !== null);
        add(usages, Object.fromEntries(known));
        answer.usage = { ...usages.reply };
      },
      finish: (reason) => {
        answer.finishReason = reason;
      },
      rest: (piece) => {
        if (options.keepText) add(rest, piece);
      },
      about: ({ id, model }) => {
        if (id) answer.id = id;
        if (model) answer.model = model;
      },
    },
  };
}
