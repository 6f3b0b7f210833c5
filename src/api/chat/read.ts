/** Reads an answer, streamed or whole, piece by piece; success needs the terminal marker. */
import type { ChatFormat } from '../../contract/enums.js';
import { Incomplete } from '../../errors.js';
import {
  createSseReader,
  EventTooLarge,
  maxEventBytes,
  maxEventMiB,
  utf8,
  type Latin1,
} from '../../http/sse.js';
import { BodyCut, type HttpResponse, type Sink } from '../../http/types.js';
import { GrowingBytes } from '../../lib/growing.js';
import { isRecord, type JsonRecord } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { weigh } from '../../lib/json-weight.js';
import { defaultMaxValues, maxDepth } from '../json-reply.js';
import { chatEvents, chatReply } from './chat.js';
import { messagesEvents, messagesReply } from './messages.js';
import { assertNoError, StreamFault, type EventReader, type Piece } from './pieces.js';
import { responsesEvents, responsesReply } from './responses.js';

interface Format {
  readonly events: () => EventReader;
  readonly reply: (reply: JsonRecord) => Iterable<Piece>;
  readonly usualEnd: string;
}

const formats: Readonly<Record<ChatFormat, Format>> = {
  chat: { events: chatEvents, reply: chatReply, usualEnd: 'stop' },
  messages: { events: messagesEvents, reply: messagesReply, usualEnd: 'end_turn' },
  responses: { events: responsesEvents, reply: responsesReply, usualEnd: 'completed' },
};

type Take = (piece: Piece) => void;

const terminated = new Error('terminated');

/**
 * Hands over the pieces of an answer; the first byte decides whether it is JSON or a stream.
 * @param pace called after each part of the body; a promise of it holds the body back.
 * @throws Incomplete when the stream reports an error, cannot be read, or ends too early.
 */
export async function readAnswer(
  response: HttpResponse,
  format: ChatFormat,
  take: Take,
  pace: () => void | Promise<void> = () => undefined,
): Promise<void> {
  const seen = new Watched(take);
  const events = new Events(format, seen.take);
  const reader = createSseReader(events.add);
  const json = new GrowingBytes();
  let kind: 'json' | 'events' | undefined;
  const read = async () => {
    await response.pipe((piece) => {
      kind ??= firstInk(piece);
      if (kind === 'json') {
        json.add(piece);
        if (json.length <= maxEventBytes) return;
        throw new StreamFault(`the reply is larger than ${maxEventMiB} MiB`, 'reply_too_large');
      }
      reader.feed(piece);
      if (events.isTerminated) throw terminated;
      return pace();
    });
    if (kind === 'json') {
      readReply(json.toBuffer(), format, seen);
      return;
    }
    reader.end();
    if (events.isTerminated || seen.hasReason) return;
    const what = events.count > 0 ? 'before the answer was finished' : 'without any event';
    throw new StreamFault(`the stream ended ${what}`, 'stream_cut');
  };
  try {
    // The last half of a character may be refused, too.
    await read()
      .catch((error: unknown) => {
        if (error !== terminated) throw error;
      })
      .finally(() => seen.end());
    if (seen.isEmpty) throw new StreamFault('there is nothing in it', emptyAnswer);
  } catch (error) {
    throw incompleteFrom(error);
  } finally {
    response.discard();
  }
}

function readReply(json: Buffer, format: ChatFormat, seen: Watched): void {
  const { reply, usualEnd } = formats[format];
  // Without a byte order mark, which JSON.parse refuses.
  const value = parsedObject(json.subarray(json.indexOf('{')), notReply);
  assertNoError(undefined, value);
  for (const piece of reply(value)) seen.take(piece);
  if (!seen.isEmpty && !seen.hasReason) seen.take({ type: 'finish', reason: usualEnd });
}

export class Events {
  isTerminated = false;
  count = 0;
  readonly #reader: EventReader;

  constructor(
    private readonly format: ChatFormat,
    private readonly take: Take,
  ) {
    this.#reader = formats[format].events();
  }

  readonly add = (name: string | undefined, data: Latin1): void => {
    if (this.isTerminated) return;
    this.count += 1;
    const text = name === undefined ? this.#reader.text?.(data) : undefined;
    if (text !== undefined) this.take({ type: 'text', text });
    else if (data.trim() === '[DONE]') this.isTerminated = this.format === 'chat';
    else {
      const event = parsedObject(Buffer.from(data, 'latin1'), () =>
        name === 'error' ? new StreamFault(utf8(data)) : notEvent(),
      );
      assertNoError(name, event);
      for (const piece of this.#reader.pieces(event, name, data)) {
        if (piece.type === 'end') this.isTerminated = true;
        else this.take(piece);
      }
    }
  };
}

/** Has the reader compiled while an answer is awaited: its first text shows half a ms earlier. */
export function warmUp(format: ChatFormat): void {
  const event = 'data: {"choices":[{"delta":{"content":"x"}}],"type":"ping"}\n\n';
  const body = Buffer.from(event.repeat(3));
  const pipe = async (sink: Sink) => sink(body);
  const response = { status: 200, headers: {}, pipe, discard: () => undefined };
  readAnswer(response, format, () => undefined).catch(() => undefined);
}

const notReply = () => new StreamFault('the reply is JSON that breaks off', 'invalid_reply');
const notEvent = () =>
  new StreamFault('the stream holds an event that is not JSON', 'invalid_event');

/** Less JSON than this is little in memory too, whatever it holds. */
const smallBytes = 16 * 1024;

/** @throws StreamFault for what is no JSON, no object, or more values than svc reads. */
function parsedObject(json: Buffer, notJson: () => StreamFault): JsonRecord {
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

/** Blank lines may come first, to keep the connection alive, and a byte order mark. */
const ink = /[^\s\xef\xbb\xbf]/;

function firstInk(piece: Buffer): 'json' | 'events' | undefined {
  const [first] = ink.exec(piece.toString('latin1')) ?? [];
  if (first === undefined) return undefined;
  return first === '{' ? 'json' : 'events';
}

function incompleteFrom(error: unknown): unknown {
  const isCut = error instanceof BodyCut;
  if (!(error instanceof StreamFault || error instanceof EventTooLarge || isCut)) return error;
  const fault = error instanceof StreamFault ? error : undefined;
  const words = fault ? plainText(fault.message) : error.message;
  const reason = words || 'the service reported an error without words';
  return new Incomplete(`the answer is incomplete: ${reason}`, {
    code: isCut ? `stream_${error.reason.replace('-', '_')}` : (fault?.code ?? 'stream_error'),
    cause: error,
    hint: fault?.code === emptyAnswer ? whetherCharged : afterCut,
  });
}

const emptyAnswer = 'empty_answer';
const whetherCharged = '`svc usage list` shows whether it was charged';
const afterCut = `the text so far is kept; ${whetherCharged}`;

/** Passes pieces on, texts in whole characters, and notes whether there is an answer in them. */
class Watched {
  hasReason = false;
  #hasText = false;
  #hasContent = false;
  /** Halves of characters: some services split the escapes of an emoji over two deltas. */
  readonly #halves = { text: '', reasoning: '' };

  constructor(private readonly next: Take) {}

  /** An empty text is an answer where the service says that it has ended so. */
  get isEmpty(): boolean {
    return !this.#hasContent && !(this.#hasText && this.hasReason);
  }

  readonly take = (piece: Piece): void => {
    switch (piece.type) {
      case 'text':
      case 'reasoning':
        this.#hasText = true;
        if (piece.text !== '') this.#hasContent = true;
        this.#join(piece.type, piece.text);
        return;
      case 'tool_call':
        this.#hasContent = true;
        break;
      case 'rest': {
        const { choices, content, output } = piece.rest;
        if ([choices, content, output].some(Array.isArray)) this.#hasContent = true;
        break;
      }
      case 'finish':
        this.hasReason = true;
        break;
      default:
    }
    this.next(piece);
  };

  #join(type: 'text' | 'reasoning', more: string): void {
    const text = this.#halves[type] + more;
    const last = text.charCodeAt(text.length - 1);
    const end = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
    this.#halves[type] = text.slice(end);
    if (end > 0) this.next({ type, text: text.slice(0, end) });
  }

  /** Halves that never found their others go on as they are. */
  end(): void {
    for (const type of ['text', 'reasoning'] as const) {
      const text = this.#halves[type];
      if (text !== '') this.next({ type, text });
    }
  }
}
