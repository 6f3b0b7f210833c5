import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ServiceFailure } from '../../../src/service/failure.js';
import { testFolder } from '../../helpers/folder.js';
import { get, keys } from '../helpers.js';
import { probe } from './probe.js';
import { wav } from './tones.js';
import {
  balanceOf,
  expectBalanced,
  finished,
  follow,
  generate,
  jobOf,
  open,
  refusal,
  refusedWith,
  started,
  uploaded,
  type Opened,
} from './helpers.js';

const body = (opts: object) => ({ model: 'probe', opts });
const recording = wav(2);
const audio_base64 = Buffer.from(recording).toString('base64');

async function sentBack(opened: Opened, opts: object): Promise<Buffer> {
  const { url } = await finished(opened, body(opts));
  const response = await follow(opened, url);
  expect(response.headers.get('content-type')).toBe('audio/wav');
  return Buffer.from(await response.arrayBuffer());
}

it('a source reaches the model as it was uploaded, or came inside the request', async () => {
  const opened = open({ mediaModels: probe().models });
  const audio_file_id = await uploaded(opened, recording);
  expect((await sentBack(opened, { audio_file_id })).equals(recording)).toBe(true);
  expect((await sentBack(opened, { audio_base64 })).equals(recording)).toBe(true);
  expect(await balanceOf(opened)).toBe(1000 - 4);
});

it('a source by its address cannot be used: it is never fetched', async () => {
  const opened = open({ mediaModels: probe().models });
  const addressed = body({ audio_url: 'https://tones.example/1.wav' });
  expect(await refusedWith(await generate(opened, addressed))).toBe('422 source_not_fetched');
  const strict = await refusal(await generate(opened, { ...addressed, strict: true }));
  expect(strict.body).toMatchObject({
    code: 'strict_validation_failed',
    violations: [{ field: 'opts.audio_url' }],
  });
  expect(await balanceOf(opened)).toBe(1000);
});

it('a source of another account, or none, is a 422 and costs nothing', async () => {
  const opened = open({ mediaModels: probe().models });
  const foreign = await uploaded(opened, recording, keys.sandbox);
  for (const audio_file_id of [foreign, 'file_x', '../../x', '']) {
    const { status } = await generate(opened, body({ audio_file_id }));
    expect(status, audio_file_id).toBe(422);
  }
  expect((await generate(opened, body({}))).status).toBe(422);
  expect(await balanceOf(opened)).toBe(1000);
});

it('a source that came inside a refused or repeated request is not kept', async () => {
  const folder = testFolder();
  const storePath = join(folder, 'local.sqlite');
  const opened = open({ storePath, mediaModels: probe().models, openingBalanceRub: 3 });
  const kept = () => readdirSync(join(folder, 'local-media', 'files')).length;
  const keyed = { headers: { 'idempotency-key': 'k1' } };
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => started(opened, body({ audio_base64 }), keyed)),
  );
  expect(new Set(replies.map(({ jobId }) => jobId)).size).toBe(1);
  expect(kept()).toBe(1);
  expect((await generate(opened, body({ audio_base64 }))).status).toBe(402);
  expect(kept()).toBe(1);
});

/** A job of the probe that has begun, and the file of its source. */
async function begun() {
  const folder = testFolder();
  const models = probe();
  const opened = open({ storePath: join(folder, 'local.sqlite'), mediaModels: models.models });
  const id = await uploaded(opened, recording);
  const { jobId } = await started(opened, body({ audio_file_id: id }));
  return { models, opened, jobId, file: join(folder, 'local-media', 'files', id) };
}

it.each([
  ['with its own words', 'source_unreadable', 'the recording is broken'],
  ['by a fault of its own', 'model_failed', undefined],
  ['because its source is gone', 'source_not_found', undefined],
])('a model that fails %s ends the job, and the price is given back', async (_, code, words) => {
  const { models, opened, jobId, file } = await begun();
  models.onMake = () => {
    if (words !== undefined) throw new ServiceFailure(422, code, words);
    if (code === 'model_failed') throw new TypeError('undefined is not a function');
  };
  if (code === 'source_not_found') rmSync(file);
  opened.clock.set(opened.clock.now() + 1000);
  const failMsg = words ?? expect.any(String);
  expect(await jobOf(opened, jobId)).toMatchObject({ status: 'fail', errorCode: code, failMsg });
  expect(await balanceOf(opened)).toBe(1000);
  await expectBalanced(opened);
});

it('a model that fails for a moment only has not failed: the next look finds the job done', async () => {
  const { models, opened, jobId } = await begun();
  opened.clock.set(opened.clock.now() + 1000);
  models.onMake = () => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  };
  const response = await get(opened.service, `/api/media/jobs/${jobId}`);
  expect(await refusedWith(response)).toBe('500 internal_error');
  expect(await balanceOf(opened)).toBe(998);
  models.onMake = () => undefined;
  expect(await jobOf(opened, jobId)).toMatchObject({
    status: 'success',
    resultText: 'sent back',
    resultMeta: { bytes: recording.length },
  });
});
