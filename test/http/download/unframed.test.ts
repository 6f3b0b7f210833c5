/** Answers that say nothing of their length, and end with their connection. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { wholes } from '../../lib/wholes.js';
import { rejection } from '../rig.js';
import { fetchTo, host } from './host.js';

const files = await wholes();
const fileOf = (name: string) => files[name] ?? Buffer.alloc(0);

const unframed = (body: Buffer, headers = {}) =>
  host(() => ({ headers, body: [body.subarray(0, 100), body.subarray(100)], end: 'fin' }));

describe('a file of unknown length', () => {
  it.each(Object.keys(files))('is whole where its format shows it: %s', async (name) => {
    const { url } = await unframed(fileOf(name));
    const path = join(testFolder(), 'a');
    expect(await fetchTo(url, path)).toMatchObject({ bytes: fileOf(name).length });
    expect(readFileSync(path).equals(fileOf(name))).toBe(true);
  });

  it.each(Object.keys(files))('is incomplete wherever it was cut: %s', async (name) => {
    const file = fileOf(name);
    for (const part of [0.01, 0.2, 0.4, 0.6, 0.8, 0.99]) {
      const half = file.subarray(0, Math.floor(file.length * part));
      const { url, asks } = await unframed(half);
      const path = join(testFolder(), 'a');
      expect(await rejection(fetchTo(url, path))).toMatchObject({
        name: 'Incomplete',
        code: 'length_unknown',
        message: expect.stringMatching(
          half.length === 0 ? /cannot be told to be whole/ : /whole: .*; \d+ bytes of it are in/,
        ),
        hint: 'look whether all of it is there before you ask for it again',
      });
      expect(existsSync(path)).toBe(false);
      expect(asks).toHaveLength(1);
    }
  });

  it('is judged by what is in it where it comes compressed', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const { url } = await unframed(gzipSync(fileOf('wav')), headers);
    expect(await fetchTo(url, join(testFolder(), 'a'))).toMatchObject({
      bytes: fileOf('wav').length,
    });
    const half = await unframed(gzipSync(fileOf('wav').subarray(0, 500)), headers);
    expect(await rejection(fetchTo(half.url, join(testFolder(), 'a')))).toMatchObject({
      code: 'length_unknown',
    });
  });

  it('is told to be incomplete on its way to a stream', async () => {
    const { url } = await unframed(fileOf('png').subarray(0, -1));
    const write = () => undefined;
    expect(await rejection(fetchTo(url, { kind: 'stream', write }))).toMatchObject({
      name: 'Incomplete',
      code: 'length_unknown',
      message: expect.stringContaining(`after ${String(fileOf('png').length - 1)} bytes`),
    });
  });
});
