/** How often a download is tried, and when it ends. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.js';
import { testFolder } from '../../helpers/folder.js';
import { SkippingClock } from '../../helpers/manual-clock.js';
import { rejection } from '../rig.js';
import { content, cutReply, fetchTo, goodReply, host, type Reply } from './host.js';

const file = content(300_000);

describe('attempts', () => {
  it('continue as long as each brings something, with a short wait between', async () => {
    const { url, asks } = await host((ask) =>
      ask.nth < 30 ? cutReply(file, ask, ask.nth * 10_000) : goodReply(file, ask),
    );
    const path = join(testFolder(), 'a.bin');
    const clock = new SkippingClock();
    await fetchTo(url, path, { clock });
    expect(asks).toHaveLength(30);
    expect(clock.sleeps).toEqual(Array.from({ length: 29 }, () => 250));
  });

  it('end after six in a row that bring nothing, and say how much there is', async () => {
    const { url, asks } = await host((ask) =>
      cutReply(file, ask, 100_000, ask.nth === 1 ? 'fin' : 'reset'),
    );
    const path = join(testFolder(), 'a.bin');
    const clock = new SkippingClock();
    const failure = await rejection(fetchTo(url, path, { clock }));
    expect(failure).toMatchObject({
      name: 'Incomplete',
      code: 'truncated',
      hint: 'run it again: it continues where it stopped',
    });
    expect(String(failure)).toContain(`100000 bytes of it are in ${path}.part`);
    expect(asks).toHaveLength(6);
    expect(clock.sleeps).toEqual([250, 500, 1000, 2000, 4000]);
  });

  it('are not made when the first one brought only a permanent answer', async () => {
    for (const status of ['403 Forbidden', '404 Not Found', '410 Gone', '400 Bad', '206 Partial']) {
      const { url, asks } = await host(() => ({ status, headers: { 'content-length': 0 } }));
      const path = join(testFolder(), 'a.bin');
      expect(await rejection(fetchTo(url, path))).toMatchObject({
        name: 'DownloadRefused',
        response: { status: Number(status.slice(0, 3)) },
      });
      expect(asks).toHaveLength(1);
      expect(readdirSync(join(path, '..'))).toEqual([]);
    }
  });

  it('are made again after a temporary answer, as late as it asks', async () => {
    const temporary: Reply[] = [
      { status: '503 Busy', headers: { 'retry-after': '7', 'content-length': 0 } },
      { status: '502 Bad', headers: { 'content-length': 0 } },
    ];
    const { url } = await host((ask) => temporary[ask.nth - 1] ?? goodReply(file, ask));
    const clock = new SkippingClock();
    await fetchTo(url, join(testFolder(), 'a.bin'), { clock });
    expect(clock.sleeps).toEqual([7000, 500]);
  });

  it('end at the deadline, and what came is kept', async () => {
    const { url } = await host((ask) => ({ ...cutReply(file, ask, 100_000), end: undefined }));
    const path = join(testFolder(), 'a.bin');
    const failure = await rejection(fetchTo(url, path, { clock: systemClock, deadlineMs: 300 }));
    expect(failure).toMatchObject({ name: 'Incomplete' });
    expect(String(failure)).toContain('not finished within 300 ms');
    expect(readFileSync(`${path}.part`).equals(file.subarray(0, 100_000))).toBe(true);
  });
});
