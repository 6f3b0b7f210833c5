import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FakeMedia } from '../../helpers/fake-media.js';
import { testFolder } from '../../helpers/folder.js';
import { scene, type Scene } from './scene.js';
import { fails } from '../../helpers/run.js';

const picture = Buffer.from('\x89PNG\r\n\x1a\n picture', 'latin1');
const sound = Buffer.from('RIFF\x24\0\0\0WAVEfmt sound', 'latin1');

function fileOf(name: string, content: Buffer): string {
  const path = join(testFolder(), name);
  writeFileSync(path, content);
  return path;
}

/** A model with these options, each a text or, when its name is plural, a list. */
function taking(...options: string[]): FakeMedia {
  const media = new FakeMedia();
  const properties = Object.fromEntries(
    options.map((name) => [name, { type: name.endsWith('s') ? 'array' : 'string' }]),
  );
  const opts = { type: 'object', additionalProperties: false, properties };
  const requestJsonSchema = { type: 'object', properties: { opts } };
  media.models = [{ id: 'vendor/canvas', operations: [{ requestJsonSchema }] }];
  return media;
}

const opts = (at: Scene) => at.submitted().map((body) => body['opts']);

describe('--input', () => {
  it('uploads a file, whatever its name, and gives its id to the option of its kind', async () => {
    const at = await scene();
    expect((await at.make(['x', '--input', fileOf('photo.txt', picture)])).code).toBe(0);
    expect(opts(at)).toEqual([{ image_file_id: 'file_1' }]);
    const upload = at.requests.find(({ url }) => url === '/v1/files');
    expect(upload?.body).toContain('filename="photo.txt"\r\nContent-Type: image/png\r\n');
    expect(upload?.headers).toHaveProperty('authorization');
    expect(at.calls().slice(0, 2)).toEqual(['POST /v1/files', 'POST /api/media/price']);
  });

  it('takes a file from a pipe', async () => {
    const at = await scene();
    await at.make(['x', '--input', '-'], { stdin: picture });
    expect(at.submitted()).toMatchObject([{ prompt: 'x', opts: { image_file_id: 'file_1' } }]);
    expect(at.media.uploads[0]?.toString()).toContain('filename="stdin"');
  });

  it('sends a file within the request with --inline, for the price as well', async () => {
    const at = await scene();
    // Larger than a piece, and no multiple of three.
    const large = Buffer.concat([picture, Buffer.alloc(500_000, 'abcdefg')]);
    await at.make(['x', '--inline', '--input', fileOf('a.png', large)]);
    expect(opts(at)).toEqual([{ image_base64: large.toString('base64') }]);
    const quoted = at.requests.find(({ url }) => url === '/api/media/price');
    expect(JSON.parse(quoted?.body ?? '')).toMatchObject({
      opts: { image_base64: large.toString('base64') },
    });
    // What was written down is what was sent, and it is kept no longer than it is needed.
    const [wanted] = at.ledger();
    expect(wanted).toMatchObject({ type: 'wanted', keptBody: { name: expect.any(String) } });
    expect(wanted).not.toHaveProperty('body');
    const kept = wanted?.['keptBody'];
    const name = typeof kept === 'object' && kept && 'name' in kept ? String(kept.name) : '';
    expect(() => statSync(join(at.home, 'data', 'jobs', name))).toThrow('ENOENT');
  });

  it.each([
    [
      ['image_file_id', 'audio_file_id'],
      ['PNG', 'WAV'],
      { image_file_id: 'file_1', audio_file_id: 'file_2' },
    ],
    [['input_file_ids'], ['PNG', 'WAV'], { input_file_ids: ['file_1', 'file_2'] }],
    [
      ['image_file_id', 'image_file_ids'],
      ['PNG', 'PNG', 'PNG'],
      { image_file_id: 'file_1', image_file_ids: ['file_2', 'file_3'] },
    ],
    [
      ['first_frame_file_id', 'last_frame_file_id'],
      ['first_frame=PNG', 'last_frame=PNG'],
      { first_frame_file_id: 'file_1', last_frame_file_id: 'file_2' },
    ],
    [['video_url'], ['https://me.example/stream'], { video_url: 'https://me.example/stream' }],
    [['reference'], ['reference=PNG'], { reference: 'file_1' }],
    [['image_base64'], ['image_base64=PNG'], { image_base64: picture.toString('base64') }],
  ])('of a model that takes %j, %j fills its option', async (takes, inputs, filled) => {
    const at = await scene(taking(...takes));
    const paths = { PNG: fileOf('a.png', picture), WAV: fileOf('a.wav', sound) };
    const fill = (text: string) => text.replace('PNG', paths.PNG).replace('WAV', paths.WAV);
    const result = await at.make(['x', ...inputs.flatMap((input) => ['--input', fill(input)])]);
    expect(result.stderr).toBe('price: 12.50 RUB\njob job_1 accepted, 12.50 RUB\n');
    expect(opts(at)).toEqual([filled]);
  });

  it.each([
    [
      ['left_image_file_id', 'right_image_file_id'],
      'PNG',
      'vendor/canvas takes several: left_image or right_image',
      'say which: --input left_image=…',
    ],
    [
      ['image_url', 'audio_url'],
      'https://me.example/x',
      'it is not clear which option https://me.example/x fills',
      'say which: --input NAME=URL, where NAME is image or audio',
    ],
    [
      ['audio_file_id'],
      'PNG',
      'vendor/canvas does not accept image as a source',
      'it takes audio_file_id',
    ],
  ])('of a model that takes %j, %s needs a clarification', async (takes, input, message, hint) => {
    const at = await scene(taking(...takes));
    const result = await at.make(['x', '--input', input.replace('PNG', fileOf('a.png', picture))]);
    expect(result).toMatchObject({ code: 2, stderr: `error: ${message}\nhint: ${hint}\n` });
    expect(at.calls()).toEqual([]);
  });

  it('that breaks off while it is uploaded costs nothing, and says so', async () => {
    const at = await scene();
    at.media.when('/v1/files', { status: 200, bytes: Buffer.from('{"id"') });
    expect(await at.make(['x', '--input', fileOf('a.png', picture)])).toMatchObject(
      fails(6, 'error: the upload of a.png was interrupted; no job was started\n'),
    );
    expect(at.keys()).toEqual([]);
  });

  it('does not wait for a writer of a named pipe', async () => {
    const at = await scene();
    const pipe = join(at.folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const result = await at.make(['x', '--input', pipe]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('is not a regular file; pipe it in and use -');
  });
});

it('--opt and --opts give each option its type', async () => {
  const at = await scene();
  const lyrics = fileOf('style.txt', Buffer.from('soft\nlight'));
  await at.make([
    'x',
    ...['--opt', 'n=2', '--opt', 'sharp=true', '--opt', 'style=@@home', '--opt', 'tags=a,b'],
    ...['--opt', 'tags=c', '--opt', 'extra={"a":1}', '--opt', 'seed=7'],
  ]);
  await at.make(['x', '--opt', `style=@${lyrics}`]);
  expect(opts(at)).toEqual([
    { n: 2, sharp: true, style: '@home', tags: ['a', 'b', 'c'], extra: { a: 1 }, seed: 7 },
    { style: 'soft\nlight' },
  ]);
});
