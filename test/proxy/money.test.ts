import { describe, expect, it } from 'vitest';
import { AttemptFailed } from '../../src/http/types.js';
import { fakeService, json, type Answer } from '../helpers/fake-service.js';
import { gate } from '../helpers/gate.js';
import { scripted } from '../helpers/scripted-transport.js';
import { keys } from '../service/helpers.js';
import { startPeer } from '../service/sdk/peer.js';
import { clientFor, question, startProxy } from './rig.js';

/** The price list of a service where an answer of 1,000 tokens costs 1 RUB, and its input nearly nothing. */
const list = {
  data: [{ id: 'vendor/m', inputRubPerMillionTokens: 0.001, outputRubPerMillionTokens: 1000 }],
};

/** Answers what prices are asked of, and all else by `answer`. */
function priced(answer: Answer): Answer {
  return (request, response) => {
    if (request.method === 'POST') answer(request, response);
    else if (request.url.includes('pricing')) json(list)(request, response);
    else json({ error: { message: 'none', type: 'x', code: 'not_found' } }, 404)(request, response);
  };
}

describe('under a ceiling', () => {
  it('200 requests at once cost no more than it allows, and none is lost', async () => {
    const peer = await startPeer();
    const ceilingRub = 0.01;
    const client = await clientFor(peer.url, { maxCost: ceilingRub }, keys.local);
    const proxy = await startProxy(client);
    const answers = await Promise.all(Array.from({ length: 200 }, () => proxy.chat()));
    const statuses = answers.map(({ status }) => status);
    await Promise.all(answers.map((answer) => answer.text()));
    await proxy.endOf(200);
    await proxy.proxy.end(3000);
    const paid = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => status === 402)).toHaveLength(200 - paid);
    expect(paid).toBeGreaterThan(0);
    expect(paid).toBeLessThan(200);
    const { all } = proxy.proxy.totals;
    expect(all).toMatchObject({ requests: 200, refused: 200 - paid, open: 0 });
    expect(all.priceRub).toBeGreaterThan(0);
    expect(all.priceRub).toBeLessThanOrEqual(ceilingRub);
    const record = { model: 'local/echo' };
    expect(proxy.ended.filter(({ status }) => status === 200)).toMatchObject(
      Array.from({ length: paid }, () => record),
    );
  });

  it('a refusal says the amount, the ceiling and how to go on, in the form of each format', async () => {
    const peer = await startPeer();
    const client = await clientFor(peer.url, { maxCost: 0.000001 }, keys.local);
    const proxy = await startProxy(client);
    const sentence =
      /^this request may cost up to 0\.\d+ RUB, more than --max-cost 0\.000001 RUB; nothing was sent \(svc run: raise --max-cost\)$/;
    for (const path of ['/v1/chat/completions', '/v1/responses', '/v1/messages']) {
      const answer = await proxy.post(path, { ...question, input: 'hello' });
      expect(answer.status).toBe(402);
      expect(answer.headers.get('x-should-retry')).toBe('false');
      const message: unknown = expect.stringMatching(sentence);
      const type = 'billing_error';
      expect(await answer.json()).toEqual(
        path === '/v1/messages'
          ? { type: 'error', error: { type, message } }
          : { error: { type, message, code: 'max_cost', param: null } },
      );
    }
    expect(peer.exchanges.filter(({ request }) => request.method === 'POST')).toEqual([]);
    expect(proxy.proxy.totals.all).toMatchObject({ requests: 3, refused: 3, priceRub: 0, open: 0 });
  });

  it('an answer without a limit gets that of svc chat, which is said once', async () => {
    const service = await fakeService(priced(json({ id: 'c', choices: [] })));
    const proxy = await startProxy(await clientFor(service.origin, { maxCost: 100 }));
    const body = { model: 'vendor/m', input: 'x', messages: [] };
    for (const path of ['/v1/chat/completions', '/v1/responses', '/v1/messages']) {
      const answer = await proxy.post(path, body);
      expect(answer.status, await answer.text()).toBe(200);
    }
    await proxy.post('/v1/responses', { ...body, max_output_tokens: 7 });
    const sent = service.requests.filter(({ method }) => method === 'POST');
    expect(sent.map(({ body: text }) => JSON.parse(text) as unknown)).toEqual([
      { ...body, max_tokens: 4096 },
      { ...body, max_output_tokens: 4096 },
      { ...body, max_tokens: 4096 },
      { ...body, max_output_tokens: 7 },
    ]);
    expect(proxy.limits).toEqual([4096]);
  });

  it('a tool that the service runs has no known price, but those of the program do, named together or not', async () => {
    const service = await fakeService(priced(json({ id: 'c', choices: [] })));
    const proxy = await startProxy(await clientFor(service.origin, { maxCost: 100 }));
    const own = { type: 'function', name: 'look' };
    const together = (...tools: object[]) => ({ type: 'namespace', name: 'mcp', tools });
    const search = { type: 'web_search' };
    const lists = [[own], [together(own)], [search], [together(own, search)]];
    const statuses: number[] = [];
    for (const tools of lists) {
      const answer = await proxy.post('/v1/responses', { model: 'vendor/m', input: 'x', tools });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([200, 200, 402, 402]);
    const nameless = await proxy.post('/v1/responses', { input: 'x' });
    expect(await nameless.text()).toContain('the price of this request is not known');
  });

  it('without one nothing is added, reserved or asked for', async () => {
    const service = await fakeService(priced(json({ id: 'c', choices: [] })));
    const proxy = await startProxy(await clientFor(service.origin));
    await proxy.chat({ model: 'vendor/m', messages: [] });
    expect(service.requests.map(({ body }) => body)).toEqual([
      '{"model":"vendor/m","messages":[]}',
    ]);
    expect(proxy.limits).toEqual([]);
  });

  it('a 429 with a usage record is not sent again, and stays reserved', async () => {
    const refusal = { error: { message: 'slow down', type: 'x', code: 'rate_limited' } };
    const headers = { 'x-svc-generation-id': 'gen_1', 'retry-after': '0' };
    const service = await fakeService(priced(json(refusal, 429, headers)));
    const client = await clientFor(service.origin, { maxCost: 1 });
    const proxy = await startProxy(client);
    const answer = await proxy.chat({ model: 'vendor/m', messages: [], max_tokens: 900 });
    expect(answer.status).toBe(429);
    expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect(await client.spending?.spendableRub()).toBeLessThan(0.2);
  });

  it.each([
    ['a dropped connection', new AttemptFailed('reset', true, 'it dropped')],
    ['no answer in time', new AttemptFailed('first-byte-timeout', true, 'no answer')],
    ['a gateway', { status: 502, body: '<html>bad gateway</html>' }],
    [
      'a time limit of the service',
      { status: 504, body: '{"error":{"message":"late","type":"x"}}' },
    ],
    ['a gateway that limits', { status: 429, body: 'slow down' }],
  ])('%s is 400, since it may have been charged, and stays reserved', async (_name, step) => {
    const service = await fakeService(priced(json({ id: 'c', choices: [] })));
    const client = await clientFor(service.origin, { maxCost: 1 });
    const { transport } = scripted(step);
    const proxy = await startProxy(client, { transport });
    const body = { model: 'vendor/m', messages: [], max_tokens: 900 };
    const answer = await proxy.chat(body);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(await answer.text()).toMatch(/may have been carried out|late/);
    // The next one does not fit any more.
    expect((await proxy.chat(body)).status).toBe(402);
    expect(proxy.ended).toMatchObject([{ status: 400 }, { status: 402 }]);
    expect(proxy.ended[0]?.priceRub).toBeUndefined();
    expect(proxy.proxy.totals.all).toMatchObject({ open: 1, refused: 1 });
  });

  it.each([
    ['what was not sent', new AttemptFailed('connect', false, 'refused'), 502],
    [
      'a refusal of the service',
      { status: 400, body: '{"error":{"message":"no","type":"x","code":"y"}}' },
      400,
    ],
  ])('%s frees what was reserved', async (_name, step, status) => {
    const service = await fakeService(priced(json({ id: 'c', choices: [] })));
    const client = await clientFor(service.origin, { maxCost: 1 });
    const proxy = await startProxy(client, { transport: scripted(step).transport });
    const body = { model: 'vendor/m', messages: [], max_tokens: 900 };
    for (let count = 0; count < 3; count += 1) {
      expect((await proxy.chat(body)).status).toBe(status);
    }
    expect(proxy.proxy.totals.all).toMatchObject({ requests: 3, open: 0, priceRub: 0 });
  });

  it('what a program has hung up on stays reserved until its price is known', async () => {
    const begun = gate();
    const record = { id: 'gen_1', priceRub: NaN };
    const service = await fakeService((request, response) => {
      if (request.url.includes('/generations/') && record.priceRub > 0) {
        json(record)(request, response);
        return;
      }
      priced((_request, answer) => {
        answer.writeHead(200, { 'x-svc-generation-id': 'gen_1' });
        answer.flushHeaders();
        begun.open();
      })(request, response);
    });
    const proxy = await startProxy(await clientFor(service.origin, { maxCost: 1 }));
    const body = { model: 'vendor/m', messages: [], max_tokens: 900 };
    const gone = new AbortController();
    const asking = proxy.chat(body, { signal: gone.signal });
    await begun.opened;
    await asking;
    gone.abort();
    await proxy.endOf(1);
    expect((await proxy.chat(body)).status).toBe(402);
    record.priceRub = 0.01;
    const another = new AbortController();
    expect((await proxy.chat(body, { signal: another.signal })).status).toBe(200);
    another.abort();
    await proxy.endOf(3);
  });

  it('a replay costs nothing, and nothing is asked', async () => {
    const step = { body: '{"choices":[]}', headers: { 'x-svc-generation-id': 'gen_1' } };
    const { transport, requests } = scripted(step);
    const client = { ...(await clientFor('http://127.0.0.1:1')), key: undefined };
    const proxy = await startProxy(client, { transport, isFree: true });
    expect((await proxy.chat()).status).toBe(200);
    await proxy.proxy.end(1000);
    expect(proxy.ended).toMatchObject([{ priceRub: 0 }]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });
});
