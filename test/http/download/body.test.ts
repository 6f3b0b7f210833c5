/** The forms that a file's bytes come in. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { patient, rejection } from '../rig.js';
import { content, cutReply, fetchTo, goodReply, host } from './host.js';

const file = content(300_000);

describe('a body', () => {
  it('that stalls is given up after the idle time, and gone on with', async () => {
    const { url, asks } = await host((ask) =>
      ask.nth === 1 ? { ...cutReply(file, ask, 100_000), end: undefined } : goodReply(file, ask),
    );
    const path = join(testFolder(), 'a.bin');
    await fetchTo(url, path, { timeouts: { ...patient, idleMs: 60 } });
    expect(asks.map(({ from }) => from)).toEqual([undefined, 100_000]);
    expect(readFileSync(path).equals(file)).toBe(true);
  });

  it('that is longer than its head says is taken as far as that', async () => {
    const { url } = await host((ask) => ({
      ...goodReply(file.subarray(0, 1000), ask),
      body: file,
      end: 'fin',
    }));
    const path = join(testFolder(), 'a.bin');
    expect(await fetchTo(url, path)).toMatchObject({ bytes: 1000 });
    expect(readFileSync(path).equals(file.subarray(0, 1000))).toBe(true);
  });
});

describe('a body that comes compressed unasked', () => {
  const packed = gzipSync(file);
  const headers = { etag: '"v1"', 'content-encoding': 'gzip', 'content-length': packed.length };

  it('is unpacked', async () => {
    const { url } = await host(() => ({ headers, body: packed }));
    const path = join(testFolder(), 'a.bin');
    expect(await fetchTo(url, path)).toMatchObject({ bytes: file.length });
    expect(readFileSync(path).equals(file)).toBe(true);
  });

  it('and cut is fetched anew from its start', async () => {
    const { url, asks } = await host(({ nth }) =>
      nth === 1
        ? { headers, body: packed.subarray(0, 150_000), end: 'fin' }
        : { headers, body: packed },
    );
    const path = join(testFolder(), 'a.bin');
    await fetchTo(url, path);
    expect(readFileSync(path).equals(file)).toBe(true);
    expect(asks.map(({ from }) => from)).toEqual([undefined, undefined]);
  });

  it.each([
    ['garbled', Buffer.concat([packed.subarray(0, 50_000), content(packed.length - 50_000, 3)])],
    ['cut by whoever packed it', packed.subarray(0, -20)],
  ])('and %s is no file', async (_, body) => {
    const { url } = await host(() => ({
      headers: { ...headers, 'content-length': body.length },
      body,
    }));
    const path = join(testFolder(), 'a.bin');
    expect(await rejection(fetchTo(url, path))).toMatchObject({ name: 'Incomplete' });
    expect(existsSync(path)).toBe(false);
  });

  it('in a way that nobody knows is refused', async () => {
    const { url } = await host(() => ({
      headers: { ...headers, 'content-encoding': 'zstd' },
      body: packed,
    }));
    const failure = await rejection(fetchTo(url, join(testFolder(), 'a.bin')));
    expect(failure).toMatchObject({ name: 'Incomplete', code: 'unknown_encoding' });
  });
});
