import { describe, expect, test } from 'vitest';
import type { ChatFormat } from '../../../src/contract/enums.js';
import { bare, chunk, done, failureOf, named } from './streams.js';
import { readFrames, readText, type Frame } from './streams.js';

const readReply = (format: ChatFormat, reply: object) => readText(format, JSON.stringify(reply));

/** A stream, or a whole reply. */
const read = (format: ChatFormat, given: Frame[] | object) =>
  Array.isArray(given) ? readFrames(format, given as Frame[]) : readReply(format, given);

/** Reads an answer whose text and rest must be these. */
async function keeps(format: ChatFormat, given: Frame[] | object, text: string, rest: object) {
  const { answer, error } = await read(format, given);
  expect(error).toBeUndefined();
  expect(answer).toMatchObject({ text, toolCalls: [] });
  expect(JSON.parse(JSON.stringify(answer.rest))).toEqual(rest);
  return answer;
}

describe('what svc has no field for is kept in its place:', () => {
  const second = {
    index: 1,
    message: { role: 'assistant', content: 'two' },
    finish_reason: 'stop',
  };
  const annotations = [{ type: 'url_citation', url: 'https://a.test' }];

  test('the other choices, annotations and fields of a chat reply', async () => {
    const first = { index: 0, message: { content: 'one', annotations }, finish_reason: 'stop' };
    const reply = { id: 'a', choices: [first, second], usage: { seconds: 2 }, citations: ['x'] };
    const answer = await keeps('chat', reply, 'one', {
      choices: [{ index: 0, message: { annotations } }, second],
      citations: ['x'],
      usage: { seconds: 2 },
    });
    expect(answer.usage).toEqual({});
  });

  test('the same of a stream of chat chunks', async () => {
    const piece = (index: number, delta: object, finish_reason: string | null = null) =>
      bare({ choices: [{ index, delta, finish_reason }], citations: ['x'], provider: 'P' });
    const call = (more: object) => ({ tool_calls: [{ index: 0, ...more }] });
    const frames = [
      piece(0, { content: 'on' }),
      piece(1, { role: 'assistant', content: 't' }),
      piece(0, { content: 'e', annotations }),
      piece(1, { content: 'wo' }),
      piece(1, call({ id: 'c', function: { name: 'f', arguments: '{"a"' } })),
      piece(1, call({ id: 'c', function: { arguments: ':1}' } }), 'tool_calls'),
      piece(0, {}, 'stop'),
      done,
    ];
    const tool_calls = [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a":1}' } }];
    const message = { role: 'assistant', content: 'two', tool_calls };
    const answer = await keeps('chat', frames, 'one', {
      choices: [
        { index: 0, message: { annotations } },
        { index: 1, message, finish_reason: 'tool_calls' },
      ],
      citations: ['x'],
      provider: 'P',
    });
    expect(answer.finishReason).toBe('stop');
  });

  const citation = { type: 'page', cited_text: 'x' };
  const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } };
  const found = { type: 'web_search_tool_result', content: [{ url: 'https://a.test' }] };
  const messagesRest = {
    content: [
      { index: 0, ...search },
      { index: 1, ...found },
      { index: 2, citations: [citation] },
    ],
    container: { id: 'k' },
  };

  test('blocks and citations of a messages reply', async () => {
    const reply = {
      content: [search, found, { type: 'text', text: 'a', citations: [citation] }],
      stop_reason: 'end_turn',
      container: { id: 'k' },
      usage: { input_tokens: 1, cache_read_input_tokens: 9 },
    };
    const answer = await keeps('messages', reply, 'a', messagesRest);
    expect(answer.usage).toEqual({ inputTokens: 1, cachedTokens: 9 });
  });

  test('the same of a stream of messages events', async () => {
    const start = (index: number, content_block: object) =>
      named({ type: 'content_block_start', index, content_block });
    const delta = (index: number, delta: object) =>
      named({ type: 'content_block_delta', index, delta });
    const stop = (index: number) => named({ type: 'content_block_stop', index });
    const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json });
    const frames = [
      start(0, { ...search, input: {} }),
      delta(0, json('{"que')),
      delta(0, json('ry":"q"}')),
      stop(0),
      start(1, found),
      stop(1),
      start(2, { type: 'text', text: '' }),
      delta(2, { type: 'text_delta', text: 'a' }),
      delta(2, { type: 'citations_delta', citation }),
      stop(2),
      named({ type: 'message_delta', delta: { stop_reason: 'end_turn', container: { id: 'k' } } }),
      named({ type: 'message_stop' }),
    ];
    await keeps('messages', frames, 'a', messagesRest);
  });

  const item = { type: 'web_search_call', id: 'ws', status: 'completed', action: { query: 'q' } };
  const part = { type: 'output_text', text: 'a', annotations };
  const message = { type: 'message', id: 'm', content: [part] };
  const responsesRest = {
    output: [
      { index: 0, ...item },
      { index: 1, content: [{ index: 0, annotations }] },
    ],
    citations: ['x'],
  };
  const output = [item, message];
  const response = { status: 'completed', temperature: 1, citations: ['x'], output };
  const doneItem = (output_index: number, item: object) =>
    named({ type: 'response.output_item.done', output_index, item });
  const delta = named({ type: 'response.output_text.delta', output_index: 1, delta: 'a' });
  const items = [doneItem(0, item), delta, doneItem(1, message)];
  const end = (response: object) => named({ type: 'response.completed', response });

  test.each<[string, Frame[] | object]>([
    ['a reply', response],
    ['a stream that repeats all at its end', [...items, end(response)]],
    ['a stream that tells all at its end', [end(response)]],
    ['a stream that repeats nothing', [...items, end({ ...response, output: [] })]],
  ])('items and annotations of the responses format, in %s', async (_, given) => {
    await keeps('responses', given, 'a', responsesRest);
  });

  test('and no name reaches a prototype', async () => {
    const { answer } = await readText(
      'chat',
      '{"choices":[{"index":0,"message":{"content":"a"}},{"index":1,"message":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}],"__proto__":{"polluted":1}}',
    );
    expect(answer.text).toBe('a');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  test('until it is more than svc can keep', async () => {
    const big = chunk({ content: 'a' }, null, {
      choices: [
        { index: 0, delta: { content: 'a' } },
        { index: 1, delta: { content: 'x'.repeat(1024 * 1024) } },
      ],
    });
    const outcome = await readFrames('chat', [...Array<Frame>(20).fill(big), done]);
    expect(failureOf(outcome).code).toBe('answer_too_large');
  });
});

describe('the end of an answer', () => {
  const text = named({ type: 'response.output_text.delta', delta: 'a' });
  const output = [{ type: 'message', content: [{ type: 'output_text', text: 'a' }] }];
  const ends: [object, string][] = [
    [{ status: 'failed' }, 'failed'],
    [{ status: 'failed', error: { code: 'server_error', message: 'it broke' } }, 'it broke'],
    [{ status: 'completed', error: { message: 'it broke' } }, 'it broke'],
    [{ status: 'cancelled' }, 'failed'],
    [{ status: 'in_progress' }, 'before the service had finished it'],
    [{ status: 'queued' }, 'before the service had finished it'],
  ];
  test.each(ends)(
    'is a failure where the response says %j, streamed or not',
    async (end, words) => {
      const streamed = await readFrames('responses', [
        text,
        named({ type: 'response.completed', response: end }),
      ]);
      expect(failureOf(streamed).message).toContain(words);
      expect(streamed.answer.text).toBe('a');
      expect(failureOf(await readReply('responses', { output, ...end })).message).toContain(words);
    },
  );

  test('is a failure where a choice says so', async () => {
    const error = { code: 502, message: 'upstream broke' };
    const choice = { index: 0, finish_reason: 'error', error };
    const streamed = await readFrames('chat', [
      chunk({ content: 'a' }),
      bare({ choices: [{ ...choice, delta: {} }] }),
      done,
    ]);
    expect(failureOf(streamed).message).toContain('upstream broke');
    const reply = { choices: [{ ...choice, error: undefined, message: { content: 'a' } }] };
    expect(failureOf(await readReply('chat', reply)).message).toContain('failed');
  });
});

const start = named({ type: 'message_start', message: { content: [] } });
const stopped = named({ type: 'message_delta', delta: { stop_reason: 'end_turn' } });
const stop = named({ type: 'message_stop' });
const created = named({ type: 'response.created', response: { output: [] } });
const response = { status: 'completed', output: [] };
const completed = named({ type: 'response.completed', response });
test.each<[ChatFormat, Frame[] | object]>([
  ['chat', [done]],
  ['chat', [chunk({ role: 'assistant' }), chunk({}, 'stop'), done]],
  ['messages', [stop]],
  ['messages', [start, stopped, stop]],
  ['responses', [created, completed]],
  ['chat', { choices: [{ message: { content: null }, finish_reason: 'stop' }] }],
  ['messages', { content: [], stop_reason: 'end_turn' }],
  ['messages', { content: [{ type: 'text', text: '' }] }],
  ['responses', { status: 'completed', output: [] }],
])('an empty answer is incomplete: %s, %j', async (format, given) => {
  expect(failureOf(await read(format, given))).toMatchObject({
    code: 'empty_answer',
    message: 'the answer is incomplete: it is empty',
  });
});
