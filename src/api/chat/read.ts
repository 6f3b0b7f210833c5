/** Reads an answer, streamed or whole, and tells a listener; success needs the terminal marker. */
import { Incomplete } from '../../errors.js';
import { createSseReader, EventTooLarge, maxEventBytes, maxEventMiB } from '../../http/sse.js';
import { BodyCut, type HttpResponse } from '../../http/types.js';
import type { ChatFormat } from '../../contract/enums.js';
import { GrowingBytes, SurrogateJoiner } from '../../lib/growing.js';
import type { JsonRecord } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import {
  gather,
  parseObject,
  assertNoError,
  StreamFault,
  type AnswerListener,
  type EventDecoder,
  type ToolPiece,
} from './answer.js';
import { decodeChat, readChatReply } from './chat.js';
import { decodeMessages, readMessagesReply } from './messages.js';
import { decodeResponses, readResponsesReply } from './responses.js';

interface Format {
  decode: (listener: AnswerListener) => EventDecoder;
  tellReply: (reply: JsonRecord, listener: AnswerListener) => void;
  /** The reason of a whole reply that says none. */
  usualEnd: string;
}

const formats: Readonly<Record<ChatFormat, Format>> = {
  chat: { decode: decodeChat, tellReply: readChatReply, usualEnd: 'stop' },
  messages: { decode: decodeMessages, tellReply: readMessagesReply, usualEnd: 'end_turn' },
  responses: { decode: decodeResponses, tellReply: readResponsesReply, usualEnd: 'completed' },
};

/** Ends the reading of a body whose terminator has come. Never leaves this file. */
class Terminated extends Error {}

/**
 * Tells `listener` what the body brings, piece by piece. Some services answer JSON where a
 * stream was asked for, and the other way round: the first byte decides.
 * @param pace called after each piece; a promise of it holds the body back.
 * @throws Incomplete when the stream reports an error, cannot be read, or ends too early;
 *   what came before it has been told.
 */
export async function readAnswer(
  response: HttpResponse,
  format: ChatFormat,
  listener: AnswerListener,
  pace: () => void | Promise<void> = () => undefined,
): Promise<void> {
  const { decode, tellReply, usualEnd } = formats[format];
  const seen = watched(listener);
  const decoder = decode(seen.listener);
  let eventCount = 0;
  const reader = createSseReader((name, data) => {
    if (decoder.isTerminated) return;
    eventCount++;
    decoder.event(name, data);
  });
  const reply = new GrowingBytes();
  let kind: 'json' | 'events' | undefined;
  const read = async () => {
    await response.pipe((piece) => {
      kind ??= firstInk(piece);
      if (kind === 'json') {
        reply.add(piece);
        if (reply.length <= maxEventBytes) return;
        throw new StreamFault(`the reply is larger than ${maxEventMiB} MiB`, 'reply_too_large');
      }
      reader.feed(piece);
      if (decoder.isTerminated) throw new Terminated();
      return pace();
    });
    if (kind === 'json') {
      const json = reply.toBuffer();
      // Without a byte order mark, which JSON.parse refuses.
      const value = parseObject(json.subarray(json.indexOf('{')), notReply);
      assertNoError(undefined, value);
      tellReply(value, seen.listener);
      if (!seen.isEmpty() && !seen.hasReason()) listener.finish(usualEnd);
      return;
    }
    reader.end();
    if (decoder.isTerminated || decoder.isFinished) return;
    throw new StreamFault(
      eventCount > 0
        ? 'the stream ended before the answer was finished'
        : 'the stream ended without any event',
      'stream_cut',
    );
  };
  try {
    // The listener may refuse the last half of a character, too.
    await read()
      .catch((error: unknown) => {
        if (!(error instanceof Terminated)) throw error;
      })
      .finally(seen.end);
    if (seen.isEmpty()) throw new StreamFault('there is nothing in it', emptyAnswer);
  } catch (error) {
    throw incompleteFrom(error);
  } finally {
    response.discard();
  }
}

/**
 * Runs the reader once on events that mean nothing, so that the code is compiled when the first
 * real one comes. Worth it only while the answer is awaited: it takes half a millisecond off it.
 */
export function warmUp(format: ChatFormat): void {
  const decoder = formats[format].decode(watched(gather({ keepText: false }).listener).listener);
  const reader = createSseReader(decoder.event);
  const event = 'data: {"choices":[{"delta":{"content":"x"}}],"type":"ping"}\n\n';
  for (let times = 0; times < 3; times++) reader.feed(Buffer.from(event));
  reader.end();
}

const notReply = () => new StreamFault('the reply is JSON that breaks off', 'invalid_reply');

/** Blank lines may come first, to keep the line alive, and a byte order mark. */
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

/** Passes all on, texts in whole characters, and notes whether there is an answer in it. */
function watched(listener: AnswerListener) {
  let [hasPiece, hasContent, hasReason] = [false, false, false];
  const joined = (kind: 'text' | 'reasoning') => {
    const joiner = new SurrogateJoiner();
    const pass = (whole: string) => {
      if (whole !== '') listener[kind](whole);
    };
    return {
      push: (piece: string) => {
        hasPiece = true;
        hasContent ||= piece !== '';
        pass(joiner.push(piece));
      },
      end: () => {
        pass(joiner.end());
      },
    };
  };
  const [text, reasoning] = [joined('text'), joined('reasoning')];
  return {
    listener: {
      ...listener,
      text: text.push,
      reasoning: reasoning.push,
      tool: (piece: ToolPiece) => {
        hasContent = true;
        listener.tool(piece);
      },
      rest: (piece: JsonRecord) => {
        hasContent ||= [piece['choices'], piece['content'], piece['output']].some(Array.isArray);
        listener.rest?.(piece);
      },
      finish: (reason: string) => {
        hasReason = true;
        listener.finish(reason);
      },
    },
    hasReason: () => hasReason,
    // An empty text is an answer where the service says that it has ended so.
    isEmpty: () => !hasContent && !(hasPiece && hasReason),
    /** Half a character that never found its other half. */
    end: () => {
      text.end();
      reasoning.end();
    },
  };
}
