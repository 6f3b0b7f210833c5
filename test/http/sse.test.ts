import { describe, expect, test } from 'vitest';
import { createSseReader, EventTooLarge, maxEventBytes, utf8 } from '../../src/http/sse.js';
import { cutAnywhere, cutToBytes, seeded } from '../helpers/random.js';

type Event = [name: string | undefined, data: string];

/** The events of a body that comes in these pieces, and those that came before it ended. */
function eventsIn(pieces: readonly Uint8Array[]): { all: Event[]; early: Event[] } {
  const all: Event[] = [];
  const reader = createSseReader((name, data) => all.push([name, utf8(data)]));
  for (const piece of pieces) reader.feed(Buffer.from(piece));
  const early = [...all];
  reader.end();
  return { all, early };
}

const events = (body: string) => eventsIn([Buffer.from(body)]).all;

const lineEnds = [
  ['line feeds', '\n'],
  ['carriage returns and line feeds', '\r\n'],
  ['carriage returns', '\r'],
] as const;

describe.each(lineEnds)('a body with %s', (_, eol) => {
  const body = Buffer.from(
    [
      ': hello',
      'event: first',
      'data: Привет',
      'data:  🌍',
      'id: 1',
      '',
      'data',
      'data',
      '',
      'retry: 5',
      'data:{"x":1}',
      '',
      'event: nothing',
      '',
      '',
      'data: last',
      'event: named',
      '',
      '',
    ].join(eol),
  );
  const reported: Event[] = [
    ['first', 'Привет\n 🌍'],
    [undefined, '{"x":1}'],
    ['named', 'last'],
  ];

  test('brings the same events however it is cut', () => {
    expect(eventsIn([body]).all).toEqual(reported);
    expect(eventsIn(cutToBytes(body)).all).toEqual(reported);
    for (let seed = 1; seed <= 40; seed++) {
      expect(eventsIn(cutAnywhere(body, seeded(seed), 1 + (seed % 40))).all).toEqual(reported);
    }
  });

  test('brings the same events after a byte order mark, cut at every place', () => {
    const marked = Buffer.concat([Buffer.from('\ufeff'), body]);
    for (let at = 0; at <= marked.length; at++) {
      expect(eventsIn([marked.subarray(0, at), marked.subarray(at)]).all).toEqual(reported);
    }
    expect(eventsIn(cutToBytes(marked)).all).toEqual(reported);
  });

  test('reports an event as soon as its blank line is there', () => {
    expect(eventsIn([Buffer.from(`data: x${eol}${eol}`)]).early).toEqual([[undefined, 'x']]);
    expect(eventsIn(cutToBytes(Buffer.from(`data: x${eol}${eol}`))).early).toHaveLength(1);
    expect(eventsIn([Buffer.from(`data: x${eol}`)]).early).toEqual([]);
  });

  test('may end without the last line ends', () => {
    for (const end of ['', eol, eol + eol]) {
      expect(events(`data: a${eol}${eol}data: x${end}`)).toEqual([
        [undefined, 'a'],
        [undefined, 'x'],
      ]);
    }
  });
});

test.each([
  ['strips one space after a colon, and one alone', 'data:  x \n\n', ' x '],
  ['needs no space after a colon', 'data:x\n\n', 'x'],
  ['keeps colons of the data', 'data:a:b: c\n\n', 'a:b: c'],
  ['takes a later event name over an earlier one', 'event: a\nevent: b\ndata: x\n\n', 'x', 'b'],
  ['forgets the name of an event without data', 'event: a\n\ndata: x\n\n', 'x'],
  ['keeps a NUL and other controls', 'data: \0\u001b[31m\n\n', '\0\u001b[31m'],
])('%s', (_, body, data, name?: string) => {
  expect(events(body)).toEqual([[name, data]]);
});

test.each(['', '\ufeff', '\xef', 'event: a\n\n', 'data:\n\n', 'da'])(
  'reports no event for %j',
  (body) => {
    expect(eventsIn([Buffer.from(body, 'latin1')]).all).toEqual([]);
    expect(eventsIn(cutToBytes(Buffer.from(body))).all).toEqual([]);
  },
);

describe('an event without end', () => {
  const mebibyte = Buffer.alloc(1024 * 1024, 'x');

  test.each([
    ['in one line', mebibyte],
    ['in many lines', Buffer.from(`data: ${'x'.repeat(65_536)}\n`.repeat(16))],
  ])('is refused before it fills the memory, %s', (_, piece) => {
    const reader = createSseReader(() => undefined);
    reader.feed(Buffer.from('data: '));
    let fed = 0;
    expect(() => {
      for (; fed < 2 * maxEventBytes; fed += piece.length) reader.feed(piece);
    }).toThrow(EventTooLarge);
    expect(fed).toBeLessThanOrEqual(maxEventBytes + piece.length);
  });
});
