import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { inProcessTransport } from '../../src/http/in-process.js';
import type { HttpRequest } from '../../src/http/types.js';

const requestWith = (body: HttpRequest['body']): HttpRequest => ({
  method: 'POST',
  url: new URL('http://localhost/x'),
  headers: { 'content-type': 'application/x' },
  body,
  timeouts: { connectMs: 0, firstByteMs: 0, idleMs: 0 },
});

it('reads a body only as far as it is wanted, and closes its source', async () => {
  let read = 0;
  let isClosed = false;
  async function* pieces() {
    try {
      for (; read < 100; read += 1) yield new Uint8Array(10);
    } finally {
      isClosed = true;
    }
  }
  const transport = inProcessTransport(async (request) => {
    const reader = request.body?.[Symbol.asyncIterator]();
    await reader?.next();
    await reader?.return?.();
    return { status: 413, headers: {}, body: 'enough' };
  });
  expect((await transport(requestWith({ length: 1000, open: pieces }))).status).toBe(413);
  expect(read).toBeLessThan(4);
  expect(isClosed).toBe(true);
});

it('leaves nothing behind at a signal that outlives the call', async () => {
  const { signal } = new AbortController();
  const transport = inProcessTransport(() =>
    Promise.resolve({ status: 200, headers: {}, body: 'ok' }),
  );
  const refuses = inProcessTransport(() => Promise.reject(new Error('gone')));
  const request = { ...requestWith(undefined), signal };
  await (await transport(request)).pipe(() => undefined);
  (await transport(request)).discard();
  await expect(refuses(request)).rejects.toThrow('dropped the request');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('ends an answer in its middle when the user interrupts, and closes its source', async () => {
  const interrupt = new AbortController();
  let isClosed = false;
  const transport = inProcessTransport(() => {
    async function* body() {
      try {
        for (;;) yield await Promise.resolve(new Uint8Array(10));
      } finally {
        isClosed = true;
      }
    }
    return Promise.resolve({ status: 200, headers: {}, body: body() });
  });
  const answer = await transport({ ...requestWith(undefined), signal: interrupt.signal });
  const piped = answer.pipe(() => {
    interrupt.abort(new Error('interrupted'));
  });
  await expect(piped).rejects.toMatchObject({ name: 'BodyCut', reason: 'aborted' });
  expect(isClosed).toBe(true);
});

it('leaves open whether a request was carried out that is given up, whatever the service then says', async () => {
  const interrupt = new AbortController();
  const transport = inProcessTransport(() => {
    interrupt.abort();
    return Promise.resolve({ status: 500, headers: {}, body: '' });
  });
  const given = transport({ ...requestWith(undefined), signal: interrupt.signal });
  await expect(given).rejects.toMatchObject({ reason: 'aborted', sent: true });
});
