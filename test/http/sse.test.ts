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
  const told: Event[] = [
    ['first', 'Привет\n 🌍'],
    [undefined, '{"x":1}'],
    ['named', 'last'],
  ];

  test('brings the same events however it is cut', () => {
    expect(eventsIn([body]).all).toEqual(told);
    expect(eventsIn(cutToBytes(body)).all).toEqual(told);
    for (let seed = 1; seed <= 200; seed++) {
      expect(eventsIn(cutAnywhere(body, seeded(seed), 1 + (seed % 40))).all).toEqual(told);
    }
  });

  test('brings the same events after a byte order mark, cut at every place', () => {
    const marked = Buffer.concat([Buffer.from('\ufeff'), body]);
    for (let at = 0; at <= marked.length; at++) {
      expect(eventsIn([marked.subarray(0, at), marked.subarray(at)]).all).toEqual(told);
    }
    expect(eventsIn(cutToBytes(marked)).all).toEqual(told);
  });

  test('tells an event as soon as its blank line is there', () => {
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

test('a byte order mark hides nothing of the first line, wherever it is cut', () => {
  const body = Buffer.from('\ufeffdata: x\n\n');
  for (const pieces of [[body], cutToBytes(body), [body.subarray(0, 2), body.subarray(2)]]) {
    expect(eventsIn(pieces).all).toEqual([[undefined, 'x']]);
  }
});

test('line ends of several kinds may mix', () => {
  expect(
    events('data: a\r\rdata: b\n\ndata: c\r\n\r\ndata: d\r\n\ndata: e\n\r\ndata: f\r\n\r'),
  ).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((data) => [undefined, data]));
});

test('a carriage return and a line feed in separate pieces are one line end', () => {
  const pieces = ['data: a\r', '\ndata: b\r', '', '\n\r', '\ndata: c\r', '\r'];
  expect(eventsIn(pieces.map((piece) => Buffer.from(piece))).all).toEqual([
    [undefined, 'a\nb'],
    [undefined, 'c'],
  ]);
});

test.each([
  ['strips one space after a colon, and one alone', 'data:  x \n\n', ' x '],
  ['needs no space after a colon', 'data:x\n\n', 'x'],
  ['keeps colons of the data', 'data:a:b: c\n\n', 'a:b: c'],
  ['takes a later event name over an earlier one', 'event: a\nevent: b\ndata: x\n\n', 'x', 'b'],
  ['takes an empty event name for none', 'event: a\nevent:\ndata: x\n\n', 'x'],
  ['forgets the name of an event without data', 'event: a\n\ndata: x\n\n', 'x'],
  ['keeps a byte order mark within the data', 'data: \ufeffx\n\n', '\ufeffx'],
  ['takes fields in lower case alone', 'DATA: y\nEvent: y\ndata: x\n\n', 'x'],
  ['keeps a NUL and other controls', 'data: \0\u001b[31m\n\n', '\0\u001b[31m'],
])('%s', (_, body, data, name?: string) => {
  expect(events(body)).toEqual([[name, data]]);
});

test.each([
  '',
  '\ufeff',
  '\xef',
  '\n\n\n',
  ': only\n\n: comments',
  'event: a\n\n',
  'data:\n\n',
  'data: \ndata\n\n',
  'da',
])('tells no event of %j', (body) => {
  expect(eventsIn([Buffer.from(body, 'latin1')]).all).toEqual([]);
  expect(eventsIn(cutToBytes(Buffer.from(body))).all).toEqual([]);
});

test('keeps the bytes of characters that are no UTF-8', () => {
  const raw: string[] = [];
  const reader = createSseReader((_, data) => raw.push(data));
  reader.feed(Buffer.from('data: \xff\xc3\n\n', 'latin1'));
  expect(raw).toEqual(['\xff\xc3']);
});

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

  test('is not mistaken for many events that together are larger', () => {
    let count = 0;
    const reader = createSseReader(() => count++);
    const piece = Buffer.from(`data: ${'x'.repeat(1024 * 1024)}\n\n`);
    for (let fed = 0; fed <= maxEventBytes + piece.length; fed += piece.length) reader.feed(piece);
    expect(count).toBeGreaterThan(maxEventBytes / 1024 / 1024);
  });
});
