import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { formRequest } from '../helpers/form-request.js';
import { keys } from './helpers.js';
import { start } from './raw-connection.js';
import { open, origin, refusal } from './media/helpers.js';
import { wav } from './media/tones.js';

async function post(fetchIt: (request: Request) => Promise<Response>, body: FormData | string) {
  const headers = { authorization: `Bearer ${keys.local}` };
  const url = `${origin}/v1/files`;
  return fetchIt(
    typeof body === 'string'
      ? new Request(url, { method: 'POST', headers, body })
      : await formRequest(url, body, headers),
  );
}

function formOf(bytes: Uint8Array, name = 'tone.wav', field = 'file'): FormData {
  const form = new FormData();
  form.set('purpose', 'media');
  form.set(field, new Blob([bytes]), name);
  return form;
}

describe('POST /v1/files', () => {
  it('gives an id, and says what it found', async () => {
    const { service, clock } = open();
    const response = await post(service.fetch, formOf(wav(2)));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^file_[a-z0-9]{24}$/),
      object: 'file',
      bytes: wav(2).length,
      created_at: Math.floor(clock.now() / 1000),
      filename: 'tone.wav',
      kind: 'audio',
      media_type: 'audio/wav',
      ext: 'wav',
      seconds: 2,
    });
  });

  it('takes bytes of any kind', async () => {
    const response = await post(open().service.fetch, formOf(Buffer.from('just words'), 'a.txt'));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ bytes: 10, filename: 'a.txt' });
  });

  it.each([
    ['no form', '{}', 'must be a form'],
    ['no file', formOf(wav(1), 'a', 'document'), 'has no file'],
    ['an empty file', formOf(new Uint8Array()), 'is empty'],
  ])('refuses %s', async (_, body, words) => {
    const { status, body: told } = await refusal(await post(open().service.fetch, body));
    expect(status).toBe(400);
    expect(JSON.stringify(told)).toContain(words);
  });

  it('refuses two files, and keeps neither', async () => {
    const folder = testFolder();
    const { service } = open({ storePath: join(folder, 'local.sqlite') });
    const form = formOf(wav(1));
    form.append('file', new Blob([wav(1)]), 'b.wav');
    expect((await post(service.fetch, form)).status).toBe(400);
    expect(readdirSync(join(folder, 'local-media', 'files'))).toEqual([]);
  });

  it('keeps files for their owner alone', async () => {
    const folder = testFolder();
    const { service } = open({ storePath: join(folder, 'local.sqlite') });
    await post(service.fetch, formOf(wav(1)));
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
