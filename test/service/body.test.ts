import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readJson } from '../../src/service/body.js';
import { ServiceFailure } from '../../src/service/failure.js';
import { openService } from './helpers.js';

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;

function request(body: Body, headers: Record<string, string> = {}): Request {
  return new Request('http://any.example/', { method: 'POST', body, headers, duplex: 'half' });
}

async function refusal(from: Request, maxBytes?: number): Promise<ServiceFailure> {
  const error: unknown = await readJson(from, maxBytes).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceFailure) return error;
  throw new Error('it was not refused');
}

/** A body that never ends; it counts what was taken of it. */
function endless(): {
  body: ReadableStream<Uint8Array>;
  taken: () => number;
  cancelled: () => boolean;
} {
  let taken = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        taken += 1024;
        controller.enqueue(new Uint8Array(1024).fill(0x20));
      },
      cancel() {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, taken: () => taken, cancelled: () => cancelled };
}

const packed = {
  gzip: gzipSync,
  'X-Gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
};

it.each(Object.entries(packed))('readJson reads a body in %s', async (encoding, pack) => {
  const bytes = Uint8Array.from(pack('{"a":1}'));
  const headers = { 'content-encoding': encoding };
  expect(await readJson(request(bytes, headers))).toEqual({ a: 1 });
  const cut = await refusal(request(bytes.subarray(0, -4), headers));
  expect(cut.message).toContain('the request body is not valid');
  expect((await refusal(request('{}', headers))).status).toBe(400);
});

it('readJson measures a packed body unpacked, and reads no further than its limit', async () => {
  const bytes = Uint8Array.from(gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20)));
  const refused = await refusal(request(bytes, { 'content-encoding': 'gzip' }), 1000);
  expect(refused).toMatchObject({ status: 413, code: 'payload_too_large' });
});

it('readJson names an encoding that it cannot read', async () => {
  const refused = await refusal(request('{}', { 'content-encoding': 'zstd, gzip' }));
  expect(refused.message).toBe('the content-encoding "zstd, gzip" is not supported');
});

it('readJson reads a body that came in pieces, cut anywhere', async () => {
  const bytes = new TextEncoder().encode('{"a":"é🌍"}');
  const pieces = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  expect(await readJson(request(pieces))).toEqual({ a: 'é🌍' });
});

it.each<[string, Body, string]>([
  ['no body', null, 'the request has no body; a JSON body is required'],
  ['half of a JSON', '{"a":', 'the request body is not JSON'],
  ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'the request body is not UTF-8'],
])('readJson refuses %s with 400', async (_, body, message) => {
  const failure = await refusal(request(body));
  expect(failure.status).toBe(400);
  expect(failure.message).toBe(message);
});

it('readJson refuses excessive nesting, and accepts what only looks like it', async () => {
  expect((await refusal(request('['.repeat(501) + ']'.repeat(501)))).status).toBe(400);
  expect((await refusal(request('['.repeat(1e6)))).status).toBe(400);
  const quoted = JSON.stringify('["\\['.repeat(600));
  expect(await readJson(request(quoted))).toBe('["\\['.repeat(600));
  const deep = '['.repeat(500) + ']'.repeat(500);
  expect(JSON.stringify(await readJson(request(deep)))).toBe(deep);
});

it('readJson stops reading at the cap and discards the rest', async () => {
  const { body, taken, cancelled } = endless();
  const failure = await refusal(request(body), 10_000);
  expect(failure.status).toBe(413);
  expect(failure.details.fields).toEqual({ max_body_bytes: 10_000 });
  expect(taken()).toBeLessThan(13_000);
  expect(cancelled()).toBe(true);
});

it('bodies of the service are not read at all when the key is wrong', async () => {
  const { body, taken } = endless();
  const response = await openService().fetch(
    new Request('http://any.example/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer nope' },
      body,
      duplex: 'half',
    }),
  );
  expect(response.status).toBe(401);
  expect(taken()).toBe(0);
});
