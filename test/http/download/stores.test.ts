/** How a download treats its target, and what it reports on the way. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { ManualClock } from '../../helpers/manual-clock.js';
import { canMount, smallDisk } from '../../helpers/small-disk.js';
import { rejection } from '../rig.js';
import { content, cutReply, fetchTo, goodReply, host, type Reply } from './host.js';

const file = content(300_000);

/** Takes pieces as a pipe does: slowly, one at a time. */
function slowPipe() {
  const pieces: Buffer[] = [];
  let busy = 0;
  const write = async (piece: Buffer) => {
    expect((busy += 1)).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    // A copy: what is the pipe's to keep must not be written over later.
    pieces.push(piece);
    busy -= 1;
  };
  return { to: { kind: 'stream', write } as const, taken: () => Buffer.concat(pieces) };
}

describe('a stream', () => {
  it('gets the bytes in order, no faster than it accepts them, even across breaks', async () => {
    const { url } = await host((ask) =>
      ask.nth < 4 ? cutReply(file, ask, ask.nth * 70_001) : goodReply(file, ask),
    );
    const { to, taken } = slowPipe();
    expect(await fetchTo(url, to)).toEqual({
      path: undefined,
      bytes: file.length,
      mediaType: undefined,
      resumed: false,
    });
    expect(taken().equals(file)).toBe(true);
  });

  it.each<[string, Reply]>([
    ['has changed', { headers: { etag: '"v2"', 'content-length': 3 }, body: Buffer.from('new') }],
    ['is not to be had', { status: '416 No', headers: { 'content-length': 0 } }],
  ])('never starts again: when the rest %s it is broken', async (_, second) => {
    const { url } = await host((ask) => {
      if (ask.nth === 1) return cutReply(file, ask, 100_000);
      return ask.nth === 2 ? second : goodReply(file, { from: undefined, headers: {} });
    });
    const { to, taken } = slowPipe();
    const failure = await rejection(fetchTo(url, to));
    expect(failure).toMatchObject({ name: 'Incomplete', code: 'truncated' });
    expect(taken().equals(file.subarray(0, 100_000))).toBe(true);
  });

  it('that fails ends the download with its own error', async () => {
    const { url, asks } = await host((ask) => goodReply(file, ask));
    const gone = new Error('the reader is gone');
    const write = () => Promise.reject(gone);
    expect(await rejection(fetchTo(url, { kind: 'stream', write }))).toBe(gone);
    expect(asks).toHaveLength(1);
  });
});

it('an interruption ends at once, keeps what came, and leaves it to the next run', async () => {
  const { url } = await host((ask) =>
    ask.nth === 1 ? { ...cutReply(file, ask, 100_000), end: undefined } : goodReply(file, ask),
  );
  const path = join(testFolder(), 'a.bin');
  const abort = new AbortController();
  let came = 0;
  const failure = await rejection(
    fetchTo(url, path, {
      signal: abort.signal,
      // Never throttled: every piece is reported.
      clock: new (class extends ManualClock {
        override now = () => (came += 1000);
      })(),
      onProgress: ({ bytes }) => {
        if (bytes === 100_000) setImmediate(() => abort.abort());
      },
    }),
  );
  expect(failure).toMatchObject({ name: 'BodyCut', reason: 'aborted' });
  expect(readFileSync(`${path}.part`).equals(file.subarray(0, 100_000))).toBe(true);
  expect(await fetchTo(url, path)).toMatchObject({ resumed: true });
  expect(readFileSync(path).equals(file)).toBe(true);
});

it('refuses an answer of another content type, and keeps nothing of it', async () => {
  const { url, asks } = await host(() => ({
    headers: { 'content-type': 'text/html', 'content-length': 5 },
    body: Buffer.from('login'),
  }));
  const folder = testFolder();
  const unwanted = (head: Buffer) => (head.toString() === 'login' ? 'a page' : undefined);
  expect(await rejection(fetchTo(url, join(folder, 'a.png'), { unwanted }))).toMatchObject({
    name: 'BodyCut',
    reason: 'unwanted',
    message: 'the service answered 200 with a page',
  });
  expect(asks).toHaveLength(3);
  expect(readdirSync(folder)).toEqual([]);
});

it.runIf(canMount)('a full disk keeps what came, says so, and is resumed', async () => {
  const large = content(3 * 1024 * 1024);
  const { url, asks } = await host((ask) => goodReply(large, ask));
  const folder = smallDisk(4096);
  writeFileSync(join(folder, 'rest'), Buffer.alloc(2 * 1024 * 1024));
  const path = join(folder, 'a.bin');
  expect(await rejection(fetchTo(url, path))).toMatchObject({
    name: 'LocalFileError',
    message: `cannot write ${path}.part: the disk is full`,
    hint: 'free some space, then run it again: it continues where it stopped',
  });
  const kept = readFileSync(`${path}.part`);
  expect(kept.length).toBeGreaterThan(1024 * 1024);
  expect(kept.equals(large.subarray(0, kept.length))).toBe(true);
  rmSync(join(folder, 'rest'));
  expect(await fetchTo(url, path)).toMatchObject({ resumed: true });
  expect(readFileSync(path).equals(large)).toBe(true);
  expect(asks.map(({ from }) => from)).toEqual([undefined, kept.length]);
});
