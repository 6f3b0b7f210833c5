import { expect, it, onTestFinished, vi } from 'vitest';
import { chatBody as ask, historyOf, openService, post } from '../helpers.js';
import { scripted } from '../script.js';

const path = '/v1/chat/completions';
const block = (content: object) => ask('', { messages: [{ role: 'user', content: [content] }] });
const [messagesPath, responsesPath] = ['/v1/messages', '/v1/responses'];

const text = block({ type: 'text' });
const image = block({ type: 'image_url', image_url: { url: 'x' } });
const earlier = { model: 'echo', input: 'x', previous_response_id: 'r' };
const bot = ask('', { messages: [{ role: 'bot', content: 'x' }] });

it.each<[string, string, object, string]>([
  ['no model', path, { messages: [] }, 'model is missing'],
  ['no messages', path, ask('', { messages: [] }), 'messages must have at least 1 item'],
  ['an unknown role', path, bot, 'messages[0].role must be'],
  ['a text without text', path, text, 'messages[0].content[0]: text is missing'],
  ['an image that is none', path, image, 'messages[0].content[0].image_url is neither'],
  ['no max_tokens', messagesPath, ask('x'), 'max_tokens is missing'],
  ['no input', responsesPath, { model: 'echo' }, 'input is missing'],
  ['an earlier response', responsesPath, earlier, 'previous_response_id is not supported'],
])('what is refused before anything is charged %s, at %s', async (_, where, body, message) => {
  const service = openService();
  const response = await post(service, where, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    ...(where === messagesPath ? { type: 'error' } : {}),
    error: { type: 'invalid_request_error', message: expect.stringContaining(message) },
  });
  expect(await historyOf(service)).toEqual([]);
});

it('a conversation is read alike in all three formats', async () => {
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
  expect(new Set((await historyOf(service)).map((record) => record.promptTokens)).size).toBe(1);
});

it('a conversation fetches no address that stands in a request', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no'));
  onTestFinished(() => fetched.mockRestore());
  const image = block({ type: 'image_url', image_url: { url: 'http://127.0.0.1:1/x.png' } });
  const reply = await post(openService(), path, { ...image, model: 'guide' });
  expect(await reply.text()).toContain('does not fetch');
  expect(fetched).not.toHaveBeenCalled();
});
