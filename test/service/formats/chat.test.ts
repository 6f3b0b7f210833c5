import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Service } from '../../../src/service/service.js';
import { chatBody as ask, openService, post, splitEvents } from '../helpers.js';
import { scripted } from '../script.js';

const path = '/v1/chat/completions';

const Chunk = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.literal(0),
      delta: z.record(z.string(), z.unknown()),
      finish_reason: z.nullable(z.string()),
    }),
  ),
  usage: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
});

/** The chunks of a stream that ends as it must. */
async function chunks(service: Service, body: object) {
  const response = await post(service, path, { ...body, stream: true });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const events = splitEvents(await response.text());
  expect(events.every(({ event }) => event === undefined)).toBe(true);
  expect(events.pop()?.data).toBe('[DONE]');
  return events.map(({ data }) => Chunk.parse(JSON.parse(data)));
}

it('a whole chat completion has the documented fields and nothing streamed', async () => {
  const response = await post(openService(), path, ask('hello there'));
  expect(await response.json()).toEqual({
    id: expect.stringMatching(/^chatcmpl-[a-z0-9]{24}$/),
    object: 'chat.completion',
    created: Date.UTC(2026, 0, 15, 12) / 1000,
    model: 'local/echo',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'hello there' },
        finish_reason: 'stop',
      },
    ],
    usage: {
      prompt_tokens: 3,
      completion_tokens: 3,
      total_tokens: 6,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  });
});

it('a stream of chat completion chunks says the role first, then the text, then why it ends, then [DONE]', async () => {
  const got = await chunks(openService(), ask('hello big world'));
  expect(got.map(({ choices }) => choices[0]?.delta)).toEqual([
    { role: 'assistant', content: '' },
    { content: 'hello' },
    { content: ' big' },
    { content: ' world' },
    {},
  ]);
  const reasons = got.map(({ choices }) => choices[0]?.finish_reason);
  expect(reasons).toEqual([null, null, null, null, 'stop']);
  expect(new Set(got.map(({ id }) => id)).size).toBe(1);
  expect(got.every((chunk) => !('usage' in chunk))).toBe(true);
});

it('a stream of chat completion chunks ends with the usage alone when asked, and all other chunks say null', async () => {
  const got = await chunks(
    openService(),
    ask('hello there', { stream_options: { include_usage: true } }),
  );
  const last = got.pop();
  expect(last?.choices).toEqual([]);
  expect(last?.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 });
  expect(got.every(({ usage }) => usage === null)).toBe(true);
});

it('a stream of chat completion chunks sends reasoning before text, in a field of its own', async () => {
  const got = await chunks(openService(), ask('hi', { reasoning_effort: 'medium' }));
  const fields = got.flatMap(({ choices }) => Object.keys(choices[0]?.delta ?? {}));
  const order = fields.slice(2).filter((field, i, all) => field !== all[i - 1]);
  expect(order).toEqual(['reasoning_content', 'content']);
});

it('a stream of chat completion chunks sends each tool call by index: once with id and name, then the arguments in pieces', async () => {
  const { service } = scripted([
    {
      reply: 'One moment.',
      toolCalls: [
        { name: 'a', arguments: { text: 'one two three' } },
        { name: 'b', arguments: {} },
      ],
    },
  ]);
  const got = await chunks(service, ask('go', { model: 'local/script' }));
  const calls = got.flatMap(({ choices }) => choices[0]?.delta['tool_calls'] ?? []);
  const Pieces = z.array(
    z.strictObject({
      index: z.number(),
      id: z.optional(z.string()),
      type: z.optional(z.literal('function')),
      function: z.strictObject({ name: z.optional(z.string()), arguments: z.string() }),
    }),
  );
  const parsed = Pieces.parse(calls);
  for (const [index, name, json] of [
    [0, 'a', '{"text":"one two three"}'],
    [1, 'b', '{}'],
  ] as const) {
    const mine = parsed.filter((piece) => piece.index === index);
    const [first, ...rest] = mine;
    expect(first).toMatchObject({ type: 'function', function: { name, arguments: '' } });
    expect(first?.id).toMatch(/^call_/);
    expect(rest.every(({ id, type }) => id === undefined && type === undefined)).toBe(true);
    expect(rest.map((piece) => piece.function.arguments).join('')).toBe(json);
  }
  expect(got.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
});

it('a stream of chat completion chunks reports a failure on the way with an error and no [DONE]', async () => {
  const { service } = scripted([
    { reply: 'half an ans', error: { status: 503, code: 'overloaded', message: 'too busy' } },
  ]);
  const response = await post(service, path, ask('x', { model: 'script', stream: true }));
  expect(response.status).toBe(200);
  const events = splitEvents(await response.text());
  expect(JSON.parse(events.at(-1)?.data ?? '')).toEqual({
    error: { message: 'too busy', type: 'overloaded_error', code: 'overloaded', param: null },
  });
  expect(events.some(({ data }) => data.includes('"half"'))).toBe(true);
  expect(events.some(({ data }) => data.includes('finish_reason":"'))).toBe(false);
});
