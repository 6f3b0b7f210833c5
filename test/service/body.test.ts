import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readJson } from '../../src/service/body.js';
import { ServiceFailure } from '../../src/service/failure.js';
import { openService, posting, streamOf } from './helpers.js';

async function refusal(from: Request, maxBytes?: number): Promise<ServiceFailure> {
  const error: unknown = await readJson(from, maxBytes).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceFailure) return error;
  throw new Error('it was not refused');
}

/** A body that never ends; it counts what was taken of it. */
function endless() {
  const seen = { taken: 0, isCancelled: false };
  const kilobyte = () => {
    seen.taken += 1024;
    return ' '.repeat(1024);
  };
  return { body: streamOf(kilobyte, () => (seen.isCancelled = true)), seen };
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
  expect(await readJson(posting(bytes, headers))).toEqual({ a: 1 });
  const cut = await refusal(posting(bytes.subarray(0, -4), headers));
  expect(cut.message).toContain('the request body is not valid');
  expect((await refusal(posting('{}', headers))).status).toBe(400);
});

it('readJson measures a packed body unpacked, and reads no further than its limit', async () => {
  const bytes = Uint8Array.from(gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20)));
  const refused = await refusal(posting(bytes, { 'content-encoding': 'gzip' }), 1000);
  expect(refused).toMatchObject({ status: 413, code: 'payload_too_large' });
});

it('readJson names an encoding that it cannot read', async () => {
  const refused = await refusal(posting('{}', { 'content-encoding': 'zstd, gzip' }));
  expect(refused.message).toBe('the content-encoding "zstd, gzip" is not supported');
});

it('readJson reads a body that came in pieces, cut anywhere', async () => {
  const bytes = new TextEncoder().encode('{"a":"é🌍"}');
  const pieces = streamOf((nth) => (nth > bytes.length ? undefined : bytes.slice(nth - 1, nth)));
  expect(await readJson(posting(pieces))).toEqual({ a: 'é🌍' });
});

it.each<[string, Parameters<typeof posting>[0], string]>([
  ['no body', null, 'the request has no body; a JSON body is required'],
  ['half of a JSON', '{"a":', 'the request body is not JSON'],
  ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'the request body is not UTF-8'],
])('readJson refuses %s with 400', async (_, body, message) => {
  const failure = await refusal(posting(body));
  expect(failure.status).toBe(400);
  expect(failure.message).toBe(message);
});

it('readJson refuses excessive nesting, and accepts what only looks like it', async () => {
  expect((await refusal(posting('['.repeat(501) + ']'.repeat(501)))).status).toBe(400);
  expect((await refusal(posting('['.repeat(1e6)))).status).toBe(400);
  const quoted = JSON.stringify('["\\['.repeat(600));
  expect(await readJson(posting(quoted))).toBe('["\\['.repeat(600));
  const deep = '['.repeat(500) + ']'.repeat(500);
  expect(JSON.stringify(await readJson(posting(deep)))).toBe(deep);
});

it('readJson stops reading at the cap and discards the rest', async () => {
  const { body, seen } = endless();
  const failure = await refusal(posting(body), 10_000);
  expect(failure.status).toBe(413);
  expect(failure.details.fields).toEqual({ max_body_bytes: 10_000 });
  expect(seen.taken).toBeLessThan(13_000);
  expect(seen.isCancelled).toBe(true);
});

it('bodies of the service are not read at all when the key is wrong', async () => {
  const { body, seen } = endless();
  const request = posting(body, { authorization: 'Bearer nope' }, '/v1/chat/completions');
  expect((await openService().fetch(request)).status).toBe(401);
  expect(seen.taken).toBe(0);
});
