import { expect, test } from 'vitest';
import { failureOf, goesOnAfter, named, readFrames, reads, readText } from './streams.js';
import type { Frame } from './streams.js';

const start = named({
  type: 'message_start',
  message: { id: 'msg_1', model: 'maker/model', usage: { input_tokens: 9, output_tokens: 1 } },
});
const stopped = (reason: string | null) =>
  named({ type: 'message_delta', delta: { stop_reason: reason } });
const stop = named({ type: 'message_stop' });
const block = (content_block: unknown, index = 0) =>
  named({ type: 'content_block_start', index, content_block });
const delta = (piece: unknown, index = 0) =>
  named({ type: 'content_block_delta', index, delta: piece });
const text = (piece: unknown) => delta({ type: 'text_delta', text: piece });
const tool = (id: string, input: unknown, index: number) =>
  block({ type: 'tool_use', id, name: 'weather', input }, index);
const json = (partial_json: unknown, index: number) =>
  delta({ type: 'input_json_delta', partial_json }, index);
const call = (id: string, json: string) => ({ id, name: 'weather', arguments: json });
const whole = (...frames: Frame[]) => [start, ...frames, stopped('end_turn'), stop];

const odds = {
  'a ping': named({ type: 'ping' }),
  'a delta of a type to come': delta({ type: 'tomorrow_delta', what: 'x' }),
  'a delta without text': delta({ type: 'text_delta' }),
  'no delta': named({ type: 'content_block_delta', index: 0 }),
  'a block of a type to come': block({ type: 'tomorrow', content: ['x'] }),
  'a whole redacted thought': block({ type: 'redacted_thinking', data: 'x' }),
  'an end without a reason': stopped(null),
};

reads('messages', {
  ...goesOnAfter(odds, text, whole),
  'a tool call may come in pieces, empty ones among them': [
    whole(
      ...[tool('a', {}, 1), json('', 1), json('{"city":', 1), json(null, 1), json('"Омск"}', 1)],
      ...[tool('b', {}, 2), json('{}', 2)],
    ),
    { toolCalls: [call('a', '{"city":"Омск"}'), call('b', '{}')] },
  ],
  'a tool call may come whole at once': [
    whole(tool('a', { city: 'Омск' }, 1), tool('b', null, 2)),
    { toolCalls: [call('a', '{"city":"Омск"}'), call('b', '')] },
  ],
  'the end needs no message_stop once a reason to stop has come': [
    [start, text('a'), stopped('end_turn')],
    { text: 'a' },
  ],
});
reads(
  'messages',
  { 'the end needs no reason but message_stop': [[start, text('a'), stop], {}] },
  'open',
);

test('a thought comes apart from the text, and its signature is neither', async () => {
  const frames = whole(
    block({ type: 'thinking', thinking: 'H', signature: '' }),
    delta({ type: 'thinking_delta', thinking: 'm' }),
    delta({ type: 'signature_delta', signature: 'c2ln' }),
    block({ type: 'text', text: '' }, 1),
    text('Yes'),
  );
  const { answer, log } = await readFrames('messages', frames);
  expect(answer).toMatchObject({ reasoning: 'Hm', text: 'Yes' });
  expect(log.slice(0, 3)).toEqual(['reasoning:H', 'reasoning:m', 'text:Yes']);
});

test('the end is missing when the service reports an error after a reason to stop', async () => {
  const error = { type: 'overloaded_error', message: 'Overloaded' };
  const frames = [start, stopped('end_turn'), named({ type: 'error', error })];
  const failure = failureOf(await readFrames('messages', frames));
  expect(failure).toMatchObject({ code: 'overloaded_error' });
});

test('a whole reply may hold blocks of kinds to come', async () => {
  const content = [{ type: 'tomorrow' }, null, 'x', { type: 'text', text: 'a' }];
  const { answer, error } = await readText('messages', JSON.stringify({ content }));
  expect(error).toBeUndefined();
  expect(answer).toMatchObject({ text: 'a', finishReason: 'end_turn' });
});
