import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { testFolder } from '../../helpers/folder.js';
import type { Answer } from '../../helpers/front.js';
import { images, scene } from './scene.js';
import { fails, jsonOf } from '../../helpers/run.js';

const { png, gif, webp } = images;

/** A ticket with these images, in a message each. */
async function withImages(...attached: readonly (readonly [name: string, bytes: Buffer])[]) {
  const at = await scene();
  const id = await at.open();
  for (const [name, bytes] of attached) {
    await at.svc(['reply', id, 'See.', '--attach', at.file(name, bytes)]);
  }
  const { messages } = await at.thread(id);
  const Messages = z.array(z.object({ attachments: z.array(z.object({ id: z.string() })) }));
  const ids = Messages.parse(messages).flatMap(({ attachments }) =>
    attachments.map((one) => one.id),
  );
  const before = at.calls().length;
  const folder = testFolder();
  return {
    ...at,
    ids,
    folder,
    /** `svc tickets download TICKET …`, into the folder unless it says where. */
    download: (...words: string[]) => at.svc(['download', id, ...words]),
    /** How often an image was asked for. */
    fetched: () =>
      at
        .calls()
        .slice(before)
        .filter((call) => call.includes('attachments')).length,
  };
}

const three = [
  ['screen.png', gif],
  ['screen.png', png],
  ['last', webp],
] as const;

const mb = 1024 * 1024;
const most = Buffer.alloc(10 * mb);
png.copy(most);

async function* endless() {
  for (;;) yield most.subarray(0, mb);
}

describe('svc tickets download', () => {
  it('fetches all images under their own names, that end as their content says', async () => {
    const at = await withImages(...three);
    // One without a name is called by its id.
    at.on('tickets.get', {
      edit: (body): unknown => JSON.parse(JSON.stringify(body).replace('"filename":"last",', '')),
    });
    const result = await at.download('-o', `${at.folder}/`);
    const names = ['screen.gif', 'screen.png', `${String(at.ids[2])}.webp`];
    const paths = names.map((name) => join(at.folder, name));
    const stdout = paths.map((path) => `${path}\n`).join('');
    expect(result).toMatchObject({ code: 0, stdout, stderr: '' });
    expect(paths.map((path) => readFileSync(path))).toEqual([gif, png, webp]);
  });

  it('fetches one by its id or its name', async () => {
    const at = await withImages(['only.png', png]);
    for (const word of [...at.ids, 'only.png']) {
      const folder = testFolder();
      const result = await at.download(word, '-o', folder);
      expect(result).toMatchObject({ code: 0, stdout: `${join(folder, 'only.png')}\n` });
    }
  });

  it('writes one to a file or to stdout, and reports all of it under --json', async () => {
    const at = await withImages(...three);
    const [first = '', second = '', third = ''] = at.ids;
    const path = join(at.folder, 'a.bin');
    const { stdout } = await at.download(first, '-o', path, '--json');
    const bytes = gif.length;
    expect(JSON.parse(stdout)).toEqual([{ id: first, path, bytes, mediaType: 'image/gif' }]);
    expect(await at.download(second, '-o', path)).toMatchObject({ code: 11, stdout: '' });
    expect((await at.download(second, '-o', path, '--force')).code).toBe(0);
    expect(readFileSync(path)).toEqual(png);
    expect((await at.download(third, '-o', '-')).stdoutBytes).toEqual(webp);
  });

  it.each([
    ['several for one file', '-o a.png', 'the ticket has 3 images, but -o names'],
    ['several for stdout', '-o -', 'the ticket has 3 images, but -o names'],
    ['one that is not there', 'att_9', 'the ticket has no image att_9'],
    ['a name that two have', 'screen.png', 'several images are called screen.png: '],
    ['stdout and --json', 'att_1 -o - --json', '-o - and --json cannot be'],
  ])('fetches nothing for %s', async (_, words, message) => {
    const at = await withImages(...three);
    expect(await at.download(...words.split(' '))).toMatchObject(fails(2, message));
    expect(at.fetched()).toBe(0);
  });

  it('says that there is none', async () => {
    const at = await withImages();
    const none = { code: 0, stdout: '', stderr: 'the ticket has no images\n' };
    expect(await at.download()).toMatchObject(none);
    expect(await at.download('--json')).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  it.each<[what: string, answer: Answer]>([
    ['that never ends', { bytes: endless() }],
    ['by one byte', { bytes: Buffer.concat([most, Buffer.from('!')]) }],
    [
      'packed small',
      { bytes: gzipSync(Buffer.alloc(64 * mb)), headers: { 'content-encoding': 'gzip' } },
    ],
  ])('aborts an image of more than 10 MB %s, and leaves nothing of it', async (_, answer) => {
    const at = await withImages(['a.png', png]);
    at.on('tickets.attachment', { answer });
    const result = await at.download('-o', at.folder);
    expect(result).toMatchObject({ code: 3, stdout: '' });
    expect(result.stderr).toContain('larger than the limit of 10 MB\nhint: ask for it again: ');
    expect(readdirSync(at.folder)).toEqual([]);
    expect(at.fetched()).toBe(1);
  });

  it('downloads the others when one is unavailable', async () => {
    const at = await withImages(...three);
    const [first, second = '', third] = at.ids;
    at.on(new RegExp(second), { answer: { json: {} } });
    const all = await at.download('-o', at.folder);
    expect(all.code).toBe(12);
    expect(all.stdout.split('\n')).toHaveLength(3);
    expect(all.stderr).toContain(`error: 1 of 3 images could not be downloaded:\n  ${second}: `);
    expect(await jsonOf(at.download('-o', at.folder, '--json'))).toEqual([
      expect.objectContaining({ id: first, bytes: gif.length }),
      expect.objectContaining({ id: third, bytes: webp.length }),
      { id: second, error: { code: 'invalid_reply', message: expect.any(String) } },
    ]);
  });
});
