import { describe, expect, it } from 'vitest';
import { inProcessTransport } from '../../src/http/in-process.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { keys, openService } from '../service/helpers.js';
import { exchange } from '../service/raw-connection.js';
import { startPeer } from '../service/sdk/peer.js';
import { clientFor, question, runKey, startProxy } from './rig.js';

async function overPeer() {
  const peer = await startPeer();
  return { peer, proxy: await startProxy(await clientFor(peer.url, {}, keys.local)) };
}

describe('the proxy over the embedded service', () => {
  it('forwards a chat and tells what it cost', async () => {
    const { proxy } = await overPeer();
    const answer = await proxy.chat();
    expect(answer.status).toBe(200);
    const content = 'hello there';
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content } }] });
    await proxy.proxy.end(3000);
    const model = 'local/echo';
    expect(proxy.ended).toMatchObject([
      { status: 200, isWhole: true, model, usage: { outputTokens: expect.any(Number) } },
    ]);
    expect(proxy.ended[0]?.answer?.text).toBe(content);
    expect(proxy.ended[0]?.sent).toBe(JSON.stringify(question));
    const priceRub = proxy.priced[0]?.priceRub ?? 0;
    expect(priceRub).toBeGreaterThan(0);
    const total = { requests: 1, open: 0, refused: 0, priceRub };
    expect(proxy.proxy.totals.all).toMatchObject(total);
    expect(proxy.proxy.totals.byModel.get(model)).toMatchObject(total);
  });

  it('forwards a stream and reads its usage beside it', async () => {
    const { proxy } = await overPeer();
    const stream_options = { include_usage: true };
    const answer = await proxy.chat({ ...question, stream: true, stream_options });
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/);
    const [request] = await proxy.endOf(1);
    expect(request?.usage).toMatchObject({ inputTokens: expect.any(Number) });
    expect(request?.answer).toMatchObject({ text: 'hello there', finishReason: 'stop' });
    expect(request?.generationId).toMatch(/^gen_/);
  });

  it.each([
    ['vectors', '/v1/embeddings', { model: 'local/embed', input: 'hello' }],
    [
      'decisions',
      '/v1/decisions',
      { state: 'hello', questions: { polite: { type: 'noul', instructions: 'It is polite' } } },
    ],
  ])('counts the tokens of %s', async (_, path, body) => {
    const { proxy } = await overPeer();
    expect((await proxy.post(path, body)).status).toBe(200);
    const [request] = await proxy.endOf(1);
    expect(request?.usage?.inputTokens).toBeGreaterThan(0);
  });

  it.each(['/v1', '', '/v1/v1'])('serves %s/… as /v1/…', async (base) => {
    const { peer, proxy } = await overPeer();
    const messages = await proxy.post(`${base}/messages?beta=true`, question);
    expect(await messages.json()).toMatchObject({ type: 'message' });
    expect(new URL(peer.lastRequest.url).pathname).toBe('/v1/messages');
    expect(new URL(peer.lastRequest.url).search).toBe('?beta=true');
    const models = await proxy.ask(`${base}/models?limit=2`);
    expect(models.status).toBe(200);
  });

  it('leads the links in answers to itself where it is in front of a service in this process', async () => {
    const service = openService();
    const client = await clientFor('http://localhost', {}, keys.local);
    const transport = inProcessTransport(service.answer);
    const proxy = await startProxy({ ...client, transport });
    const { url } = proxy;
    const over = await startProxy({ ...client, transport, baseUrl: new URL(url) });
    const body = { model: 'local/canvas', prompt: 'a house' };
    const answer = await over.post('/v1/images/generations', { ...body, response_format: 'url' });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    expect(text).toContain(url);
  });
});

describe('the proxy itself answers', () => {
  it('HEAD / and GET / with 200, without a key', async () => {
    const { proxy, peer } = await overPeer();
    for (const method of ['HEAD', 'GET']) {
      expect((await fetch(proxy.url, { method })).status).toBe(200);
    }
    expect(peer.exchanges).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['no key', {}],
    ['the account’s own key', { authorization: `Bearer ${keys.local}` }],
    ['a part of its key', { authorization: `Bearer ${runKey.slice(0, -1)}` }],
    ['its key in another scheme', { authorization: `Basic ${runKey}` }],
  ])('401 to %s, on any path', async (_name, headers) => {
    const { proxy, peer } = await overPeer();
    for (const path of ['/v1/models', '/v1/nothing', '/v1/messages']) {
      const answer = await fetch(proxy.url + path, { headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('x-should-retry')).toBe('false');
      expect(await answer.text()).toContain('"type":"authentication_error"');
    }
    expect(peer.exchanges).toEqual([]);
    expect(proxy.ended).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: 401, priceRub: 0 })),
    );
  });

  it('what is public without a key, as svc asks for it', async () => {
    const { proxy } = await overPeer();
    expect((await fetch(`${proxy.url}/api/catalog`)).status).toBe(200);
  });

  it.each<Record<string, string>>([{ authorization: `Bearer ${runKey}` }, { 'x-api-key': runKey }])(
    'not where its key comes in %o',
    async (headers) => {
      const { proxy } = await overPeer();
      for (const path of ['/v1/models', '/models', '/v1/balance']) {
        const answer = await fetch(proxy.url + path, { headers });
        expect(answer.status).toBe(200);
      }
    },
  );

  it('404 to what the contract does not have, in the form of the format', async () => {
    const { proxy, peer } = await overPeer();
    const usual = await proxy.post('/v1/responses/compact', {});
    expect(usual.status).toBe(404);
    const message = 'the service has no POST /v1/responses/compact';
    const error = { message, type: 'not_found_error', code: 'path_not_found', param: null };
    expect(await usual.json()).toEqual({ error });
    const inMessages = await proxy.post('/v1/messages/batches', {});
    expect(await inMessages.json()).toEqual({
      type: 'error',
      error: { type: 'not_found_error', message: 'the service has no POST /v1/messages/batches' },
    });
    for (const path of [
      '//evil.example/v1/models',
      '/v1/models/../../etc',
      '/V1/CHAT/completions',
      // A server that decodes it first finds a chat.
      '/v1/tickets/..%2f..%2fv1%2fchat%2fcompletions%3f/close',
      '/v1/tickets/..%252f..%252fv1%252fchat%252fcompletions%253f/close',
    ]) {
      expect((await proxy.ask(path, { method: 'POST' })).status).toBe(404);
    }
    expect(peer.exchanges).toEqual([]);
  });

  it('403 to what needs a session of the web cabinet', async () => {
    const { proxy, peer } = await overPeer();
    const answer = await proxy.ask('/api/webhooks', { headers: { cookie: 'svc_session=local' } });
    expect(answer.status).toBe(403);
    expect(peer.exchanges).toEqual([]);
  });

  it('426 to an upgrade, at once', async () => {
    const { proxy, peer } = await overPeer();
    const received = await exchange(proxy.port, [
      'GET /v1/responses HTTP/1.1',
      `host: 127.0.0.1:${proxy.port}`,
      `authorization: Bearer ${runKey}`,
      'upgrade: websocket',
      'sec-websocket-version: 13',
    ]);
    expect(received).toMatch(/^HTTP\/1\.1 426 /);
    expect(peer.exchanges).toEqual([]);
  });
});

describe('what reaches the service', () => {
  it('is the body byte for byte, with the account’s key and few other headers', async () => {
    const service = await fakeService(json({ id: 'x', choices: [] }));
    const proxy = await startProxy(await clientFor(service.origin));
    const body = '{ "model" : "m",\n "messages":[],"seed":12345678901234567890, "x":1.10 }';
    await proxy.ask('/v1/chat/completions', {
      method: 'POST',
      body,
      headers: {
        authorization: `Bearer ${runKey}`,
        cookie: 'a=b',
        referer: 'http://x.example',
        'content-type': 'application/json; charset=utf-8',
        'accept-encoding': 'zstd, gzip',
        'anthropic-beta': 'context-1m, other',
        'anthropic-version': '2023-06-01',
        'openai-beta': 'responses=v1',
        'idempotency-key': 'once',
        'x-codex-turn-metadata': '{"path":"/home"}',
        'x-stainless-os': 'Linux',
        'openai-organization': 'org',
      },
    });
    const [request] = service.requests;
    expect(request?.body).toBe(body);
    expect(request?.headers).toEqual({
      host: new URL(service.origin).host,
      connection: 'keep-alive',
      accept: '*/*',
      'accept-encoding': 'identity',
      authorization: 'Bearer sk-svc-fakefakefake',
      'content-length': String(body.length),
      'content-type': 'application/json; charset=utf-8',
      'user-agent': expect.stringMatching(/^svc-cli\//),
      'anthropic-beta': 'context-1m, other',
      'anthropic-version': '2023-06-01',
      'openai-beta': 'responses=v1',
      'idempotency-key': 'once',
    });
  });

  it('names the model of the first rule that fits', async () => {
    const service = await fakeService(json({ id: 'x', choices: [] }));
    const rules = [
      { pattern: 'gpt-*-mini', model: 'vendor/small' },
      { pattern: 'gpt-*', model: 'vendor/large' },
    ];
    const proxy = await startProxy(await clientFor(service.origin), { rules });
    const models = ['gpt-5', 'gpt-5-mini', 'agpt-5', 'gpt.5', 'gpt-\n'];
    for (const model of models) {
      await proxy.ask('/v1/responses', {
        method: 'POST',
        body: `{"model":${JSON.stringify(model)},"n":1.10}`,
      });
    }
    const large = '{"model":"vendor/large","n":1.10}';
    expect(service.requests.map(({ body }) => body)).toEqual([
      large,
      '{"model":"vendor/small","n":1.10}',
      '{"model":"agpt-5","n":1.10}',
      '{"model":"gpt.5","n":1.10}',
      large,
    ]);
    expect(proxy.ended.map(({ model }) => model).slice(0, 3)).toEqual([
      'vendor/large',
      'vendor/small',
      'agpt-5',
    ]);
  });
});
