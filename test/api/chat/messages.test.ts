import { describe, expect, test } from 'vitest';
import { Incomplete } from '../../../src/errors.js';
import { named, readFrames, readText, type Frame } from './streams.js';

const start = named({
  type: 'message_start',
  message: { id: 'msg_1', model: 'maker/model', usage: { input_tokens: 9, output_tokens: 1 } },
});
const stopped = (reason: string | null, usage?: unknown) =>
  named({ type: 'message_delta', delta: { stop_reason: reason }, usage });
const stop = named({ type: 'message_stop' });
const block = (content_block: unknown, index = 0) =>
  named({ type: 'content_block_start', index, content_block });
const delta = (piece: unknown, index = 0) =>
  named({ type: 'content_block_delta', index, delta: piece });
const text = (piece: unknown) => delta({ type: 'text_delta', text: piece });

const read = (...frames: Frame[]) =>
  readFrames('messages', [start, ...frames, stopped('end_turn'), stop]);

test.each([
  ['a ping', named({ type: 'ping' })],
  ['a delta of a type to come', delta({ type: 'tomorrow_delta', what: 'x' })],
  ['a delta without text', delta({ type: 'text_delta' })],
  ['no delta', named({ type: 'content_block_delta', index: 0 })],
  ['a block of a type to come', block({ type: 'tomorrow', content: ['x'] })],
  ['a whole redacted thought', block({ type: 'redacted_thinking', data: 'x' })],
  ['an end without a reason', stopped(null)],
])('text goes on after %s', async (_, odd) => {
  const { answer, error } = await read(odd, text('a'), odd, text('b'), odd);
  expect(error).toBeUndefined();
  expect(answer).toMatchObject({ text: 'ab', reasoning: '', toolCalls: [] });
});

test('a thought comes apart from the text, and its signature is neither', async () => {
  const { answer, log } = await read(
    block({ type: 'thinking', thinking: 'H', signature: '' }),
    delta({ type: 'thinking_delta', thinking: 'm' }),
    delta({ type: 'signature_delta', signature: 'c2ln' }),
    block({ type: 'text', text: '' }, 1),
    text('Yes'),
  );
  expect(answer).toMatchObject({ reasoning: 'Hm', text: 'Yes' });
  expect(log.slice(0, 3)).toEqual(['reasoning:H', 'reasoning:m', 'text:Yes']);
});

describe('a tool call', () => {
  const tool = (id: string, input: unknown, index: number) =>
    block({ type: 'tool_use', id, name: 'weather', input }, index);
  const json = (partial_json: unknown, index: number) =>
    delta({ type: 'input_json_delta', partial_json }, index);

  test('may come in pieces, empty ones among them', async () => {
    const { answer } = await read(
      tool('a', {}, 1),
      json('', 1),
      json('{"city":', 1),
      json(null, 1),
      json('"Омск"}', 1),
      tool('b', {}, 2),
      json('{}', 2),
    );
    expect(answer.toolCalls).toEqual([
      { id: 'a', name: 'weather', arguments: '{"city":"Омск"}' },
      { id: 'b', name: 'weather', arguments: '{}' },
    ]);
  });

  test('may come whole at once', async () => {
    const { answer } = await read(tool('a', { city: 'Омск' }, 1), tool('b', null, 2));
    expect(answer.toolCalls).toEqual([
      { id: 'a', name: 'weather', arguments: '{"city":"Омск"}' },
      { id: 'b', name: 'weather', arguments: '' },
    ]);
  });
});

describe('the end', () => {
  test('needs no message_stop once a reason to stop has come', async () => {
    const { answer, error } = await readFrames('messages', [start, text('a'), stopped('end_turn')]);
    expect(error).toBeUndefined();
    expect(answer.text).toBe('a');
  });

  test('needs no reason to stop when message_stop has come', async () => {
    const { error } = await readFrames('messages', [start, text('a'), stop], 'open');
    expect(error).toBeUndefined();
  });

  test('is missing when the service reports an error after a reason to stop', async () => {
    const overloaded = named({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
    const { error } = await readFrames('messages', [start, stopped('end_turn'), overloaded]);
    expect(error).toBeInstanceOf(Incomplete);
    expect(error).toMatchObject({ code: 'overloaded_error' });
  });
});

test('a whole reply may hold blocks of kinds to come', async () => {
  const content = [{ type: 'tomorrow' }, null, 'x', { type: 'text', text: 'a' }];
  const { answer, error } = await readText('messages', JSON.stringify({ content }));
  expect(error).toBeUndefined();
  expect(answer).toMatchObject({ text: 'a', finishReason: 'end_turn' });
});
