/** Server-sent events from a body's pieces (WHATWG; the parser is eventsource-parser). */
import { createParser } from 'eventsource-parser';

/**
 * An event's data as latin1: one character per byte of its UTF-8. Decoding each small piece
 * costs more than all else here, a cut code point cannot break it, and `utf8` undoes it.
 */
export type Latin1 = string;

/** The text of latin1 data. */
export function utf8(data: Latin1): string {
  return Buffer.from(data, 'latin1').toString('utf8');
}

/** An event larger than this is no event of any format: the service is broken or hostile. */
export const maxEventBytes = 64 * 1024 * 1024;

/** An event outgrew `maxEventBytes`. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge';
}

export interface SseReader {
  /** Takes a piece of the body; events are handed over before it returns. */
  feed(piece: Buffer): void;
  /** The body has ended: a last event that only lacks its line ends counts. */
  end(): void;
}

/** @param onEvent gets the event's name, when it has one, and its data. */
export function createSseReader(
  onEvent: (name: string | undefined, data: Latin1) => void,
): SseReader {
  let tooLarge = false;
  const parser = createParser({
    // An event whose data is blank tells nothing in any of the formats.
    onEvent: ({ event, data }) => {
      if (data.charCodeAt(0) > 0x20 || data.trim() !== '') onEvent(event, data);
    },
    onError: (error) => {
      // Unknown fields and bad retry values are to be ignored.
      if (error.type === 'max-buffer-size-exceeded') tooLarge = true;
    },
    maxBufferSize: maxEventBytes,
  });
  let head: Buffer | undefined = Buffer.alloc(0);
  let afterReturn = false;
  const feed = (text: string) => {
    // The parser would hold a carriage return back until it has seen what follows.
    const lines = text.includes('\r') || afterReturn ? withLineFeeds(text, afterReturn) : text;
    if (text !== '') afterReturn = text.endsWith('\r');
    parser.feed(lines);
    if (tooLarge) throw new EventTooLarge('an event of the stream is larger than 64 MiB');
  };
  return {
    feed: (piece) => {
      if (!head) {
        feed(piece.toString('latin1'));
        return;
      }
      // The parser recognises a byte order mark only when it comes in one piece.
      head = Buffer.concat([head, piece]);
      if (head.length < 3 && couldBeMark(head)) return;
      const start = head.toString('latin1');
      head = undefined;
      feed(start);
    },
    end: () => {
      if (head) feed(head.toString('latin1'));
      head = undefined;
      // One feed ends the last line, the other the last event.
      feed('\n');
      feed('\n');
    },
  };
}

/** The text with each of the three line ends as a line feed. */
function withLineFeeds(text: string, afterReturn: boolean): string {
  const rest = afterReturn && text.startsWith('\n') ? text.slice(1) : text;
  return rest.replace(/\r\n?/g, '\n');
}

const mark = Buffer.from([0xef, 0xbb, 0xbf]);

function couldBeMark(head: Buffer): boolean {
  return head.equals(mark.subarray(0, head.length));
}
