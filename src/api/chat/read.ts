/** Reads an answer, streamed or whole, and tells a listener; success needs the terminal marker. */
import { Incomplete } from '../../errors.js';
import { createSseReader, EventTooLarge, maxEventBytes, maxEventMiB } from '../../http/sse.js';
import { BodyCut, type HttpResponse } from '../../http/types.js';
import type { ChatFormat } from '../../contract/enums.js';
import { GrowingBytes, SurrogateJoiner } from '../../lib/growing.js';
import type { JsonRecord } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { gather } from './answer.js';
import { decodeChat, tellChatReply } from './chat.js';
import { parseObject, refuseError } from './event-json.js';
import { StreamFault, type AnswerListener, type EventDecoder } from './listener.js';
import { decodeMessages, tellMessagesReply } from './messages.js';
import { decodeResponses, tellResponsesReply } from './responses.js';

interface Format {
  decode: (listener: AnswerListener) => EventDecoder;
  tellReply: (reply: JsonRecord, listener: AnswerListener) => void;
  /** The reason of a whole reply that says none. */
  usualEnd: string;
}

const formats: Readonly<Record<ChatFormat, Format>> = {
  chat: { decode: decodeChat, tellReply: tellChatReply, usualEnd: 'stop' },
  messages: { decode: decodeMessages, tellReply: tellMessagesReply, usualEnd: 'end_turn' },
  responses: { decode: decodeResponses, tellReply: tellResponsesReply, usualEnd: 'completed' },
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
  const joined = joinSurrogates(listener);
  const { decode, tellReply, usualEnd } = formats[format];
  const seen = noting(joined.listener);
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
    await response.pour((piece) => {
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
      refuseError(undefined, value);
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
      .finally(joined.end);
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
export function rehearse(format: ChatFormat): void {
  const { listener } = joinSurrogates(gather({ keepText: false }).listener);
  const decoder = formats[format].decode(listener);
  const reader = createSseReader((name, data) => {
    decoder.event(name, data);
  });
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
  if (error instanceof StreamFault) {
    const reason = plainText(error.message) || 'the service reported an error without words';
    return new Incomplete(`the answer is incomplete: ${reason}`, {
      code: error.code ?? 'stream_error',
      cause: error,
      hint: error.code === emptyAnswer ? whetherCharged : afterCut,
    });
  }
  if (error instanceof EventTooLarge || error instanceof BodyCut) {
    return new Incomplete(`the answer is incomplete: ${error.message}`, {
      code: error instanceof BodyCut ? `stream_${error.reason.replace('-', '_')}` : 'stream_error',
      cause: error,
      hint: afterCut,
    });
  }
  return error;
}

const emptyAnswer = 'empty_answer';
const whetherCharged = '`svc usage list` shows whether it was charged';
const afterCut = `the text so far is kept; ${whetherCharged}`;

/** Passes all on, and notes whether there is an answer in it. */
function noting(listener: AnswerListener): {
  listener: AnswerListener;
  hasReason: () => boolean;
  isEmpty: () => boolean;
} {
  let [hasPiece, hasContent, hasReason] = [false, false, false];
  const noted = (tell: (text: string) => void) => (text: string) => {
    hasPiece = true;
    hasContent ||= text !== '';
    tell(text);
  };
  return {
    listener: {
      ...listener,
      text: noted(listener.text),
      reasoning: noted(listener.reasoning),
      tool: (piece) => {
        hasContent = true;
        listener.tool(piece);
      },
      rest: (piece) => {
        hasContent ||= [piece['choices'], piece['content'], piece['output']].some(Array.isArray);
        listener.rest?.(piece);
      },
      finish: (reason) => {
        hasReason = true;
        listener.finish(reason);
      },
    },
    hasReason: () => hasReason,
    // An empty text is an answer where the service says that it has ended so.
    isEmpty: () => !hasContent && !(hasPiece && hasReason),
  };
}

function joinSurrogates(listener: AnswerListener): { listener: AnswerListener; end: () => void } {
  const joined = (tell: (text: string) => void) => {
    const joiner = new SurrogateJoiner();
    const pass = (whole: string) => {
      if (whole !== '') tell(whole);
    };
    return {
      push: (piece: string) => {
        pass(joiner.push(piece));
      },
      end: () => {
        pass(joiner.end());
      },
    };
  };
  const [text, reasoning] = [joined(listener.text), joined(listener.reasoning)];
  return {
    listener: { ...listener, text: text.push, reasoning: reasoning.push },
    end: () => {
      text.end();
      reasoning.end();
    },
  };
}
