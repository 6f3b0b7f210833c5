import { describe, expect, test } from 'vitest';
import { bare, failureOf, named, readFrames, type Frame } from './streams.js';

const text = (delta: unknown) =>
  named({ type: 'response.output_text.delta', output_index: 0, delta });
const completed = (response: unknown = { status: 'completed' }) =>
  named({ type: 'response.completed', response });

const read = (...frames: Frame[]) => readFrames('responses', [...frames, completed()]);

describe('text', () => {
  test.each([
    ['an event to come', named({ type: 'response.tomorrow', delta: 'x' })],
    ['an item to come', named({ type: 'response.output_item.added', item: { type: 'tomorrow' } })],
    ['no delta', named({ type: 'response.output_text.delta' })],
    ['a delta that is no text', text({ text: 'x' })],
    ['[DONE]', bare('[DONE]')],
  ])('goes on after %s', async (_, odd) => {
    const { answer, error } = await read(odd, text('a'), odd, text('b'), odd);
    expect(error).toBeUndefined();
    expect(answer).toMatchObject({ text: 'ab', reasoning: '', toolCalls: [] });
  });

  test('includes a refusal', async () => {
    const refusal = named({ type: 'response.refusal.delta', delta: 'I will not.' });
    expect((await read(refusal)).answer.text).toBe('I will not.');
  });
});

test.each(['response.reasoning_summary_text.delta', 'response.reasoning_text.delta'])(
  '%s is reasoning',
  async (type) => {
    const { answer } = await read(named({ type, delta: 'Hm' }), text('Yes'));
    expect(answer).toMatchObject({ reasoning: 'Hm', text: 'Yes' });
  },
);

describe('a tool call', () => {
  const json = '{"city":"Омск"}';
  const item = (more: object) => ({ type: 'function_call', id: 'fc_1', name: 'weather', ...more });
  const about = (type: string, more: object) =>
    named({ type: `response.${type}`, output_index: 1, ...more });
  const added = (more: object = { call_id: 'a' }) =>
    about('output_item.added', { item: item(more) });
  const piece = (delta: string) => about('function_call_arguments.delta', { delta });
  const argumentsDone = about('function_call_arguments.done', { arguments: json });
  const itemDone = about('output_item.done', { item: item({ call_id: 'a', arguments: json }) });
  const end = completed({ output: [{}, item({ call_id: 'a', arguments: json })] });

  test.each([
    ['in pieces', [added(), piece('{"city":'), piece('"Омск"}'), argumentsDone, itemDone, end]],
    ['whole with its item', [itemDone, completed()]],
    ['whole from the start', [added({ call_id: 'a', arguments: json }), itemDone, end]],
    ['whole at the end', [end]],
    ['whole, again and again', [added(), argumentsDone, itemDone, end]],
  ])('is reported once when it comes %s', async (_, frames) => {
    const { answer, error } = await readFrames('responses', frames);
    expect(error).toBeUndefined();
    expect(answer.toolCalls).toEqual([{ id: 'a', name: 'weather', arguments: json }]);
  });

  test('uses the id of its item when it has no own id', async () => {
    const { answer } = await read(added({}), piece(json));
    expect(answer.toolCalls).toEqual([{ id: 'fc_1', name: 'weather', arguments: json }]);
  });
});

describe('the end', () => {
  const summary = [{ type: 'summary_text', text: 'Hm' }];
  const output = [
    { type: 'reasoning', summary, content: [{ type: 'reasoning_text', text: '.' }] },
    { type: 'message', content: [{ type: 'output_text', text: 'Yes' }, { type: 'tomorrow' }] },
    { type: 'message', content: [{ type: 'refusal', refusal: ', but no' }] },
  ];

  test('reports what no delta reported', async () => {
    const { answer } = await readFrames('responses', [completed({ output })]);
    expect(answer).toMatchObject({ reasoning: 'Hm.', text: 'Yes, but no' });
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
    const end = named({ type, response });
    const outcome = await readFrames('responses', [text('a'), end, completed()]);
    expect(failureOf(outcome).message).toContain(message);
    expect(outcome.answer.text).toBe('a');
  });

  test('is not marked by [DONE]', async () => {
    failureOf(await readFrames('responses', [text('a'), bare('[DONE]')]));
  });
});
