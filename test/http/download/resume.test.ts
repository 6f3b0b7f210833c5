/** Connections that break, and services that return the rest of a file, or do not. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { arrives, content, cutReply, fetchTo } from './host.js';
import { goodReply, host, type Ask, type Reply } from './host.js';

const file = content(300_000);

/** A host whose first answer breaks off after 100,000 bytes; what follows is the test's. */
function brokenOnce(then: (ask: Ask) => Reply) {
  return host((ask) => (ask.nth === 1 ? cutReply(file, ask, 100_000) : then(ask)));
}

it('a file of 64 MB that is cut at 20 places ends byte for byte the same', async () => {
  const large = content(64 * 1024 * 1024);
  const step = Math.floor(large.length / 20);
  // By turns with an end and with a reset, at places that fit no block.
  const { url, asks } = await host((ask) =>
    ask.nth <= 20
      ? cutReply(large, ask, ask.nth * step - 7919, ask.nth % 2 === 0 ? 'fin' : 'reset')
      : goodReply(large, ask),
  );
  const path = join(testFolder(), 'video.mp4');
  expect(await fetchTo(url, path)).toMatchObject({ path, bytes: large.length, resumed: false });
  expect(readFileSync(path).equals(large)).toBe(true);
  expect(asks).toHaveLength(21);
  expect(asks.slice(1).every(({ from = 0, nth }) => from > (nth - 2) * step - 7919)).toBe(true);
  expect(readdirSync(join(path, '..'))).toEqual(['video.mp4']);
});

describe('a download that broke off', () => {
  it('is resumed only by its strong ETag, and requested uncompressed', async () => {
    const { url, asks } = await brokenOnce((ask) => goodReply(file, ask));
    await arrives(url, file);
    expect(asks[0]?.headers).toMatchObject({ 'accept-encoding': 'identity' });
    expect(asks[0]?.headers).not.toHaveProperty('range');
    expect(asks[1]?.headers).toMatchObject({
      'accept-encoding': 'identity',
      range: 'bytes=100000-',
      'if-range': '"v1"',
    });
  });

  it.each([
    ['a weak ETag', 'W/"v1"'],
    ['no ETag', undefined],
  ])('is fetched from the start with %s', async (_, etag) => {
    const headers: Record<string, string> = etag === undefined ? {} : { etag };
    const { url, asks } = await host((ask) => ({
      ...goodReply(file, { headers: {}, from: undefined }, headers),
      ...(ask.nth === 1 ? { body: file.subarray(0, 100_000), end: 'fin' } : {}),
    }));
    await arrives(url, file);
    expect(asks.map(({ from }) => from)).toEqual([undefined, undefined]);
  });

  const changed = content(300_000, 2);

  it('and has changed since is downloaded again from the answer that says so', async () => {
    const { url, asks } = await brokenOnce((ask) => goodReply(changed, ask, { etag: '"v2"' }));
    await arrives(url, changed);
    expect(asks).toHaveLength(2);
  });

  it('and comes complete from a service without ranges is read from its start', async () => {
    const { url, asks } = await brokenOnce(() => goodReply(file, { headers: {}, from: undefined }));
    await arrives(url, file);
    expect(asks).toHaveLength(2);
  });

  const rest = (
    headers: Record<string, string | number>,
    body = file.subarray(100_000),
  ): Reply => ({
    status: '206 Partial Content',
    headers: { 'content-length': body.length, ...headers },
    body,
  });
  const good = { etag: '"v1"', 'content-range': 'bytes 100000-299999/300000' };

  it.each<[string, Reply]>([
    ['begins elsewhere', rest({ ...good, 'content-range': 'bytes 99999-299998/300000' })],
    ['is of another length', rest({ ...good, 'content-range': 'bytes 100000-299999/300001' })],
    ['goes beyond its own end', rest({ ...good, 'content-range': 'bytes 100000-300000/300000' })],
    ['is of another version', rest({ ...good, etag: '"v2"' }, changed.subarray(100_000))],
    ['does not say of which version', rest({ 'content-range': good['content-range'] })],
    ['is as long as its head does not say', rest(good, file.subarray(100_001))],
    ['is compressed', rest({ ...good, 'content-encoding': 'gzip' }, gzipSync(file))],
    ['is refused', { status: '416 Range Not Satisfiable', headers: { 'content-length': 0 } }],
  ])('is fetched from the start when the rest %s', async (_, reply) => {
    const { url, asks } = await brokenOnce(({ nth }) =>
      nth === 2 ? reply : goodReply(file, { headers: {}, from: undefined }),
    );
    await arrives(url, file);
    expect(asks.map(({ from }) => from)).toEqual([undefined, 100_000, undefined]);
  });

  it('is assembled from ranges that are shorter than requested', async () => {
    const { url, asks } = await brokenOnce(({ from = 0 }) => {
      const last = Math.min(from + 60_000, file.length) - 1;
      const range = `bytes ${from}-${last}/300000`;
      return rest({ etag: '"v1"', 'content-range': range }, file.subarray(from, last + 1));
    });
    await arrives(url, file);
    expect(asks.map(({ from }) => from)).toEqual([undefined, 100_000, 160_000, 220_000, 280_000]);
  });
});
