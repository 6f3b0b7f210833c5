import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Service } from '../../../src/service/service.js';
import { get, openService, post } from '../helpers.js';
import { scripted } from '../script.js';

const path = '/v1/chat/completions';
const ask = (content: string, more: object = {}) => ({
  model: 'local/echo',
  messages: [{ role: 'user', content }],
  ...more,
});

const History = z.object({
  total: z.number(),
  data: z.array(z.looseObject({ promptTokens: z.number() })),
});

async function history(service: Service) {
  return History.parse(await (await get(service, '/v1/generations?limit=100')).json());
}

describe('what is refused before anything is charged', () => {
  it.each<[string, object, string]>([
    ['no model', { messages: [] }, 'model is missing'],
    ['no messages', { model: 'echo', messages: [] }, 'messages must have at least 1 item'],
    [
      'an unknown role',
      { model: 'echo', messages: [{ role: 'bot', content: 'x' }] },
      'messages[0].role must be',
    ],
    [
      'a text block without text',
      ask('', { messages: [{ role: 'user', content: [{ type: 'text' }] }] }),
      'messages[0].content[0]: text is missing',
    ],
    [
      'a tool result without its call',
      ask('', { messages: [{ role: 'tool', content: 'x' }] }),
      'messages[0].tool_call_id is missing',
    ],
    [
      'an image that is none',
      ask('', {
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }],
      }),
      'messages[0].content[0].image_url is neither',
    ],
  ])('%s', async (_, body, message) => {
    const service = openService();
    const response = await post(service, path, body);
    expect(response.status).toBe(400);
    const Failure = z.object({ error: z.object({ type: z.string(), message: z.string() }) });
    const { error } = Failure.parse(await response.json());
    expect(error.message).toContain(message);
    expect(error.type).toBe('invalid_request_error');
    expect((await history(service)).total).toBe(0);
  });

  it.each<[string, object, string]>([
    ['no max_tokens', ask('x'), 'max_tokens is missing'],
    [
      'a tool without a schema',
      ask('x', { max_tokens: 5, tools: [{ name: 'a' }] }),
      'tools[0].input_schema is missing',
    ],
  ])('in the messages format: %s', async (_, body, message) => {
    const response = await post(openService(), '/v1/messages', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining(message) },
    });
  });

  it.each<[string, object, string]>([
    ['no input', { model: 'echo' }, 'input is missing'],
    [
      'an input item without content',
      { model: 'echo', input: [{ role: 'user' }] },
      'input[0]: content is missing',
    ],
    [
      'an earlier response',
      { model: 'echo', input: 'x', previous_response_id: 'r' },
      'previous_response_id is not supported',
    ],
    [
      'a reference',
      { model: 'echo', input: [{ type: 'item_reference', id: 'x' }] },
      'send it whole',
    ],
  ])('in the responses format: %s', async (_, body, message) => {
    const response = await post(openService(), '/v1/responses', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining(message) },
    });
  });
});

describe('a conversation', () => {
  it('is read alike in all three formats', async () => {
    const { service } = scripted([
      { match: { system: 'Be brief.', text: 'now', last: 'user', turn: 2 }, reply: 'understood' },
    ]);
    const chat = await post(service, path, {
      model: 'script',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
        { role: 'user', content: 'first' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'a', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'result' },
        { role: 'assistant', content: 'so' },
        { role: 'user', content: [{ type: 'text', text: 'now' }] },
      ],
    });
    const messages = await post(service, '/v1/messages', {
      model: 'script',
      max_tokens: 50,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: 'first' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'a', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'result' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'x' },
            { type: 'text', text: 'so' },
          ],
        },
        { role: 'user', content: 'now' },
      ],
    });
    const responses = await post(service, '/v1/responses', {
      model: 'script',
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: 'first' },
        { type: 'reasoning', id: 'r', summary: [] },
        { type: 'function_call', call_id: 'c', name: 'a', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'result' },
        { role: 'assistant', content: [{ type: 'output_text', text: 'so' }] },
        { role: 'user', content: [{ type: 'input_text', text: 'now' }] },
      ],
    });
    for (const response of [chat, messages, responses]) {
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('understood');
    }
    // The same texts, so the same price: prompts are counted alike.
    const { data } = await history(service);
    expect(new Set(data.map((record) => record.promptTokens)).size).toBe(1);
  });

  it('fetches no address that stands in a request', async () => {
    const fetched: unknown[] = [];
    const real = globalThis.fetch;
    globalThis.fetch = (input) => {
      fetched.push(input);
      return Promise.reject(new Error('no'));
    };
    try {
      const image_url = { url: 'http://127.0.0.1:1/x.png' };
      const messages = [{ role: 'user', content: [{ type: 'image_url', image_url }] }];
      const reply = await post(openService(), path, { model: 'guide', messages });
      expect(await reply.text()).toContain('fetches nothing');
    } finally {
      globalThis.fetch = real;
    }
    expect(fetched).toEqual([]);
  });
});
