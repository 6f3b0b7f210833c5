/** The forms that a file's bytes come in. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { wholes } from '../../lib/complete-files.js';
import { patient, rejection } from '../rig.js';
import { arrives, content, cutReply, fetchTo, goodReply, host } from './host.js';

const file = content(300_000);

it('a body that stalls is aborted after the idle time, and resumed', async () => {
  const { url, asks } = await host((ask) =>
    ask.nth === 1 ? { ...cutReply(file, ask, 100_000), end: undefined } : goodReply(file, ask),
  );
  await arrives(url, file, { timeouts: { ...patient, idleMs: 60 } });
  expect(asks.map(({ from }) => from)).toEqual([undefined, 100_000]);
});

describe('a body that comes compressed unasked', () => {
  const packed = gzipSync(file);
  const headers = { etag: '"v1"', 'content-encoding': 'gzip', 'content-length': packed.length };

  it('is unpacked', async () => {
    const { url } = await host(() => ({ headers, body: packed }));
    await arrives(url, file);
  });

  it('and truncated is downloaded again from its start', async () => {
    const { url, asks } = await host(({ nth }) =>
      nth === 1
        ? { headers, body: packed.subarray(0, 150_000), end: 'fin' }
        : { headers, body: packed },
    );
    await arrives(url, file);
    expect(asks.map(({ from }) => from)).toEqual([undefined, undefined]);
  });

  it.each([
    ['garbled', Buffer.concat([packed.subarray(0, 50_000), content(packed.length - 50_000, 3)])],
    ['cut by whoever packed it', packed.subarray(0, -20)],
  ])('and %s is not a file', async (_, body) => {
    const { url } = await host(() => ({
      headers: { ...headers, 'content-length': body.length },
      body,
    }));
    const path = join(testFolder(), 'a.bin');
    expect(await rejection(fetchTo(url, path))).toMatchObject({ name: 'Incomplete' });
    expect(existsSync(path)).toBe(false);
  });

  it('in an unknown way is refused', async () => {
    const { url } = await host(() => ({
      headers: { ...headers, 'content-encoding': 'zstd' },
      body: packed,
    }));
    const failure = await rejection(fetchTo(url, join(testFolder(), 'a.bin')));
    expect(failure).toMatchObject({ name: 'Incomplete', code: 'unknown_encoding' });
  });
});

const { wav = Buffer.alloc(0) } = await wholes();

const unframed = (body: Buffer, headers = {}) =>
  host(() => ({ headers, body: [body.subarray(0, 100), body.subarray(100)], end: 'fin' }));

describe.each([
  ['', (bytes: Buffer) => unframed(bytes)],
  [', compressed', (bytes: Buffer) => unframed(gzipSync(bytes), { 'content-encoding': 'gzip' })],
])('a file of unknown length%s', (_, served) => {
  it('is whole where its format shows it', async () => {
    const { url } = await served(wav);
    await arrives(url, wav);
  });

  it.each([0, 500])('is incomplete when it was cut after %d bytes', async (length) => {
    const { url, asks } = await served(wav.subarray(0, length));
    const path = join(testFolder(), 'a');
    expect(await rejection(fetchTo(url, path))).toMatchObject({
      name: 'Incomplete',
      code: 'length_unknown',
      message: expect.stringMatching(
        length === 0 ? /may be incomplete/ : /incomplete: .*; 500 bytes of it are in/,
      ),
      hint: 'check the file before you request it again',
    });
    expect(existsSync(path)).toBe(false);
    expect(asks).toHaveLength(1);
  });
});
