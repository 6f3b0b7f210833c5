import { describe, expect, it } from 'vitest';
import { keys } from '../../helpers.js';
import { collect, startPeer } from '../peer.js';
import { anthropic, user } from './client.js';

const text = 'Ünïcödé 🌍 and "quotes"\n\tin a few words, byte for byte';
const echo = { model: 'local/echo', max_tokens: 1000, messages: [user(text)] };

/** A 1 × 1 PNG. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('the anthropic package and the model list', () => {
  it('is the version that it says', async () => {
    const peer = await startPeer();
    await anthropic(peer).messages.create(echo);
    expect(peer.lastRequest.headers.get('x-stainless-package-version')).toMatch(/^1\./);
  });

  it('lists the models, and retrieves one by an id with a slash', async () => {
    const peer = await startPeer();
    const models = await peer.free(() => collect(anthropic(peer).models.list()));
    const names = ['guide', 'echo', 'script', 'embed', 'decide'];
    expect(models.map(({ id }) => id)).toEqual(names.map((name) => `local/${name}`));
    const model = await peer.free(() => anthropic(peer).models.retrieve('local/echo'));
    expect(model.id).toBe('local/echo');
    expect(new URL(peer.lastRequest.url).pathname).toBe('/v1/models/local%2Fecho');
  });
});

describe('the anthropic package and messages', () => {
  it('gets an answer in one piece', async () => {
    const peer = await startPeer();
    const { result, record } = await peer.paid(() => anthropic(peer).messages.create(echo));
    expect(result).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'local/echo',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: record.promptTokens, output_tokens: record.completionTokens },
    });
    expect(result.id).toMatch(/^msg_/);
  });

  it('sees the ids of the request and of the usage record', async () => {
    const peer = await startPeer();
    const { result, record } = await peer.paid(() =>
      anthropic(peer).messages.create(echo).withResponse(),
    );
    expect(result.response.headers.get('x-svc-generation-id')).toBe(record.id);
    expect(result.request_id).toMatch(/^req_/);
  });

  it('streams its events in the order of the format', async () => {
    const peer = await startPeer();
    const { result: events, record } = await peer.paid(async () =>
      collect(await anthropic(peer).messages.create({ ...echo, stream: true })),
    );
    const deltas = events.flatMap((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta'
        ? [event.delta.text]
        : [],
    );
    expect(deltas.length).toBeGreaterThan(5);
    expect(deltas.join('')).toBe(text);
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      ...deltas.map(() => 'content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: record.completionTokens },
    });
  });

  it('assembles a stream with the helper to what the answer is in one piece', async () => {
    const peer = await startPeer();
    const body = { ...echo, thinking: { type: 'enabled' as const, budget_tokens: 100 } };
    const heard = { text: '', thinking: '', signatures: 0 };
    const { result: streamed } = await peer.paid(() => {
      const stream = anthropic(peer).messages.stream(body);
      stream.on('text', (delta) => (heard.text += delta));
      stream.on('thinking', (delta) => (heard.thinking += delta));
      stream.on('signature', () => (heard.signatures += 1));
      return stream.finalMessage();
    });
    const { result: whole } = await peer.paid(() => anthropic(peer).messages.create(body));
    const [thinking] = whole.content;
    expect(thinking?.type === 'thinking' && thinking.thinking).toBe(heard.thinking);
    expect(heard).toMatchObject({ text, signatures: 1 });
    // The helper adds fields of its own to the blocks.
    expect(streamed).toMatchObject({ ...whole, id: expect.stringMatching(/^msg_/) });
  });

  it('gives the id of the usage record with a stream too', async () => {
    const peer = await startPeer();
    const { result, record } = await peer.paid(async () => {
      const stream = anthropic(peer).messages.stream(echo);
      const { response } = await stream.withResponse();
      await stream.done();
      return response.headers.get('x-svc-generation-id');
    });
    expect(result).toBe(record.id);
  });

  it('thinks within its budget, and bills the thoughts', async () => {
    const peer = await startPeer();
    const ask = (budget: number) =>
      peer.paid(() =>
        anthropic(peer).messages.create({
          ...echo,
          thinking: { type: 'enabled', budget_tokens: budget },
        }),
      );
    const small = await ask(3);
    const large = await ask(100);
    const [thoughts] = small.result.content;
    const thinking = thoughts?.type === 'thinking' ? thoughts.thinking : '';
    expect(thinking.length).toBeGreaterThan(0);
    expect(thinking.length).toBeLessThanOrEqual(3 * 4);
    expect(small.result.content.at(-1)).toMatchObject({ type: 'text', text });
    expect(large.record.completionTokens).toBeGreaterThan(small.record.completionTokens);
  });

  it('does not think when that is disabled', async () => {
    const peer = await startPeer();
    const { result } = await peer.paid(() =>
      anthropic(peer).messages.create({ ...echo, thinking: { type: 'disabled' } }),
    );
    expect(result.content.map(({ type }) => type)).toEqual(['text']);
  });

  it('takes system blocks with cache_control, and counts them', async () => {
    const peer = await startPeer();
    const plain = await peer.paid(() => anthropic(peer).messages.create(echo));
    const { result, record } = await peer.paid(() =>
      anthropic(peer).messages.create({
        ...echo,
        system: [
          { type: 'text', text: 'A'.repeat(400), cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'Repeat.' },
        ],
      }),
    );
    expect(result.content).toMatchObject([{ type: 'text', text }]);
    expect(record.promptTokens - plain.record.promptTokens).toBeGreaterThanOrEqual(100);
  });

  it('counts tokens for nothing, and counts what the call will be billed', async () => {
    const peer = await startPeer();
    const body = {
      model: 'local/echo',
      messages: [user('Ä🌍'.repeat(10))],
      system: [{ type: 'text' as const, text: 'Repeat what you hear.' }],
    };
    const counted = await peer.free(() => anthropic(peer).messages.countTokens(body));
    const { record } = await peer.paid(() =>
      anthropic(peer).messages.create({ ...body, max_tokens: 1000 }),
    );
    expect(counted.input_tokens).toBe(record.promptTokens);
    // 41 characters, four to a token.
    expect(counted.input_tokens).toBe(11);
  });

  it('looks at images, but fetches none', async () => {
    const peer = await startPeer();
    const { result } = await peer.paid(() =>
      anthropic(peer).messages.create({
        model: 'local/guide',
        max_tokens: 1000,
        messages: [
          user([
            {
              type: 'image' as const,
              source: { type: 'base64' as const, media_type: 'image/png' as const, data: pixel },
            },
            {
              type: 'image' as const,
              source: { type: 'url' as const, url: 'https://203.0.113.1/x.png' },
            },
          ]),
        ],
      }),
    );
    const [block] = result.content;
    expect(block?.type === 'text' && block.text).toContain('1 × 1 pixels');
    expect(block?.type === 'text' && block.text).toContain('fetches nothing');
  });

  it.each([false, true])('stops at max_tokens (stream: %s)', async (stream) => {
    const peer = await startPeer();
    const body = { ...echo, messages: [user('one two three four five')], max_tokens: 3 };
    const { result, record } = await peer.paid(async () =>
      stream
        ? anthropic(peer).messages.stream(body).finalMessage()
        : anthropic(peer).messages.create(body),
    );
    expect(result.stop_reason).toBe('max_tokens');
    expect(result.content).toMatchObject([{ type: 'text', text: 'one two thre' }]);
    expect(record.completionTokens).toBe(3);
  });

  it('stops before a stop sequence and names it', async () => {
    const peer = await startPeer();
    const { result } = await peer.paid(() =>
      anthropic(peer).messages.create({
        ...echo,
        messages: [user('one two END three')],
        stop_sequences: ['nothing', ' END'],
      }),
    );
    expect(result).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: ' END',
      content: [{ text: 'one two' }],
    });
  });
});

describe('the key of the anthropic package', () => {
  it('travels in Authorization by itself', async () => {
    const peer = await startPeer();
    await peer.paid(() => anthropic(peer).messages.create(echo));
    expect(peer.lastRequest.headers.get('authorization')).toBe(`Bearer ${keys.local}`);
    expect(peer.lastRequest.headers.get('x-api-key')).toBeNull();
  });

  const older = anthropicHeaders('2023-06-01');
  it('is taken from x-api-key too, as older versions send it', async () => {
    const peer = await startPeer();
    const client = anthropic(peer, { headers: older });
    const { result } = await peer.paid(() => client.messages.create(echo));
    expect(peer.lastRequest.headers.get('authorization')).toBeNull();
    expect(result.content).toMatchObject([{ text }]);
    const { model, messages } = echo;
    const counted = await peer.free(() => client.messages.countTokens({ model, messages }));
    expect(counted.input_tokens).toBe(result.usage.input_tokens);
  });

  it.each(['2023-06-01', '2026-10-21', '1999-01-01', 'tomorrow', null])(
    'opens the service with anthropic-version %s',
    async (version) => {
      const peer = await startPeer();
      const client = anthropic(peer, { headers: { 'anthropic-version': version } });
      await peer.paid(() => client.messages.create(echo));
      expect(peer.lastRequest.headers.get('anthropic-version')).toBe(version);
    },
  );

  function anthropicHeaders(version: string) {
    return { authorization: null, 'x-api-key': keys.local, 'anthropic-version': version };
  }
});
