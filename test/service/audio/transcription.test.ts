import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mp3 } from '../media/engines/mp3.js';
import { errorOf, expectBalanced, historyOf, open, type Opened } from '../media/helpers.js';
import { wav } from '../media/tones.js';
import { testFolder } from '../../helpers/folder.js';
import { measure } from '../../../src/service/media/engines/measure.js';
import { readSpokenText } from '../../../src/service/media/engines/transcribe.js';
import type { SizedSource } from '../../../src/lib/audio/source.js';
import { transcriptOf, spoken, transcribe, type Upload } from './helpers.js';

const mb = 1024 * 1024;

async function refusedBy(opened: Opened, bytes: Uint8Array, upload?: Upload) {
  const error = await errorOf(await transcribe(opened, bytes, upload));
  expect(await historyOf(opened)).toEqual([]);
  return error;
}

describe('POST /v1/audio/transcriptions', () => {
  it('gives the text that was spoken, whatever the file is called', async () => {
    const opened = open();
    const { bytes } = await spoken(opened, { input: 'hello' });
    expect(
      await transcriptOf(opened, bytes, { fields: { model: 'transcribe' }, fileName: 'a.txt' }),
    ).toBe('hello');
  });

  it('takes its price by the measured second, and names the record', async () => {
    const opened = open();
    const response = await transcribe(opened, wav(60.4));
    expect(await historyOf(opened)).toMatchObject([
      {
        id: response.headers.get('x-svc-generation-id'),
        model: 'local/transcribe',
        route: ':standard',
        priceRub: 1.21,
      },
    ]);
    expect(await expectBalanced(opened)).toBe(1.21);
  });

  it('says of any other recording how long it is, and that it does no more', async () => {
    const text = await transcriptOf(open(), wav(60));
    expect(text).toBe(
      '[No speech was recognised: the embedded service knows only the text of its own recordings. ' +
        'This is 60.0 s of WAV.]',
    );
  });

  it('takes the fields in any order, and a language', async () => {
    const opened = open();
    for (const language of ['en', 'ru-RU', 'zh-Hant-TW']) {
      await transcriptOf(opened, wav(1), { fields: { model: 'local/transcribe', language } });
    }
    await transcriptOf(opened, wav(1), { fields: { temperature: '0', model: 'transcribe' } });
  });

  it.each([
    ['a text', Buffer.from('hello'), {}, 400, 'invalid_audio', 'file'],
    ['a WAV file without sound', wav(0), {}, 400, 'invalid_audio', 'file'],
    ['an empty file', Buffer.alloc(0), {}, 400, 'invalid_request', 'file'],
    ['no model', wav(1), { model: undefined }, 400, 'invalid_request', 'model'],
    ['an unknown model', wav(1), { model: 'nobody' }, 404, 'model_not_found', 'model'],
    ['a model of speech', wav(1), { model: 'local/voice' }, 400, 'model_unsuitable', 'model'],
    ['a closed channel', wav(1), { model: 'transcribe:closed' }, 503, 'route_unavailable', null],
  ])('refuses %s, and nothing is charged', async (_, bytes, changes, status, code, param) => {
    const fields = { model: 'local/transcribe', ...changes };
    const answer = await refusedBy(open(), bytes, { fields });
    expect(answer).toMatchObject({ status, code, param });
  });

  it('keeps no recording, whether it was accepted or refused', async () => {
    const folder = testFolder();
    const opened = open({ storePath: join(folder, 'store.sqlite') });
    await transcriptOf(opened, wav(1));
    await transcribe(opened, Buffer.from('no sound'));
    await transcribe(opened, wav(1), { fields: { model: 'nobody' } });
    expect(readdirSync(join(folder, 'store-media', 'files'))).toEqual([]);
  });
});

/** Bytes that count how often they are asked for. */
function counted(bytes: Buffer): SizedSource & { readonly reads: () => number } {
  let count = 0;
  return {
    length: bytes.length,
    read: (offset, length) => {
      count += 1;
      return Promise.resolve(bytes.subarray(offset, offset + length));
    },
    reads: () => count,
  };
}

function chunks(name: string): Buffer {
  const chunk = Buffer.concat([Buffer.from(name, 'latin1'), Buffer.alloc(4)]);
  return Buffer.alloc(2 * mb, chunk);
}

it.each([
  ['zeros behind a WAV file', Buffer.concat([wav(1), Buffer.alloc(2 * mb)])],
  ['many empty chunks behind a WAV file', Buffer.concat([wav(1), chunks('junk')])],
  ['many empty lists behind a WAV file', Buffer.concat([wav(1), chunks('LIST')])],
  [
    'many empty tags behind an MP3 file',
    Buffer.concat([
      mp3({ frames: 5, tagBytes: 10 }),
      Buffer.alloc(2 * mb, 'ID3\x04\0\0\0\0\0\0', 'latin1'),
    ]),
  ],
])('a file designed to keep its reader busy is handled quickly: %s', async (_, bytes) => {
  const source = counted(bytes);
  expect(await measure(source)).toMatchObject({ kind: 'audio' });
  expect(await readSpokenText(source)).toBeUndefined();
  expect(source.reads()).toBeLessThan(50_000);
});
