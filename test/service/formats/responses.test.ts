import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Service } from '../../../src/service/service.js';
import { namedEvents, openService, post, read } from '../helpers.js';
import { scripted } from '../script.js';

const path = '/v1/responses';

function ask(input: unknown, more: object = {}): object {
  return { model: 'local/echo', input, ...more };
}

const Whole = z.looseObject({ output: z.array(z.looseObject({ type: z.string() })) });

/** The events of a stream, whose numbers rise from 0 without a gap. */
async function events(service: Service, body: object) {
  const got = await namedEvents(service, path, body);
  expect(got.map((event) => event['sequence_number'])).toEqual(got.map((_, i) => i));
  return got;
}

it('a whole response has the documented fields', async () => {
  const response = await post(openService(), path, ask('hello there'));
  const reply: unknown = await response.json();
  expect(JSON.stringify(reply)).not.toContain('null');
  expect(reply).toMatchObject({
    id: expect.stringMatching(/^resp_[a-z0-9]{24}$/),
    object: 'response',
    created_at: Date.UTC(2026, 0, 15, 12) / 1000,
    model: 'local/echo',
    status: 'completed',
    output: [
      {
        type: 'message',
        id: expect.stringMatching(/^msg_/),
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'hello there', annotations: [] }],
      },
    ],
    usage: {
      input_tokens: 3,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 6,
    },
  });
});

it('a stream of response events builds the message up step by step and ends with the whole', async () => {
  const got = await events(openService(), ask('hello there'));
  expect(got.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
  expect(got[0]).toMatchObject({ response: { status: 'in_progress', output: [] } });
  expect(got[2]).toMatchObject({ output_index: 0, item: { status: 'in_progress', content: [] } });
  expect(got[4]).toMatchObject({ output_index: 0, content_index: 0, delta: 'hello' });
  expect(got[6]).toMatchObject({ text: 'hello there' });
  const ids = got.slice(4, 8).map((event) => event['item_id']);
  expect(got[2]).toMatchObject({ item: { id: ids[0] } });
  expect(new Set(ids).size).toBe(1);
});

it('a stream of response events streams the same items that it gives whole: reasoning, text and tool calls', async () => {
  const { service } = scripted([
    {
      reasoning: 'Hm, let me see.',
      reply: 'One moment.',
      toolCalls: [{ name: 'a', arguments: { x: 1 } }, { name: 'b' }],
    },
  ]);
  const body = ask('go', { model: 'script', reasoning: { effort: 'high', summary: 'detailed' } });
  const got = await events(service, body);
  const whole = await read(post(service, path, body), Whole);
  const last = Whole.parse(got.at(-1)?.['response']);
  const blank = (items: unknown) =>
    JSON.stringify(items).replace(/"(rs|msg|fc|call)_[a-z0-9_]+"/g, '"$1"');
  expect(blank(last.output)).toBe(blank(whole.output));
  expect(last.output.map(({ type }) => type)).toEqual([
    'reasoning',
    'message',
    'function_call',
    'function_call',
  ]);
  const done = got.filter(({ type }) => type === 'response.output_item.done');
  expect(done.map((event) => event['item'])).toEqual(last.output);
  expect(done.map((event) => event['output_index'])).toEqual([0, 1, 2, 3]);
  const joined = (type: string, index: number) =>
    got
      .filter((event) => event.type === type && event['output_index'] === index)
      .map((event) => z.string().parse(event['delta']))
      .join('');
  expect(joined('response.reasoning_summary_text.delta', 0)).toBe('Hm, let me see.');
  expect(joined('response.output_text.delta', 1)).toBe('One moment.');
  expect(joined('response.function_call_arguments.delta', 2)).toBe('{"x":1}');
  expect(joined('response.function_call_arguments.delta', 3)).toBe('{}');
});

it('a stream of response events does not send reasoning that was not requested', async () => {
  const got = await events(openService(), ask('hi', { reasoning: { effort: 'high' } }));
  expect(got.some(({ type }) => type.includes('reasoning'))).toBe(false);
  expect(got.at(-1)).toMatchObject({
    response: { output: [{ type: 'reasoning', summary: [] }, { type: 'message' }] },
  });
});

it('a stream of response events reports a failure in both shapes that clients read', async () => {
  const { service } = scripted([{ reply: 'half', error: { code: 'c', message: 'm' } }]);
  const got = await events(service, ask('x', { model: 'script' }));
  expect(got.at(-1)).toMatchObject({
    type: 'error',
    code: 'c',
    message: 'm',
    param: null,
    error: { type: 'api_error', code: 'c', message: 'm' },
  });
});
