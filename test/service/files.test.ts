import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { ask, formOf, keys } from './helpers.js';
import { start } from './raw-connection.js';
import { open, refusal, type Opened } from './media/helpers.js';
import { wav } from './media/tones.js';

const post = (opened: Opened, body: unknown) => ask(opened, '/v1/files', { body });

function fileOf(bytes: Uint8Array, name = 'tone.wav', field = 'file'): FormData {
  return formOf({ purpose: 'media', [field]: new File([bytes], name) });
}

describe('POST /v1/files', () => {
  it('gives an id, and says what it found', async () => {
    const opened = open();
    const response = await post(opened, fileOf(wav(2)));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^file_[a-z0-9]{24}$/),
      object: 'file',
      bytes: wav(2).length,
      created_at: Math.floor(opened.clock.now() / 1000),
      filename: 'tone.wav',
      kind: 'audio',
      media_type: 'audio/wav',
      ext: 'wav',
      seconds: 2,
    });
  });

  it('takes bytes of any kind', async () => {
    const response = await post(open(), fileOf(Buffer.from('just words'), 'a.txt'));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ bytes: 10, filename: 'a.txt' });
  });

  it.each([
    ['no form', '{}', 'must be a form'],
    ['no file', fileOf(wav(1), 'a', 'document'), 'has no file'],
    ['an empty file', fileOf(new Uint8Array()), 'is empty'],
  ])('refuses %s', async (_, body, words) => {
    const { status, body: told } = await refusal(await post(open(), body));
    expect(status).toBe(400);
    expect(JSON.stringify(told)).toContain(words);
  });

  it('refuses two files, and keeps neither', async () => {
    const folder = testFolder();
    const opened = open({ storePath: join(folder, 'local.sqlite') });
    const form = fileOf(wav(1));
    form.append('file', new Blob([wav(1)]), 'b.wav');
    expect((await post(opened, form)).status).toBe(400);
    expect(readdirSync(join(folder, 'local-media', 'files'))).toEqual([]);
  });

  it('keeps files for their owner alone', async () => {
    const folder = testFolder();
    await post(open({ storePath: join(folder, 'local.sqlite') }), fileOf(wav(1)));
    const files = join(folder, 'local-media', 'files');
    const [name = ''] = readdirSync(files);
    expect(statSync(join(folder, 'local-media')).mode & 0o777).toBe(0o700);
    expect(statSync(join(files, name)).mode & 0o777).toBe(0o600);
  });

  it('accepts 200 MB over the network without holding them', { timeout: 60_000 }, async () => {
    const folder = testFolder();
    const { service } = open({ storePath: join(folder, 'local.sqlite') });
    const { url } = await start(service);
    const pieceBytes = 1 << 20;
    const pieces = 200;
    const piece = Buffer.alloc(pieceBytes, 7);
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
    let sent = -1;
    let most = 0;
    const before = process.memoryUsage().rss;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        most = Math.max(most, process.memoryUsage().rss - before);
        if (sent === 0) controller.enqueue(Buffer.from(head));
        else if (sent <= pieces) controller.enqueue(piece);
        else {
          controller.enqueue(Buffer.from('\r\n--b--\r\n'));
          controller.close();
        }
      },
    });
    const response = await fetch(`${url}/v1/files`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${keys.local}`,
        'content-type': 'multipart/form-data; boundary=b',
      },
      body,
      duplex: 'half',
    });
    expect(await response.json()).toMatchObject({ bytes: pieces * pieceBytes });
    // Sender and receiver are one process here.
    expect(most).toBeLessThan(120 * 1024 * 1024);
  });
});
