import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/api/client.js';
import { createSpeech } from '../../src/contract/audio.js';
import { createImage } from '../../src/contract/images.js';
import { generateMedia } from '../../src/contract/media.js';
import { AttemptFailed } from '../../src/http/types.js';
import { fileKindOf } from '../../src/lib/file-kind.js';
import { listOf, recordOf } from '../../src/lib/json.js';
import { run } from '../helpers/run.js';
import { failureOf, lineOf, localBatch } from './local.js';

const voice = (more: object = {}, id?: string) =>
  lineOf(generateMedia, { model: 'local/voice', prompt: 'a lighthouse', ...more }, id);
const filesIn = ({ body }: { body: string }) => listOf(recordOf(JSON.parse(body))['files']);

/** Loses so many answers from such a path. */
function losing(path: string, times = Infinity) {
  return ({ transport }: Client): Partial<Client> => ({
    transport: async (request) => {
      const response = await transport(request);
      if (!request.url.pathname.includes(path) || (times -= 1) < 0) return response;
      response.discard();
      throw new AttemptFailed('reset', true, 'the connection was lost');
    },
  });
}

describe('a media job of a batch', () => {
  it('is followed to its files, and svc jobs list knows it', async () => {
    const at = await localBatch();
    const line = voice({ model: 'local/canvas', opts: { n: 2, quality: 'draft' } }, 'first');
    const { body, ...answer } = await at.send(line);
    const files = [join(at.files, 'first-0.png'), join(at.files, 'first-1.png')];
    expect(answer).toMatchObject({ status: 200, costRub: 1.2 });
    expect(JSON.parse(body)).toMatchObject({ status: 'success', priceRub: 1.2, files });
    expect(body).not.toContain('sig=');
    for (const path of files) expect(fileKindOf(readFileSync(path))?.extension).toBe('png');
    const { jobId } = recordOf(JSON.parse(body));
    const { stdout } = await run('--local jobs list --all', { home: at.home });
    expect(stdout).toContain(`${String(jobId)}\tlocal/canvas\tdone\t1.2`);
  });

  it('is paid for once, whoever sends its line again', async () => {
    const at = await localBatch();
    const { body } = await at.send(voice());
    const again = await localBatch({ home: at.home });
    expect(JSON.parse((await again.send(voice())).body)).toEqual(JSON.parse(body));
    expect(readdirSync(at.files)).toEqual(['a.wav']);
    expect(await at.charged()).toEqual([0.1]);
    // Another line is another job.
    await again.send(voice({}, 'b'));
    await again.send(voice({ prompt: 'a harbour' }));
    expect(await at.charged()).toEqual([0.1, 0.1, 0.08]);
    expect(readdirSync(at.files)).toEqual(['a-2.wav', 'a.wav', 'b.wav']);
  });

  it('has the ceiling that the batch leaves it, which changes no key', async () => {
    const at = await localBatch();
    const low = await failureOf(at.send({ ...voice(), maxPriceRub: 0.05 }));
    expect(low).toContain('media_max_price_exceeded');
    const { body } = await at.send({ ...voice(), maxPriceRub: 1 });
    expect(JSON.parse((await at.send(voice())).body)).toEqual(JSON.parse(body));
    expect(await at.charged()).toEqual([0.1]);
  });

  it.each(['/generate', '/file/'])(
    'is paid for once, and has its files in the next run, where answers from %s were lost',
    async (path) => {
      const at = await localBatch({ bent: losing(path) });
      expect(await failureOf(at.send(voice()))).toMatch(/^OutcomeUnknown /);
      const next = await localBatch({ home: at.home });
      expect(filesIn(await next.send(voice()))).toEqual([join(at.files, 'a.wav')]);
      expect(await at.charged()).toEqual([0.1]);
    },
  );

  it('that fails says why, is refunded, and is another job when it is asked for again', async () => {
    const at = await localBatch();
    const failing = voice({ model: 'local/voice:failing' });
    const codes = [await failureOf(at.send(failing)), await failureOf(at.send(failing))];
    for (const code of codes) expect(code).toMatch(/^JobFailed provider_failed: job_\w+ failed: /);
    expect(new Set(codes).size).toBe(2);
    expect(await at.charged()).toEqual([0.1, -0.1, 0.1, -0.1]);
  });
});

it.each([
  ['../../outside', '.._.._outside'],
  ['CON', '_CON'],
  ['{model}', '_model_'],
  ['вопрос 1', 'вопрос 1'],
])('the file of %s stays in the folder', async (id, stem) => {
  const at = await localBatch();
  const [path] = filesIn(await at.send(lineOf(createSpeech, { model: 'voice', input: 'x' }, id)));
  expect(basename(String(path))).toBe(`${stem.replace(/^\.+/, '')}.wav`);
  expect(readdirSync(at.files)).toHaveLength(1);
});

it.each([
  ['an image by link', createImage, { prompt: 'a', quality: 'draft' }, 'png'],
  [
    'an image in the answer',
    createImage,
    { prompt: 'a', quality: 'draft', response_format: 'b64_json' },
    'png',
  ],
  ['speech', createSpeech, { input: 'hello', response_format: 'mp3' }, 'mp3'],
])('%s of a batch becomes a file, with its price', async (_, row, body, extension) => {
  const at = await localBatch();
  const model = row === createImage ? 'local/canvas' : 'local/voice';
  const answer = await at.send(lineOf(row, { model, ...body }));
  const path = join(at.files, `a.${extension}`);
  expect(JSON.parse(answer.body)).toEqual({ files: [path] });
  expect(fileKindOf(readFileSync(path))?.extension).toBe(extension);
  expect([answer.costRub]).toEqual(await at.charged());
});
