import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { uploadFile } from '../../src/api/files.js';
import { testFolder } from '../helpers/folder.js';
import { clientOver, json } from './client.js';

const upload = { content: Buffer.from('bytes'), name: 'a.png', type: 'image/png' };

describe('an upload', () => {
  it.each([
    [{ id: 'file_1' }, 'file_1'],
    [{ object: 'file', file_id: 'file_1' }, 'file_1'],
    [{ fileId: 'file_1' }, 'file_1'],
    [{ data: { id: 'file_1' } }, 'file_1'],
    [{ ok: true, file: { file_id: 'file_1' } }, 'file_1'],
    [{ data: 'file_1' }, 'file_1'],
    [{ id: 7 }, '7'],
  ])('finds its id in %j', async (reply, id) => {
    const client = clientOver([json(reply)]);
    expect(await uploadFile(client, upload)).toEqual({ id, reply });
  });

  it.each([[{}], [{ id: '' }], [[]], [{ id: null }]])(
    'refuses %j, which has none',
    async (reply) => {
      const client = clientOver([json(reply)]);
      await expect(uploadFile(client, upload)).rejects.toMatchObject({
        name: 'ApiError',
        message: 'the service took the file and gave no id for it',
      });
    },
  );

  it('goes out once, as a form, with a length', async () => {
    const path = join(testFolder(), 'a.png');
    writeFileSync(path, 'content of the file');
    const client = clientOver([json({ id: 'f' })]);
    await uploadFile(client, { ...upload, content: { path, length: 19 } });
    const [request] = client.requests;
    expect(request?.url.href).toBe('https://service.test/base/v1/files');
    expect(request?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=svc-/);
    expect(client.requests).toHaveLength(1);
    const body = request?.body;
    if (typeof body !== 'object' || body instanceof Uint8Array) throw new Error('no stream');
    const pieces: Buffer[] = [];
    for await (const piece of body.open()) pieces.push(Buffer.from(piece));
    const text = Buffer.concat(pieces).toString();
    expect(text).toContain('name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n');
    expect(text).toContain('content of the file');
    expect(body.length).toBe(Buffer.byteLength(text));
  });
});
