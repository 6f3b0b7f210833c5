import { expect, it } from 'vitest';
import { keys } from '../../helpers.js';
import { collect, startPeer } from '../peer.js';
import { text } from '../samples.js';
import { anthropic, user } from './client.js';

const echo = { model: 'local/echo', max_tokens: 1000, messages: [user(text)] };

it('the anthropic package and the model list is the version that it says', async () => {
  const peer = await startPeer();
  await anthropic(peer).messages.create(echo);
  expect(peer.lastRequest.headers.get('x-stainless-package-version')).toMatch(/^1\./);
});

it('the anthropic package and the model list lists the models, and retrieves one by an id with a slash', async () => {
  const peer = await startPeer();
  const models = await peer.free(() => collect(anthropic(peer).models.list()));
  const names = ['guide', 'echo', 'script', 'embed', 'decide'];
  expect(models.map(({ id }) => id)).toEqual(names.map((name) => `local/${name}`));
  const model = await peer.free(() => anthropic(peer).models.retrieve('local/echo'));
  expect(model.id).toBe('local/echo');
  expect(new URL(peer.lastRequest.url).pathname).toBe('/v1/models/local%2Fecho');
});

it('the anthropic package and messages assembles a stream with the helper to what the answer is in one piece', async () => {
  const peer = await startPeer();
  const body = { ...echo, thinking: { type: 'enabled' as const, budget_tokens: 100 } };
  const received = { text: '', thinking: '', signatures: 0 };
  const { result: streamed } = await peer.paid(() => {
    const stream = anthropic(peer).messages.stream(body);
    stream.on('text', (delta) => (received.text += delta));
    stream.on('thinking', (delta) => (received.thinking += delta));
    stream.on('signature', () => (received.signatures += 1));
    return stream.finalMessage();
  });
  const { result: whole, record } = await peer.paid(() => anthropic(peer).messages.create(body));
  expect(whole.usage).toMatchObject({
    input_tokens: record.promptTokens,
    output_tokens: record.completionTokens,
  });
  const [thinking] = whole.content;
  expect(thinking?.type === 'thinking' && thinking.thinking).toBe(received.thinking);
  expect(received).toMatchObject({ text, signatures: 1 });
  // The helper adds fields of its own to the blocks.
  expect(streamed).toMatchObject({ ...whole, id: expect.stringMatching(/^msg_/) });
});

it('the key of the anthropic package travels in Authorization, and in x-api-key as older versions send it', async () => {
  const peer = await startPeer();
  await peer.paid(() => anthropic(peer).messages.create(echo));
  expect(peer.lastRequest.headers.get('authorization')).toBe(`Bearer ${keys.local}`);
  const version = { 'anthropic-version': '2023-06-01' };
  const headers = { authorization: null, 'x-api-key': keys.local, ...version };
  const client = anthropic(peer, { headers });
  const { result } = await peer.paid(() => client.messages.create(echo));
  expect(peer.lastRequest.headers.get('authorization')).toBeNull();
  expect(result.content).toMatchObject([{ text }]);
  const { model, messages } = echo;
  const counted = await peer.free(() => client.messages.countTokens({ model, messages }));
  expect(counted.input_tokens).toBe(result.usage.input_tokens);
});
