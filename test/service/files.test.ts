import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { ask, formOf } from './helpers.js';
import { errorOf, open, type Opened } from './media/helpers.js';
import { wav } from './media/tones.js';

const post = (opened: Opened, body: unknown) => ask(opened, '/v1/files', { body });

function fileOf(bytes: Uint8Array, name = 'tone.wav', field = 'file'): FormData {
  return formOf({ purpose: 'media', [field]: new File([bytes], name) });
}

it('POST /v1/files gives an id, and says what it found', async () => {
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

it('POST /v1/files takes bytes of any kind', async () => {
  const response = await post(open(), fileOf(Buffer.from('just words'), 'a.txt'));
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ bytes: 10, filename: 'a.txt' });
});

it.each([
  ['no form', '{}', 'must be a form'],
  ['no file', fileOf(wav(1), 'a', 'document'), 'has no file'],
  ['an empty file', fileOf(new Uint8Array()), 'is empty'],
])('POST /v1/files refuses %s', async (_, body, words) => {
  const message = expect.stringContaining(words);
  expect(await errorOf(await post(open(), body))).toMatchObject({ status: 400, message });
});

it('POST /v1/files refuses two files, and keeps neither', async () => {
  const folder = testFolder();
  const opened = open({ storePath: join(folder, 'local.sqlite') });
  const form = fileOf(wav(1));
  form.append('file', new Blob([wav(1)]), 'b.wav');
  expect((await post(opened, form)).status).toBe(400);
  expect(readdirSync(join(folder, 'local-media', 'files'))).toEqual([]);
});

it('POST /v1/files keeps files for their owner alone', async () => {
  const folder = testFolder();
  await post(open({ storePath: join(folder, 'local.sqlite') }), fileOf(wav(1)));
  const files = join(folder, 'local-media', 'files');
  const [name = ''] = readdirSync(files);
  expect(statSync(join(folder, 'local-media')).mode & 0o777).toBe(0o700);
  expect(statSync(join(files, name)).mode & 0o777).toBe(0o600);
});
