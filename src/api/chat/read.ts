/** Reads an answer, streamed or whole, in pieces; a stream must end with its terminal event. */
import { Readable } from 'node:stream';
import type { ChatFormat } from '../../contract/enums.js';
import { Incomplete, OutcomeUnknown, type ErrorCode } from '../../errors.js';
import { EventTooLarge, maxEventBytes, SseReader, utf8 } from '../../http/sse.js';
import { Incoming } from '../../http/incoming.js';
import { BodyCut, type HttpResponse, type Sink } from '../../http/types.js';
import { GrowingBytes } from '../../lib/growing.js';
import { isRecord, parsedJson, type JsonRecord } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { maxDepth, weigh } from '../../lib/json-weight.js';
import { cutCode, mayBeDone, outcomeHint } from '../failure.js';
import { defaultMaxValues } from '../json-reply.js';
import { chatEvents, chatReply } from './chat.js';
import { messagesEvents, messagesReply } from './messages.js';
import { assertNoError, noAnswer, StreamFault, type EventReader, type Piece } from './pieces.js';
import { responsesEvents, responsesReply } from './responses.js';

const formats = {
  chat: { events: chatEvents, reply: chatReply, usualEnd: 'stop' },
  messages: { events: messagesEvents, reply: messagesReply, usualEnd: 'end_turn' },
  responses: { events: responsesEvents, reply: responsesReply, usualEnd: 'completed' },
};

type Take = (piece: Piece) => void;
/** Blank lines, which keep the connection alive, and a byte order mark may come first. */
const ink = /[^\s\xef\xbb\xbf]/;

const terminated = new Error('terminated');

/**
 * Passes on the pieces of an answer; the first byte decides whether it is JSON or a stream.
 * @param pace called after each part of the body; its promise holds the body back.
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
  const reader = new SseReader(events.add);
  const json = new GrowingBytes();
  let kind: 'json' | 'events' | undefined;
  const read = async () => {
    await response.pipe((piece) => {
      const [first] = kind ? [] : (ink.exec(piece.toString('latin1')) ?? []);
      if (first === '<') throw pageInstead(response);
      if (first) kind = first === '{' ? 'json' : 'events';
      if (kind === 'json') {
        json.add(piece);
        if (json.length <= maxEventBytes) return;
        throw new StreamFault(
          `the reply is larger than ${maxEventBytes / 1024 ** 2} MiB`,
          'reply_too_large',
        );
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
    // Passing on the last half of a character may fail, too.
    await read()
      .catch((error: unknown) => {
        if (error !== terminated) throw error;
      })
      .finally(() => seen.end());
    if (seen.isEmpty) throw emptyFault();
  } catch (error) {
    throw incompleteFrom(error);
  } finally {
    response.discard();
  }
}

function pageInstead({ status }: HttpResponse): OutcomeUnknown {
  const row = { id: 'chat' };
  const message = `the service answered ${status} with a page; ${mayBeDone(row)}`;
  return new OutcomeUnknown(message, { code: 'not_the_service', hint: outcomeHint(row) });
}

function readReply(json: Buffer, format: ChatFormat, seen: Watched): void {
  // JSON.parse refuses a byte order mark.
  const object = json.subarray(json.indexOf('{'));
  const value = parsedObject(
    object.toString('utf8'),
    'the reply is incomplete JSON',
    'invalid_reply',
  );
  takeReply(value, format, seen);
}

function takeReply(value: JsonRecord, format: ChatFormat, seen: Watched): void {
  const { reply, usualEnd } = formats[format];
  assertNoError(undefined, value);
  for (const piece of reply(value)) seen.take(piece);
  if (!seen.isEmpty && !seen.hasReason) seen.take({ type: 'finish', reason: usualEnd });
}

/** Checks a whole reply as `readAnswer` does. @throws Incomplete where it is not an answer */
export function assertWholeAnswer(value: unknown, format: ChatFormat): void {
  const seen = new Watched(() => undefined);
  try {
    if (!isRecord(value)) throw noAnswer();
    takeReply(value, format, seen);
    if (seen.isEmpty) throw emptyFault();
  } catch (error) {
    throw incompleteFrom(error);
  }
}

/** The text of a whole reply that is an answer. */
export function textOfReply(value: JsonRecord, format: ChatFormat): string {
  const pieces = [...formats[format].reply(value)];
  return pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
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

  readonly add = (name: string | undefined, data: string): void => {
    if (this.isTerminated) return;
    this.count += 1;
    const text = name === undefined ? this.#reader.text?.(data) : undefined;
    if (text) this.take(text);
    else if (data.trim() === '[DONE]') this.isTerminated = this.format === 'chat';
    else {
      const [notJson, code] = name === 'error' ? [utf8(data)] : notEvent;
      const event = parsedObject(utf8(data), notJson, code);
      assertNoError(name, event);
      for (const piece of this.#reader.pieces(event, name, data)) {
        if (piece.type === 'end') this.isTerminated = true;
        else this.take(piece);
      }
    }
  };
}

/** Compiles the reader while svc waits: the first text appears after 1.4 ms, not 1.6 (`npm run bench`). */
export function warmUp(format: ChatFormat): void {
  const event = 'data: {"choices":[{"delta":{"content":"x"}}],"type":"ping"}\n\n';
  const pieces = Readable.from([Buffer.from(event.repeat(3))]);
  const nothing = () => undefined;
  const body = new Incoming({ pieces, idleMs: 0, host: '', destroy: nothing, ended: nothing });
  const pipe = (sink: Sink) => body.pipe(sink);
  const response = { status: 200, headers: {}, pipe, discard: nothing };
  readAnswer(response, format, () => undefined).catch(() => undefined);
}

const notEvent = ['the stream contains an event that is not JSON', 'invalid_event'] as const;

/** Shorter JSON uses little memory, whatever its values. */
const maxSmallLength = 16 * 1024;

function parsedObject(json: string, notJson: string, code?: ErrorCode): JsonRecord {
  const isSmall = json.length <= maxSmallLength;
  const { values, depth } = isSmall ? { values: 0, depth: 0 } : weigh(Buffer.from(json));
  if (values > defaultMaxValues || depth > maxDepth) {
    throw new StreamFault('it contains more JSON values than svc reads', 'too_many_values');
  }
  const value = parsedJson(json);
  if (value === undefined) throw new StreamFault(notJson, code);
  if (isRecord(value)) return value;
  if (typeof value === 'string') throw new StreamFault(value);
  throw new StreamFault('the stream contains an event that is not an object', 'invalid_event');
}

const emptyFault = () => new StreamFault('it is empty', 'empty_answer');

function incompleteFrom(error: unknown): unknown {
  let code: ErrorCode = 'stream_error';
  const serviceCode = error instanceof StreamFault ? error.serviceCode : undefined;
  if (error instanceof StreamFault) code = error.code ?? code;
  else if (error instanceof BodyCut) code = cutCode('stream', error);
  else if (!(error instanceof EventTooLarge)) return error;
  const reason = plainText(error.message) || 'the service reported an error without a message';
  const saved = code === 'empty_answer' ? '' : 'the text so far is kept; ';
  const hint = `${saved}\`svc usage list\` shows whether it was charged`;
  const words = `the answer is incomplete: ${reason}`;
  return new Incomplete(words, { code, serviceCode, cause: error, hint });
}

/** Passes pieces on, texts in whole characters, and notes whether they contain an answer. */
class Watched {
  hasReason = false;
  #hasText = false;
  #hasContent = false;
  /** Halves of characters: some services split the escapes of an emoji between deltas. */
  readonly #halves = { text: '', reasoning: '' };

  constructor(private readonly next: Take) {}

  /** An empty text is an answer if the service gives a reason for its end. */
  get isEmpty(): boolean {
    return !this.#hasContent && !(this.#hasText && this.hasReason);
  }

  readonly take = (piece: Piece): void => {
    if (piece.type === 'text' || piece.type === 'reasoning') {
      const { type, text } = piece;
      this.#hasText = true;
      this.#hasContent ||= text !== '';
      const whole = this.#halves[type] + text;
      const isCut = (whole.charCodeAt(whole.length - 1) & 0xfc00) === 0xd800;
      const end = whole.length - (isCut ? 1 : 0);
      this.#halves[type] = whole.slice(end);
      if (end > 0) this.next({ type, text: whole.slice(0, end) });
      return;
    }
    const { choices, content, output } = piece.type === 'rest' ? piece.rest : {};
    const isContent = piece.type === 'tool_call' || [choices, content, output].some(Array.isArray);
    this.#hasContent ||= isContent;
    this.hasReason ||= piece.type === 'finish';
    this.next(piece);
  };

  /** Lone halves are passed on unchanged. */
  end(): void {
    for (const type of ['text', 'reasoning'] as const) {
      const text = this.#halves[type];
      if (text !== '') this.next({ type, text });
    }
  }
}
