import { expect, test, vi } from 'vitest';
import type { Piece } from '../../../src/api/chat/pieces.js';
import { Events } from '../../../src/api/chat/read.js';
import { seeded, type Random } from '../../helpers/random.js';

const latin1 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

const contents = [
  ...['a', ' token', 'Привет', 'é', '🌍', '\u2028', 'a\nb', '\u0000\u001b[31m', '\ufeff', '\ud83c'],
  ...['', '"', '\\', 'ends in a backslash\\', '{"content":"no"}', '","content":"no', '[DONE]'],
] as const;

/** JSON texts of the same string, as services write them. */
const spellings: readonly [(text: string) => string, ...((text: string) => string)[]] = [
  (text) => JSON.stringify(text),
  (text) => JSON.stringify(text).replace(/[^ -~]/g, escaped),
  (text) => JSON.stringify(text).replace(/[aeno]/g, escaped),
  // A byte that is no UTF-8, and one that begins a character which never ends.
  (text) => `"${JSON.stringify(text).slice(1, -1)}\ue0ff"`,
  (text) => `"${JSON.stringify(text).slice(1, -1)}\ue0e2"`,
];

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Events around a string; `again` is another string, for places where it must not be looked for. */
const shapes: readonly [Shape, ...Shape[]] = [
  (text) => `{"id":"1","choices":[{"index":0,"delta":{"content":${text}},"finish_reason":null}]}`,
  (text) => `{"choices":[{"delta":{"role":"assistant","content" : ${text}}}],"usage":null}`,
  (text) => `{ "choices": [ { "delta": { "content":\t${text} } } ] }`,
  (text) => `{"model":"модель","choices":[{"delta":{"content":${text}}}]}`,
  (text) => `{"model":"a\\/b","choices":[{"delta":{"content":${text}}}]}`,
  (text, again) => `{"choices":[{"delta":{"content":${again},"content":${text}}}]}`,
  (text, again) => `{"choices":[{"delta":{"content":${text},"cont\\u0065nt":${again}}}]}`,
  (text, again) => `{"choices":[{"delta":{"cont\\u0065nt":${again},"content":${text}}}]}`,
  (text, again) => `{"content":${again},"choices":[{"delta":{"content":${text}}}]}`,
  (text, again) => `{"content":${again},"choices":[{"delta":{"cont\\u0065nt":${text}}}]}`,
  (text, again) =>
    `{"choices":[{"index":1,"delta":{"content":${again}}},{"index":0,"delta":{"content":${text}}}]}`,
  (text, again) =>
    `{"choices":[{"index":1,"delta":{"content":${text}}},{"index":0,"delta":{"cont\\u0065nt":${again}}}]}`,
  (text) => `{"choices":[{"index":1,"delta":{"content":${text}}}]}`,
  (text, again) => `{"choices":[{"delta":{"content":${text},"reasoning":${again}}}]}`,
  (text, again) => `{"choices":[{"delta":{"content":${text},"refusal":${again}}}]}`,
  (text) => `{"choices":[{"delta":{"content":${text}},"finish_reason":"stop"}]}`,
  (text) => `{"choices":[{"delta":{"content":${text}}}],"usage":{"prompt_tokens":7}}`,
  (text) => `{"choices":[{"delta":{"content":${text},"tool_calls":[{"index":0}]}}]}`,
  (text) => `{"choices":[{"delta":{"content":[{"text":${text}}]}}]}`,
  (text) => `{"choices":[{"delta":{"reasoning_content":${text},"content":""}}]}`,
  (text) => `{"choices":[{"delta":{"content":null,"reasoning":${text}}}]}`,
  (text, again) => `{"choices":[{"delta":{"reasoning":${again},"reasoning_content":${text}}}]}`,
  (text) =>
    `{"choices":[{"delta":{"content":${text}}}],"obfuscation":"${'x'.repeat(text.length)}"}`,
  (text, again) => `{"choices":[{"delta":{"content":${text}}}],"obfuscation":${again},"n":null}`,
  (text, again) => `{"choices":[{"delta":{"content":${text},"obfuscation":${again}}}]}`,
];
type Shape = (text: string, again: string) => string;

/** Runs of events of one shape, as a stream has them, each possibly followed by a similar one. */
function makeEvents(random: Random, count: number): string[] {
  const events: string[] = [];
  while (events.length < count) {
    const shape = random.pick(shapes);
    const again = literal(random);
    const isSame = random.below(2) === 0;
    for (let run = random.below(12); run >= 0; run--) {
      const text = literal(random);
      const event = shape(text, isSame ? text : random.below(3) === 0 ? literal(random) : again);
      // Private characters stand for raw bytes.
      events.push(
        latin1(event)
          .replace(/\xee\x83\xbf/g, '\xff')
          .replace(/\xee\x83\xa2/g, '\xe2'),
      );
    }
  }
  return events;
}

function literal(random: Random): string {
  return random.pick(spellings)(random.pick(contents));
}

/** The pieces of events; the text is joined, because its pieces may be empty. */
function logged(): { log: string[]; take: (piece: Piece) => void } {
  const log: string[] = [];
  const take = (piece: Piece) => {
    const isEmpty = 'text' in piece && piece.text === '';
    if (piece.type !== 'about' && !isEmpty) log.push(JSON.stringify(piece));
  };
  return { log, take };
}

const seeds = Array.from({ length: 8 }, (_, index) => index + 1);

test.each(seeds)('gives the same result with and without what was learned (seed %i)', (seed) => {
  const events = makeEvents(seeded(seed), 1000);
  const fast = logged();
  const slow = logged();
  const learning = new Events('chat', fast.take);
  for (const event of events) {
    learning.add(undefined, event);
    // A new reader for each event has learned nothing.
    new Events('chat', slow.take).add(undefined, event);
  }
  expect(fast.log).toEqual(slow.log);
});

const contents200 = (content: string): string[] =>
  Array.from({ length: 200 }, () => JSON.stringify({ choices: [{ delta: { content } }] }));

test.each([
  ['plain text', contents200(' the')],
  ['Cyrillic', contents200(' маяк')],
  ['Cyrillic in escapes', contents200('маяк').map((event) => event.replace(/[^ -~]/g, escaped))],
  ['line breaks and quotes', contents200('"Yes",\n')],
  ['code', contents200('\n\tif (x === "\\") {\n')],
  ['reasoning', contents200(' so').map((event) => event.replace('content', 'reasoning_content'))],
  [
    'padding of any length',
    contents200('\n').map((event, nth) => {
      return event.replace(/}$/, `,"obfuscation":"${'aB3'.repeat(1 + (nth % 5))}"}`);
    }),
  ],
])('parses no more than the first event of a stream of %s', (_, events) => {
  const { log, take } = logged();
  const reader = new Events('chat', take);
  const parse = vi.spyOn(JSON, 'parse');
  for (const event of events) reader.add(undefined, latin1(event));
  const parsed = parse.mock.calls.filter(([text]) => text.startsWith('{'));
  parse.mockRestore();
  expect([log.length, parsed.length]).toEqual([events.length, 1]);
});
