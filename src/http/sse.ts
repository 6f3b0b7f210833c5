/** Server-sent events from a body's pieces (WHATWG), of bounded size however they are cut. */
import { GrowingText } from '../lib/growing.js';

/** Data of an event, one character per byte: decoding small pieces costs more than the rest. */
export type Latin1 = string;

export function utf8(data: Latin1): string {
  return Buffer.from(data, 'latin1').toString('utf8');
}

/** No format has larger events: the service is broken or hostile. */
const maxEventMiB = 6;
export const maxEventBytes = maxEventMiB * 1024 * 1024;

export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge';
}

const mark = '\xef\xbb\xbf';

/** Feeding it throws EventTooLarge; at its end a last event may lack its line ends. */
export function createSseReader(onEvent: (name: string | undefined, data: Latin1) => void) {
  const line = new GrowingText();
  const data = new GrowingText();
  let name: string | undefined;
  let hasData = false;
  let isFirstLine = true;
  let afterReturn = false;
  const dispatch = () => {
    const [named, text] = [name, data.take()];
    name = undefined;
    hasData = false;
    // An event with blank data means nothing in any of the formats.
    if (text.charCodeAt(0) > 0x20 || text.trim() !== '') onEvent(named, text);
  };
  const takeLine = (given: string) => {
    const text = isFirstLine && given.startsWith(mark) ? given.slice(mark.length) : given;
    isFirstLine = false;
    if (text === '') {
      dispatch();
      return;
    }
    const colon = text.indexOf(':');
    const field = colon === -1 ? text : text.slice(0, colon);
    const space = text.charCodeAt(colon + 1) === 0x20 ? 1 : 0;
    const value = colon === -1 ? '' : text.slice(colon + 1 + space);
    if (field === 'data') {
      if (hasData) data.add('\n');
      hasData = true;
      data.add(value);
    } else if (field === 'event') name = value || undefined;
  };
  return {
    feed: (piece: Buffer): void => {
      let text = piece.toString('latin1');
      if (text.includes('\r') || afterReturn) {
        const rest = afterReturn && text.startsWith('\n') ? text.slice(1) : text;
        if (text !== '') afterReturn = text.endsWith('\r');
        text = rest.replace(/\r\n?/g, '\n');
      }
      let start = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        const rest = text.slice(start, end);
        if (line.length > 0) line.add(rest);
        takeLine(line.length > 0 ? line.take() : rest);
        start = end + 1;
      }
      line.add(text.slice(start));
      if (line.length + data.length <= maxEventBytes) return;
      throw new EventTooLarge(`an event of the stream is larger than ${maxEventMiB} MiB`);
    },
    end: (): void => {
      if (line.length > 0) takeLine(line.take());
      dispatch();
    },
  };
}
