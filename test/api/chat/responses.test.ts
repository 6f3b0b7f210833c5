import { expect, test } from 'vitest';
import { bare, failureOf, goesOnAfter, named, readFrames, reads } from './streams.js';
import type { Frame } from './streams.js';

const text = (delta: unknown) =>
  named({ type: 'response.output_text.delta', output_index: 0, delta });
const completed = (response: unknown = { status: 'completed' }) =>
  named({ type: 'response.completed', response });
const whole = (...frames: Frame[]) => [...frames, completed()];
const refusal = named({ type: 'response.refusal.delta', delta: 'I will not.' });
const summary = [{ type: 'summary_text', text: 'Hm' }];
const output = [
  { type: 'reasoning', summary, content: [{ type: 'reasoning_text', text: '.' }] },
  { type: 'message', content: [{ type: 'output_text', text: 'Yes' }, { type: 'tomorrow' }] },
  { type: 'message', content: [{ type: 'refusal', refusal: ', but no' }] },
];
const thought = (type: string) => whole(named({ type, delta: 'Hm' }), text('Yes'));

const json = '{"city":"Омск"}';
const item = (more: object) => ({ type: 'function_call', id: 'fc_1', name: 'weather', ...more });
const about = (type: string, more: object) =>
  named({ type: `response.${type}`, output_index: 1, ...more });
const added = (more: object = { call_id: 'a' }) => about('output_item.added', { item: item(more) });
const piece = (delta: string) => about('function_call_arguments.delta', { delta });
const argumentsDone = about('function_call_arguments.done', { arguments: json });
const itemDone = about('output_item.done', { item: item({ call_id: 'a', arguments: json }) });
const end = completed({ output: [{}, item({ call_id: 'a', arguments: json })] });
const pieces = [piece('{"city":'), piece('"Омск"}')];
const calls = (id: string) => ({ toolCalls: [{ id, name: 'weather', arguments: json }] });

const odds = {
  'an event to come': named({ type: 'response.tomorrow', delta: 'x' }),
  'an item to come': named({ type: 'response.output_item.added', item: { type: 'tomorrow' } }),
  'no delta': named({ type: 'response.output_text.delta' }),
  'a delta that is no text': text({ text: 'x' }),
  '[DONE]': bare('[DONE]'),
};

reads('responses', {
  ...goesOnAfter(odds, text, whole),
  'text includes a refusal': [whole(refusal), { text: 'I will not.' }],
  'a summary is reasoning': [
    thought('response.reasoning_summary_text.delta'),
    { reasoning: 'Hm', text: 'Yes' },
  ],
  'reasoning is reasoning': [
    thought('response.reasoning_text.delta'),
    { reasoning: 'Hm', text: 'Yes' },
  ],
  'a tool call is one in pieces': [[added(), ...pieces, argumentsDone, itemDone, end], calls('a')],
  'a tool call is one whole with its item': [[itemDone, completed()], calls('a')],
  'a tool call is one whole from the start': [
    [added({ call_id: 'a', arguments: json }), itemDone, end],
    calls('a'),
  ],
  'a tool call is one whole at the end': [[end], calls('a')],
  'a tool call is one that comes again and again': [
    [added(), argumentsDone, itemDone, end],
    calls('a'),
  ],
  'a tool call without an id has that of its item': [whole(added({}), piece(json)), calls('fc_1')],
  'the end reports what no delta reported': [
    [completed({ output })],
    { reasoning: 'Hm.', text: 'Yes, but no' },
  ],
});

test.each([
  ['response.completed', undefined, 'completed'],
  ['response.done', undefined, 'completed'],
  ['response.incomplete', undefined, 'incomplete'],
  ['response.incomplete', { reason: 'max_output_tokens' }, 'max_output_tokens'],
  ['response.incomplete', { reason: 'content_filter' }, 'content_filter'],
])('%s with the details %j is a whole answer: %s', async (type, incomplete_details, reason) => {
  const end = named({ type, response: { incomplete_details } });
  const { answer, error } = await readFrames('responses', [text('a'), end], 'open');
  expect(error).toBeUndefined();
  expect(answer).toMatchObject({ text: 'a', finishReason: reason });
});

test.each([
  ['response.failed', { error: { code: 'server_error', message: 'it broke' } }, 'it broke'],
  ['response.failed', undefined, 'failed'],
  ['response.cancelled', {}, 'failed'],
  ['error', undefined, 'without a message'],
])('%s with %j is a failure', async (type, response, message) => {
  const outcome = await readFrames('responses', whole(text('a'), named({ type, response })));
  expect(failureOf(outcome).message).toContain(message);
  expect(outcome.answer.text).toBe('a');
});

test('the end is not marked by [DONE]', async () => {
  failureOf(await readFrames('responses', [text('a'), bare('[DONE]')]));
});
