import { once } from 'node:events';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Transport } from '../../src/http/types.js';
import type { ProxiedRequest } from '../../src/proxy/proxied.js';
import { chunks, chunksEnd, events, fakeKey, fakeService, json } from '../helpers/fake-service.js';
import { gate } from '../helpers/gate.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { clientFor, question, runKey, startProxy } from './rig.js';

const streamed = { ...question, stream: true };

/** A service whose answers a test writes itself, behind the proxy. */
async function written(options: Parameters<typeof startProxy>[1] = {}) {
  const responses: ServerResponse[] = [];
  const asked = gate();
  const service = await fakeService((_request, response) => {
    responses.push(response);
    asked.open();
  });
  const proxy = await startProxy(await clientFor(service.origin), options);
  const response = async () => {
    await asked.opened;
    const [first] = responses;
    if (!first) throw new Error('nothing was asked');
    return first;
  };
  return { proxy, service, response };
}

/** An answer whose body is read by hand. */
async function opened(port: number, body: object = streamed): Promise<IncomingMessage> {
  const headers = { 'x-api-key': runKey, 'content-type': 'application/json' };
  const path = '/v1/chat/completions';
  const outgoing = request({ port, host: '127.0.0.1', method: 'POST', path, headers });
  outgoing.on('error', () => undefined);
  outgoing.end(JSON.stringify(body));
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  answer.on('error', () => undefined);
  return answer;
}

const eventHead = { 'content-type': 'text/event-stream', 'x-svc-generation-id': 'gen_1' };

it('a program that has hung up before its request is looked at sends nothing', async () => {
  const service = await fakeService(json({ id: 'c', choices: [] }));
  const { proxy, url } = await startProxy(await clientFor(service.origin));
  const headers = new Headers({ 'x-api-key': runKey, 'content-type': 'application/json' });
  await proxy.answer({
    method: 'POST',
    url: `${url}/v1/chat/completions`,
    headers,
    body: Buffer.from(JSON.stringify(question)),
    signal: AbortSignal.abort(),
  });
  expect(service.requests).toEqual([]);
  expect(proxy.totals.all).toMatchObject({ requests: 1, open: 0, priceRub: 0 });
});

describe('an answer', () => {
  it('is passed byte for byte, however it is cut', async () => {
    const all = Buffer.concat([
      Buffer.from(`: comment\r\n\r\n${chunks('при', 'вет 🙂')}event: odd\ndata: {"a": 1.10}\n\n`),
      Buffer.from([0xff, 0xfe, 0x00, 0x0a]),
      Buffer.from(chunksEnd),
    ]);
    const service = await fakeService((_request, response) => {
      response.writeHead(200, eventHead);
      const pieces = Array.from(all, (_, at) => all.subarray(at, at + 1));
      const next = () => {
        const piece = pieces.shift();
        if (piece) response.write(piece, next);
        else response.end();
      };
      next();
    });
    const proxy = await startProxy(await clientFor(service.origin));
    const answer = await proxy.chat(streamed);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(all);
    const [seen] = await proxy.endOf(1);
    expect(seen).toMatchObject({ isWhole: true, status: 200, generationId: 'gen_1' });
    expect(seen?.answer?.text).toBe('привет 🙂');
  });

  it('comes with its status and headers, but for those of a connection and cookies', async () => {
    const headers = {
      'set-cookie': 'a=b',
      'keep-alive': 'timeout=9',
      connection: 'x-secret',
      'x-secret': '1',
      'proxy-authenticate': 'Basic',
      'x-svc-route': 'lane',
    };
    const service = await fakeService(json({ id: 'c', choices: [] }, 200, headers));
    const proxy = await startProxy(await clientFor(service.origin));
    const answer = await proxy.chat();
    const names = [...answer.headers.keys()];
    expect(names).toContain('x-svc-route');
    expect(names).not.toEqual(expect.arrayContaining(['set-cookie']));
    for (const name of ['set-cookie', 'x-secret', 'proxy-authenticate']) {
      expect(names).not.toContain(name);
    }
    expect(answer.headers.get('keep-alive')).not.toBe('timeout=9');
  });

  it('arrives piece by piece, as soon as the service has sent each', async () => {
    const { proxy, response } = await written();
    const opening = opened(proxy.port);
    const upstream = await response();
    upstream.writeHead(200, eventHead);
    upstream.flushHeaders();
    const answer = await opening;
    for (const text of ['a', 'b', 'c']) {
      upstream.write(chunks(text));
      const [piece] = (await once(answer, 'data')) as [Buffer];
      expect(piece.toString()).toBe(chunks(text));
    }
    upstream.end(chunksEnd);
    await once(answer, 'end');
  });

  it('holds the service back while the program does not read', async () => {
    const piece = Buffer.alloc(256 * 1024, 'x');
    const count = 256;
    let sent = 0;
    const transport: Transport = async () => ({
      status: 200,
      headers: {},
      pipe: async (sink) => {
        for (; sent < count; sent += 1) await sink(piece);
      },
      discard: () => undefined,
    });
    const client = await clientFor('http://127.0.0.1:1');
    const proxy = await startProxy({ ...client, transport });
    const answer = await opened(proxy.port);
    answer.pause();
    // Until the buffers of the connection are full.
    let turns = 0;
    for (let before = -1; before !== sent || turns < 200; turns += 1) {
      if (before !== sent) turns = 0;
      before = sent;
      await setImmediate();
    }
    expect(sent).toBeLessThan(count);
    let read = 0;
    answer.on('data', (bytes: Buffer) => (read += bytes.length)).resume();
    await once(answer, 'end');
    expect(read).toBe(count * piece.length);
  });

  it('is cancelled at the service when the program hangs up, and ends once', async () => {
    const { proxy, response } = await written();
    const opening = opened(proxy.port);
    const upstream = await response();
    const closed = once(upstream, 'close');
    upstream.writeHead(200, eventHead);
    upstream.write(chunks('begun'));
    const answer = await opening;
    await once(answer, 'data');
    answer.destroy();
    await closed;
    const ended = await proxy.endOf(1);
    expect(ended).toMatchObject([{ isWhole: false, status: 200, generationId: 'gen_1' }]);
    expect(ended[0]?.answer?.text).toBe('begun');
    expect(proxy.proxy.totals.all).toMatchObject({ requests: 1, open: 1 });
  });

  it('is cancelled before its head, too', async () => {
    const { proxy, response } = await written();
    const gone = new AbortController();
    const asking = proxy.chat(streamed, { signal: gone.signal });
    const upstream = await response();
    const closed = once(upstream, 'close');
    gone.abort();
    await expect(asking).rejects.toThrow();
    await closed;
    expect(await proxy.endOf(1)).toMatchObject([{ isWhole: false, status: 0 }]);
    expect([proxy.ended[0]?.refusal, proxy.ended[0]?.priceRub]).toEqual([undefined, undefined]);
  });

  it('that breaks off is broken off for the program, and is not whole', async () => {
    const { proxy, response } = await written();
    const asking = proxy.chat(streamed);
    const upstream = await response();
    upstream.writeHead(200, eventHead);
    upstream.write(chunks('begun'));
    const answer = await asking;
    upstream.destroy();
    await expect(answer.text()).rejects.toThrow();
    expect(await proxy.endOf(1)).toMatchObject([{ isWhole: false, status: 200 }]);
  });

  it('that ends without its terminal event is passed as it is, and is not whole', async () => {
    const service = await fakeService(events(chunks('half')));
    const proxy = await startProxy(await clientFor(service.origin));
    expect(await (await proxy.chat(streamed)).text()).toBe(chunks('half'));
    expect(await proxy.endOf(1)).toMatchObject([{ isWhole: false, status: 200 }]);
  });

  it.each([
    ['an event without end', Buffer.alloc(7 * 1024 * 1024, 'data: x')],
    ['JSON that is none', Buffer.from('{"choices": [')],
    ['a page', Buffer.from('<html>')],
    ['nothing', Buffer.alloc(0)],
  ])('that cannot be read is passed all the same: %s', async (_name, body) => {
    const service = await fakeService(events(body));
    const proxy = await startProxy(await clientFor(service.origin));
    const answer = await proxy.chat(streamed);
    expect(Buffer.from(await answer.arrayBuffer()).equals(body)).toBe(true);
    expect(await proxy.endOf(1)).toMatchObject([{ status: 200 }]);
  });
});

describe('the account’s key', () => {
  const stars = '*'.repeat(fakeKey.length);

  it('is hidden in answers and headers, wherever they are cut', async () => {
    const body = Buffer.from(`a ${fakeKey} sk-svc-fake ${fakeKey}${fakeKey}; sk-svc-fakefakefak`);
    for (let at = 1; at < body.length; at += 3) {
      const service = await fakeService((_request, response) => {
        response.writeHead(200, { 'x-echo': `key=${fakeKey}`, 'content-length': body.length });
        response.write(body.subarray(0, at), () => response.end(body.subarray(at)));
      });
      const proxy = await startProxy(await clientFor(service.origin));
      const answer = await proxy.chat();
      expect(answer.headers.get('x-echo')).toBe(`key=${stars}`);
      expect(await answer.text()).toBe(
        `a ${stars} sk-svc-fake ${stars}${stars}; sk-svc-fakefakefak`,
      );
    }
  });

  it('is hidden in other forms of it', async () => {
    const base64 = Buffer.from(`user:${fakeKey}`).toString('base64');
    const percent = fakeKey.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);
    const text = `a ${base64} ${percent}`;
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { 'x-echo': base64 });
      for (const one of text) response.write(one);
      response.end();
    });
    const proxy = await startProxy(await clientFor(service.origin));
    const answer = await proxy.chat();
    const known = /[\w%]{6}/;
    const shown = (await answer.text()).split(' ');
    expect(shown.join(' ')).toHaveLength(text.length);
    expect(Buffer.from(shown[1] ?? '', 'base64').toString()).not.toMatch(/svc|fake/);
    expect(shown[2]).not.toMatch(known);
    expect(answer.headers.get('x-echo')).toBe(shown[1]);
  });

  it('is hidden in refusals', async () => {
    const error = { message: `bad ${fakeKey}`, type: 'x', code: 'y' };
    const service = await fakeService(json({ error }, 400, { 'x-echo': fakeKey }));
    const proxy = await startProxy(await clientFor(service.origin));
    const answer = await proxy.chat();
    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-echo')).toBe(stars);
    expect(await answer.text()).toBe(JSON.stringify({ error }).replace(fakeKey, stars));
  });

  it('is hidden from the log too, as text and in a stream that ends with it', async () => {
    const whole = { choices: [{ index: 0, message: { role: 'assistant', content: fakeKey } }] };
    const texts: string[] = [];
    for (const answer of [json(whole), events(`${chunks(`a ${fakeKey}`)}${chunksEnd}${fakeKey}`)]) {
      const service = await fakeService(answer);
      const watcher = {
        onEnd: ({ answer }: ProxiedRequest) => void texts.push(answer?.text ?? ''),
      };
      const proxy = await startProxy(await clientFor(service.origin), { watchers: [watcher] });
      await (await proxy.chat()).text();
      await proxy.proxy.end(0);
    }
    expect(texts).toEqual([stars, `a ${stars}`]);
  });

  it('delays nothing but its own beginning', async () => {
    const { proxy, response } = await written();
    const opening = opened(proxy.port);
    const upstream = await response();
    upstream.writeHead(200, eventHead);
    upstream.write('text sk-svc');
    const answer = await opening;
    expect(String(await once(answer, 'data'))).toBe('text ');
    upstream.write('-other\n');
    expect(String(await once(answer, 'data'))).toBe('sk-svc-other\n');
    upstream.end('s');
    expect(String(await once(answer, 'data'))).toBe('s');
  });
});

it('asks for the prices of many answers in one go, and not at once', async () => {
  const clock = new ManualClock();
  const service = await fakeService(({ url, method }, response) => {
    const id = `gen_${service.requests.length}`;
    const body =
      method === 'POST' ? { id: 'c', choices: [] } : { id: url.split('/').at(-1), priceRub: 0.5 };
    json(
      body,
      200,
      method === 'POST' ? { 'x-svc-generation-id': id } : {},
    )({ url, method, headers: {}, body: '' }, response);
  });
  const proxy = await startProxy({ ...(await clientFor(service.origin)), clock });
  for (let count = 0; count < 5; count += 1) await (await proxy.chat()).text();
  await proxy.endOf(5);
  expect(service.requests).toHaveLength(5);
  expect(proxy.proxy.totals.all).toMatchObject({ open: 5, priceRub: 0 });
  expect(clock.sleeping).toBe(1);
  await proxy.proxy.end(1000);
  expect(proxy.priced).toHaveLength(5);
  expect(proxy.proxy.totals.all).toMatchObject({ open: 0, priceRub: 2.5 });
});
