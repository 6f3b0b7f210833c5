/** What 20,000 requests leave in the memory of the proxy and of the purse: nothing. */
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Transport } from '../../src/http/types.js';
import { Proxy } from '../../src/proxy/proxy.js';
import { fakeService, json } from '../../test/helpers/fake-service.js';
import { clientFor, runKey } from '../../test/proxy/rig.js';

const prices = {
  data: [{ id: 'vendor/m', inputRubPerMillionTokens: 1, outputRubPerMillionTokens: 1 }],
};
const body = Buffer.from(
  JSON.stringify({ model: 'vendor/m', messages: [{ role: 'user', content: 'x'.repeat(5000) }] }),
);
const headers = new Map([
  ['x-api-key', runKey],
  ['content-type', 'application/json'],
]);
const answer = Buffer.from(
  'data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}\n\ndata: [DONE]\n\n',
);

/** In MB, after everything that is not held has gone. */
async function heapMb(): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) {
    await setTimeout(10);
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed / 1e6;
}

it('20,000 requests under a ceiling leave nothing behind', { timeout: 300_000 }, async () => {
  let count = 0;
  const record = (number: number) => ({ id: `gen_${number}`, priceRub: 0.000001 });
  const service = await fakeService((request, response) => {
    const [, id] = /generations\/gen_(\d+)/.exec(request.url) ?? [];
    const page = Number(/page=(\d+)/.exec(request.url)?.[1] ?? 1);
    const newest = count - 100 * (page - 1);
    const data = Array.from({ length: 100 }, (_, at) => record(newest - at));
    const history =
      id === undefined ? { data, page, limit: 100, total: count } : record(Number(id));
    json(request.url.includes('generations') ? history : prices)(request, response);
  });
  const transport: Transport = () => {
    const id = `gen_${(count += 1)}`;
    return Promise.resolve({
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'x-svc-generation-id': id },
      pipe: async (sink) => sink(answer),
      discard: () => undefined,
    });
  };
  const client = await clientFor(service.origin, { maxCost: 1_000_000 });
  const proxy = new Proxy({ client, key: runKey, command: 'svc run', transport });
  const ask = async () => {
    const reply = await proxy.answer({
      method: 'POST',
      url: 'http://127.0.0.1/v1/chat/completions',
      headers: { get: (name) => headers.get(name) ?? null },
      body,
      signal: new AbortController().signal,
    });
    if (reply.body === null || typeof reply.body === 'string') throw new Error(String(reply.body));
    for await (const piece of reply.body) expect(piece.length).toBe(answer.length);
  };
  /** Until so many have been asked, and their prices are known. */
  const askUntil = async (requests: number) => {
    while (count < requests) await Promise.all(Array.from({ length: 100 }, ask));
    while (proxy.totals.all.open > 0) await setTimeout(100);
    return heapMb();
  };
  await askUntil(2000);
  const before = await askUntil(4000);
  let after = before;
  for (let sum = 6000; sum <= 20_000; sum += 2000) after = await askUntil(sum);
  expect(proxy.totals.all).toMatchObject({ requests: 20_000, open: 0, refused: 0 });
  expect(after - before).toBeLessThan(1);
  await proxy.end(1000);
});
