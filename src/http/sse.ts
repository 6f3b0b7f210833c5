/** Server-sent events from a body's pieces, of bounded size however they are cut. */
import { createParser, type EventSourceParser } from 'eventsource-parser';

/** Data of an event, one character per byte: decoding small pieces costs more than the rest. */
export type Latin1 = string;

export function utf8(data: Latin1): string {
  return /[\x80-\xff]/.test(data) ? Buffer.from(data, 'latin1').toString('utf8') : data;
}

/** No format has larger events: the service is broken or hostile. */
const maxEventMiB = 6;
export const maxEventBytes = maxEventMiB * 1024 * 1024;
/** The parser links the lines of an event, which takes more memory than an empty line has bytes. */
const maxEventLines = 250_000;
/** The parser keeps each piece of a line; shorter ones are joined first. */
const minPieceLength = 8 * 1024;

export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge';
}

export class SseReader {
  readonly #parser: EventSourceParser;
  /** The start of a line, which the parser does not have yet. */
  #tail = '';
  #linesSinceEvent = 0;
  #endedInReturn = false;

  constructor(onEvent: (name: string | undefined, data: Latin1) => void) {
    this.#parser = createParser({
      maxBufferSize: maxEventBytes,
      onEvent: ({ event, data }) => {
        this.#linesSinceEvent = -1;
        // An event with blank data means nothing in any of the formats.
        if (data.charCodeAt(0) > 0x20 || data.trim() !== '') onEvent(event, data);
      },
      onError: ({ type }) => {
        if (type !== 'max-buffer-size-exceeded') return;
        throw new EventTooLarge(`an event of the stream is larger than ${maxEventMiB} MiB`);
      },
    });
  }

  /** @throws EventTooLarge; what `onEvent` throws */
  feed(piece: Buffer): void {
    if (piece.length === 0) return;
    let text = piece.toString('latin1');
    if (this.#endedInReturn && text.startsWith('\n')) text = text.slice(1);
    // The parser would wait for the line feed that may follow, perhaps for ever.
    this.#endedInReturn = text.endsWith('\r');
    if (this.#endedInReturn) text += '\n';
    const hasLineEnd = /[\r\n]/.test(text);
    this.#tail += text;
    if (!hasLineEnd && this.#tail.length < minPieceLength) return;
    const lines = this.#tail;
    this.#tail = '';
    this.#parser.feed(lines);
    if (this.#linesSinceEvent < 0) this.#linesSinceEvent = 0;
    else if (hasLineEnd) this.#linesSinceEvent += lines.split(/[\r\n]/).length - 1;
    if (this.#linesSinceEvent <= maxEventLines) return;
    throw new EventTooLarge(`an event of the stream has more than ${maxEventLines} lines`);
  }

  /** The last event may lack its line ends. */
  end(): void {
    this.#parser.feed(`${this.#tail}\n\n`);
  }
}
