/** What a downloaded file is called, and what prevents that. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { rejection } from '../rig.js';
import { content, cutReply, fetchTo, goodReply, host } from './host.js';

const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), content(50_000)]);

const hostOf = (headers: Record<string, string> = {}, file: Buffer = png) =>
  host(() => goodReply(file, { from: undefined, headers: {} }, { etag: '"v1"', ...headers }));

describe('a file of a name of our own', () => {
  it.each<Record<string, string>>([
    { 'content-type': 'model/obj' },
    { 'content-disposition': 'attachment; filename=a.sh' },
    {},
  ])('gets no extension from the service where its content is not known: %j', async (headers) => {
    const folder = testFolder();
    const { url } = await hostOf(headers, Buffer.from('v 1 0 0\n'));
    const to = { kind: 'folder', folder, name: (extension: string) => `job.${extension}` } as const;
    const path = join(folder, 'job.bin');
    expect(await fetchTo(new URL('/a/run.exe', url), to)).toMatchObject({ path });
  });

  it('gets a number when the name is taken, by a link that leads nowhere too', async () => {
    const { url } = await hostOf();
    const folder = testFolder();
    writeFileSync(join(folder, 'a.png'), 'mine');
    symlinkSync('nowhere', join(folder, 'a-2.png'));
    mkdirSync(join(folder, 'a-3.png'));
    const name = () => 'a.png';
    expect(await fetchTo(url, { kind: 'folder', folder, name })).toMatchObject({
      path: join(folder, 'a-4.png'),
    });
    expect(readFileSync(join(folder, 'a.png'), 'utf8')).toBe('mine');
    expect(readFileSync(join(folder, 'a-4.png')).equals(png)).toBe(true);
  });
});

describe('a file of a name that was asked for', () => {
  it('replaces what was there where that was asked for, when it is whole', async () => {
    const path = join(testFolder(), 'a.png');
    writeFileSync(path, 'mine');
    const { url } = await host((ask) => {
      expect(readFileSync(path, 'utf8')).toBe('mine');
      return ask.nth === 1 ? cutReply(png, ask, 10_000) : goodReply(png, ask);
    });
    await fetchTo(url, { kind: 'file', path, replace: true });
    expect(readFileSync(path).equals(png)).toBe(true);
  });

  it('is complete in its part file when the name was taken meanwhile', async () => {
    const path = join(testFolder(), 'a.png');
    const { url, asks } = await host((ask) => {
      writeFileSync(path, 'mine');
      return goodReply(png, ask);
    });
    expect(await rejection(fetchTo(url, path))).toMatchObject({
      code: 'file_exists',
      hint: `choose another name, what was written is in ${path}.part`,
    });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(readFileSync(`${path}.part`).equals(png)).toBe(true);
    // With --force nothing has to be fetched again.
    expect(await fetchTo(url, { kind: 'file', path, replace: true })).toMatchObject({
      bytes: png.length,
      resumed: true,
    });
    expect(readFileSync(path).equals(png)).toBe(true);
    expect(asks).toHaveLength(1);
  });
});

describe('a part file', () => {
  it('has a note beside it, which holds no signature, and is of no use for another origin', async () => {
    const { url } = await host((ask) =>
      ask.from === undefined ? cutReply(png, ask, 20_000) : { status: '404 Gone' },
    );
    const path = join(testFolder(), 'a.png');
    url.search = '?sig=first&expires=1&v=2';
    await rejection(fetchTo(url, path));
    expect(readdirSync(join(path, '..')).sort()).toEqual(['a.png.part', 'a.png.part.json']);
    const note = readFileSync(`${path}.part.json`, 'utf8');
    expect(note).not.toContain('first');
    expect(note).not.toContain('owner');

    const { url: other, asks } = await host((ask) => goodReply(png, ask));
    url.port = other.port;
    expect(await fetchTo(url, path)).toMatchObject({ resumed: false });
    expect(asks[0]?.from).toBeUndefined();
  });

  it('of the same source is resumed, and is gone afterwards', async () => {
    const path = join(testFolder(), 'a.png');
    let isGood = false;
    const { url, asks } = await host((ask) => {
      if (isGood) return goodReply(png, ask);
      return ask.nth === 1 ? cutReply(png, ask, 20_000) : { status: '404 No' };
    });
    url.search = '?sig=first';
    expect(await rejection(fetchTo(url, path))).toMatchObject({ name: 'DownloadRefused' });
    isGood = true;
    url.search = '?sig=second';
    expect(await fetchTo(url, path)).toMatchObject({ bytes: png.length, resumed: true });
    expect(asks.at(-1)).toMatchObject({ from: 20_000, path: '/results/0?sig=second' });
    expect(readFileSync(path).equals(png)).toBe(true);
    expect(readdirSync(join(path, '..'))).toEqual(['a.png']);
  });
});
