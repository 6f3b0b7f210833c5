import { describe, expect, it } from 'vitest';
import { uploadFile } from '../../src/api/files.js';
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
        message: 'the service accepted the file but returned no id',
      });
    },
  );
});
