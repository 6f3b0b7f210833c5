import { describe, expect, test } from 'vitest';
import { EventTooLarge, maxEventBytes, SseReader, utf8 } from '../../src/http/sse.js';
import { cutAnywhere, cutToBytes, seeded } from '../helpers/random.js';

type Event = [name: string | undefined, data: string];

/** The events of a body that comes in these pieces, and those that came before it ended. */
function eventsIn(...pieces: readonly Uint8Array[]): { all: Event[]; early: Event[] } {
  const all: Event[] = [];
  const reader = new SseReader((name, data) => all.push([name, utf8(data)]));
  for (const piece of pieces) reader.feed(Buffer.from(piece));
  const early = [...all];
  reader.end();
  return { all, early };
}

describe.each([
  ['line feeds', '\n'],
  ['carriage returns and line feeds', '\r\n'],
  ['carriage returns', '\r'],
])('a body with %s', (_, eol) => {
  const lines = [': hello', 'event: first', 'data: Привет', 'data:  🌍', 'id: 1', ''];
  const more = ['data', 'data', '', 'retry: 5', 'data:{"x":1}', '', 'event: nothing', '', ''];
  const body = [...lines, ...more, 'data: last', 'event: named', '', ''].join(eol);
  const events: Event[] = [
    ['first', 'Привет\n 🌍'],
    [undefined, '{"x":1}'],
    ['named', 'last'],
  ];

  test('has the same events however it is cut', () => {
    const bytes = Buffer.from(body);
    expect(eventsIn(bytes).all).toEqual(events);
    expect(eventsIn(...cutToBytes(bytes)).all).toEqual(events);
    for (let seed = 1; seed <= 40; seed++) {
      expect(eventsIn(...cutAnywhere(bytes, seeded(seed), 1 + (seed % 40))).all).toEqual(events);
    }
  });

  test.each([
    ['a comment', body],
    ['an event', body.slice(lines[0]?.length)],
  ])('has the same events where %s follows a byte order mark, cut anywhere', (_name, text) => {
    const marked = Buffer.from(`\ufeff${text}`);
    for (let at = 0; at <= marked.length; at++) {
      expect(eventsIn(marked.subarray(0, at), marked.subarray(at)).all).toEqual(events);
    }
    expect(eventsIn(...cutToBytes(marked)).all).toEqual(events);
  });

  test('reports an event with its blank line', () => {
    const event = Buffer.from(`data: x${eol}${eol}`);
    expect(eventsIn(event).early).toEqual([[undefined, 'x']]);
    expect(eventsIn(...cutToBytes(event)).early).toHaveLength(1);
    expect(eventsIn(Buffer.from(`data: x${eol}`)).early).toEqual([]);
  });

  test.each(['', eol, eol + eol])('may end with %j in place of a blank line', (end) => {
    expect(eventsIn(Buffer.from(`data: a${eol}${eol}data: x${end}`)).all).toEqual([
      [undefined, 'a'],
      [undefined, 'x'],
    ]);
  });
});

test.each(['', '\ufeff', '\xef', 'event: a\n\n', 'data:\n\n', 'data: \n\n', 'da'])(
  'the body %j has no event',
  (body) => {
    expect(eventsIn(Buffer.from(body, 'latin1')).all).toEqual([]);
    expect(eventsIn(...cutToBytes(Buffer.from(body))).all).toEqual([]);
  },
);

describe('an event without end is refused before it fills the memory', () => {
  const fedUntilRefused = (piece: Buffer): number => {
    const reader = new SseReader(() => undefined);
    reader.feed(Buffer.from('data: '));
    let fed = 0;
    expect(() => {
      for (; fed < 2 * maxEventBytes; fed += piece.length) reader.feed(piece);
    }).toThrow(EventTooLarge);
    return fed;
  };

  test.each([
    ['in one line', Buffer.alloc(1024 * 1024, 'x')],
    ['in pieces of 100 bytes', Buffer.alloc(100, 'x')],
    ['in long lines', Buffer.from(`data: ${'x'.repeat(65_536)}\n`.repeat(16))],
  ])('%s', (_, piece) => {
    expect(fedUntilRefused(piece)).toBeLessThanOrEqual(maxEventBytes + piece.length + 8 * 1024);
  });

  test('in empty lines, which take more memory than they have bytes', () => {
    expect(fedUntilRefused(Buffer.from('data:\n'.repeat(100)))).toBeLessThan(2 * 1024 * 1024);
  });

  test('and the lines of earlier events do not count', () => {
    const reader = new SseReader(() => undefined);
    const piece = Buffer.from('data: x\n\n'.repeat(1000));
    for (let fed = 0; fed < 500; fed += 1) reader.feed(piece);
  });
});
