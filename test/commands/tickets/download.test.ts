import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { images, scene, type FakeTicket, type Scene } from './scene.js';

const ticket = (): FakeTicket => ({
  id: 'ticket_1',
  status: 'open',
  messages: [
    { author: 'client', body: 'x', attachments: [{ id: 'att_1', filename: 'screen.png' }] },
    { author: 'staff', body: 'y' },
    {
      author: 'staff',
      body: 'z',
      attachments: [{ id: 'att_2', filename: 'screen.png' }, { id: 'att_3' }],
    },
  ],
});
const contents: Readonly<Record<string, Buffer>> = {
  att_1: images.gif,
  att_2: images.png,
  att_3: images.webp,
};

/** A service that has the images of `ticket`. */
async function served(...tickets: FakeTicket[]): Promise<Scene> {
  const at = await scene(...tickets);
  at.instead = ({ url }, response) => {
    const content = contents[url.split('/attachments/')[1] ?? ''];
    if (!content) return false;
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': content.length });
    response.end(content);
    return true;
  };
  return at;
}

const mb = 1024 * 1024;
const most = Buffer.alloc(10 * mb);
images.png.copy(most);

/** Sends the same again and again, as long as somebody takes it. */
function endless(response: ServerResponse, piece: Buffer): void {
  if (response.destroyed) return;
  const again = () => {
    endless(response, piece);
  };
  // The reader is of this process too: it must have its turns.
  if (response.write(piece)) setImmediate(again);
  else response.once('drain', again);
}

describe('svc tickets download', () => {
  it('fetches all images under their own names, that end as their content says', async () => {
    const at = await served(ticket());
    const folder = testFolder();
    const result = await at.svc(['download', 'ticket_1', '-o', `${folder}/`]);
    const paths = ['screen.gif', 'screen.png', 'att_3.webp'].map((name) => join(folder, name));
    expect(result).toMatchObject({
      code: 0,
      stdout: paths.map((path) => `${path}\n`).join(''),
      stderr: '',
    });
    expect(paths.map((path) => readFileSync(path))).toEqual([images.gif, images.png, images.webp]);
    expect(at.requests.every(({ headers }) => headers.authorization?.startsWith('Bearer '))).toBe(
      true,
    );
  });

  it.each(['att_2', 'only.png'])('fetches one by its id or its name: %s', async (word) => {
    const attachments = [{ id: 'att_2', filename: 'only.png' }];
    const at = await served({ ...ticket(), messages: [{ author: 'x', body: '', attachments }] });
    const folder = testFolder();
    const result = await at.svc(['download', 'ticket_1', word, '-o', folder]);
    expect(result).toMatchObject({ code: 0, stdout: `${join(folder, 'only.png')}\n` });
  });

  it('writes one to a file or to stdout, and reports all of it under --json', async () => {
    const at = await served(ticket());
    const path = join(testFolder(), 'a.bin');
    expect(await at.svc(['download', 'ticket_1', 'att_1', '-o', path, '--json'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `${JSON.stringify(
        [{ attachment: 'att_1', path, bytes: images.gif.length, mediaType: 'image/gif' }],
        undefined,
        2,
      )}\n`,
    });
    const refused = await at.svc(['download', 'ticket_1', 'att_2', '-o', path]);
    expect(refused).toMatchObject({ code: 11, stdout: '' });
    expect(refused.stderr).toContain('exists');
    expect(await at.svc(['download', 'ticket_1', 'att_2', '-o', path, '--force'])).toMatchObject({
      code: 0,
    });
    expect(readFileSync(path)).toEqual(images.png);
    const { stdoutBytes } = await at.svc('download ticket_1 att_3 -o -');
    expect(stdoutBytes).toEqual(images.webp);
  });

  it.each([
    ['several for one file', 'download ticket_1 -o a.png', 'the ticket has 3 images, but -o names'],
    ['several for stdout', 'download ticket_1 -o -', 'the ticket has 3 images, but -o names'],
    ['one that is not there', 'download ticket_1 att_9', 'the ticket has no image att_9; did you'],
    [
      'a name that two have',
      'download ticket_1 screen.png',
      'several images are called screen.png: att_1, att_2',
    ],
    ['stdout and --json', 'download ticket_1 att_1 -o - --json', '-o - and --json cannot be'],
  ])('fetches nothing for %s', async (_, line, words) => {
    const at = await served(ticket());
    const result = await at.svc(line);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(words);
    expect(at.calls().filter((call) => call.includes('attachments'))).toEqual([]);
  });

  it('says that there is none', async () => {
    const at = await served({ ...ticket(), messages: [] });
    const none = { code: 0, stdout: '', stderr: 'the ticket has no images\n' };
    expect(await at.svc('download ticket_1')).toMatchObject(none);
    expect(await at.svc('download ticket_1 --json')).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  const tooLarge =
    'error: the image is larger than the limit of 10 MB\nhint: ask for it again: `svc tickets reply ticket_1`\n';

  it.each<readonly [string, (response: ServerResponse) => void]>([
    ['that never ends', (response) => endless(response.writeHead(200), most.subarray(0, mb))],
    [
      'by one byte',
      (response) => {
        response.writeHead(200, { connection: 'keep-alive' }).write(most);
        response.end('!');
      },
    ],
    [
      'packed small',
      (response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(gzipSync(Buffer.alloc(64 * mb)));
      },
    ],
  ])('aborts an image of more than 10 MB %s, and leaves nothing of it', async (_, answer) => {
    const at = await scene(ticket());
    at.instead = ({ url }, response) => {
      if (!url.includes('attachments')) return false;
      answer(response);
      return true;
    };
    const folder = testFolder();
    const result = await at.svc(['download', 'ticket_1', 'att_1', '-o', folder]);
    expect(result).toEqual(expect.objectContaining({ code: 3, stdout: '', stderr: tooLarge }));
    expect(readdirSync(folder)).toEqual([]);
    expect(at.calls().filter((call) => call.includes('attachments'))).toHaveLength(1);
  });

  it('downloads the others when one is unavailable', async () => {
    const at = await served(ticket());
    const { instead } = at;
    at.instead = (seen, response) => !seen.url.endsWith('att_2') && instead(seen, response);
    const folder = testFolder();
    const paths = ['screen.gif', 'att_3.webp'].map((name) => join(folder, name));
    const line = ['download', 'ticket_1', '-o', folder];
    expect(await at.svc(line)).toMatchObject({
      code: 12,
      stdout: paths.map((path) => `${path}\n`).join(''),
      stderr: expect.stringMatching(
        /^error: 1 of 3 images could not be downloaded:\n {2}att_2: .+\n/,
      ),
    });
    const reported: unknown = JSON.parse((await at.svc([...line, '--json'])).stdout);
    expect(reported).toEqual([
      expect.objectContaining({ attachment: 'att_1', bytes: images.gif.length }),
      expect.objectContaining({ attachment: 'att_3', bytes: images.webp.length }),
      { attachment: 'att_2', error: { code: 'invalid_reply', message: expect.any(String) } },
    ]);
  });
});
