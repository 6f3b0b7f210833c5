import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { namedEvents, openService, post, splitEvents } from '../helpers.js';
import { scripted } from '../script.js';
import type { Service } from '../../../src/service/service.js';

const path = '/v1/messages';

function ask(content: unknown, more: object = {}): object {
  return {
    model: 'local/echo',
    max_tokens: 1000,
    messages: [{ role: 'user', content }],
    ...more,
  };
}

const events = (service: Service, body: object) => namedEvents(service, path, body);

const usage = (input: number, output: number) => ({
  input_tokens: input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: output,
});

it('a whole message has the documented fields', async () => {
  const response = await post(openService(), path, ask('hello there'));
  expect(await response.json()).toEqual({
    id: expect.stringMatching(/^msg_[a-z0-9]{24}$/),
    type: 'message',
    role: 'assistant',
    model: 'local/echo',
    content: [{ type: 'text', text: 'hello there' }],
    stop_reason: 'end_turn',
    usage: usage(3, 3),
  });
});

it('a whole message names the stop sequence that ended it', async () => {
  const reply: unknown = await (
    await post(openService(), path, ask('one STOP two', { stop_sequences: ['two', 'STOP'] }))
  ).json();
  expect(reply).toMatchObject({
    content: [{ text: 'one ' }],
    stop_reason: 'stop_sequence',
    stop_sequence: 'STOP',
  });
});

it('a stream of message events has start, ping, one block, delta and stop', async () => {
  const got = await events(openService(), ask('hello there'));
  expect(got).toEqual([
    {
      type: 'message_start',
      message: {
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        role: 'assistant',
        model: 'local/echo',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: usage(3, 0),
      },
    },
    { type: 'ping' },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: '' },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' there' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: usage(3, 3),
    },
    { type: 'message_stop' },
  ]);
});

it('a stream of message events ends with a failure on the way, whose request a ticket may cite', async () => {
  const { service } = scripted([{ reply: 'half', error: { status: 529, message: 'too busy' } }]);
  const body = ask('x', { model: 'script', stream: true });
  const response = await post(service, path, body);
  const requestIds = [response.headers.get('request-id')];
  const last = splitEvents(await response.text()).at(-1);
  expect(JSON.parse(last?.data ?? '')).toMatchObject({
    type: 'error',
    error: { type: 'overloaded_error', message: 'too busy' },
    request_id: requestIds[0],
  });
  const ticket = { subject: 'A stream broke', message: 'It broke in the middle.', requestIds };
  expect((await post(service, '/v1/tickets', ticket)).status).toBe(201);
});

it('POST /v1/messages/count_tokens estimates exactly what the call is then charged for', async () => {
  const service = openService();
  const body = {
    model: 'local/echo',
    system: [
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: ' Please.' },
    ],
    messages: [
      { role: 'user', content: 'what?' },
      { role: 'assistant', content: [{ type: 'text', text: 'that' }] },
      { role: 'user', content: [{ type: 'text', text: 'so' }] },
    ],
    tools: [{ name: 't', input_schema: { type: 'object' } }],
  };
  const estimate: unknown = await (await post(service, `${path}/count_tokens`, body)).json();
  const reply: unknown = await (await post(service, path, { ...body, max_tokens: 10 })).json();
  const { input_tokens: tokens } = z.strictObject({ input_tokens: z.int() }).parse(estimate);
  expect(reply).toMatchObject({ usage: { input_tokens: tokens } });
  // 28 characters of text, and the tool as JSON: {"name":"t","parameters":{"type":"object"}}.
  expect(tokens).toBe(Math.ceil((28 + 43) / 4));
});
