/** Each model of the service, from its price to the bytes behind its link. */
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { measure } from '../../../src/service/media/engines/measure.js';
import { bufferSource as bytesSource } from '../../../src/lib/audio/source.js';
import {
  expectBalanced,
  finished,
  follow,
  open,
  quoted,
  started,
  uploaded,
  type Opened,
} from './helpers.js';
import { wav } from './tones.js';

const prompt = 'a lighthouse';
const small = { seconds: 1, resolution: '480p', aspect_ratio: '1:1' };

async function made(opened: Opened, body: object) {
  const { url, jobId } = await finished(opened, body);
  const response = await follow(opened, `${url}&download=1`);
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('content-type');
  const name = response.headers.get('content-disposition')?.replace(jobId, 'job');
  return { bytes, type, name };
}

function pictureId(opened: Opened): Promise<string> {
  return uploaded(opened, PNG.sync.write(new PNG({ width: 40, height: 30 })));
}

const draft = { prompt, opts: { quality: 'draft' } };
const seconds = { prompt, opts: { seconds: 1 } };
const upscaled = async (opened: Opened) => ({ opts: { image_file_id: await pictureId(opened) } });
const spoken = async (opened: Opened) => {
  const audio_base64 = Buffer.from(wav(1)).toString('base64');
  return { opts: { audio_base64, image_file_id: await pictureId(opened) } };
};

describe('every model', () => {
  it.each([
    ['local/canvas', 'image/png', 'png', () => draft],
    ['local/reel', 'video/mp4', 'mp4', () => ({ prompt, opts: small })],
    ['local/tune', 'audio/wav', 'wav', () => seconds],
    ['local/voice', 'audio/wav', 'wav', () => ({ prompt: 'hello there' })],
    ['local/mesh', 'model/gltf-binary', 'glb', () => ({ prompt, opts: { detail: 'low' } })],
    ['local/upscale', 'image/png', 'png', upscaled],
    ['local/lipsync', 'video/mp4', 'mp4', spoken],
  ])('%s makes what its quote was for', { timeout: 120_000 }, async (model, type, ext, ask) => {
    const opened = open({ openingBalanceRub: 1000 });
    const order = { model, ...(await ask(opened)) };
    const { priceRub, quoteId: quote_id } = await quoted(opened, order);
    expect(priceRub).toBeGreaterThan(0);
    expect(await started(opened, { ...order, quote_id })).toMatchObject({ priceRub });
    const { bytes, ...head } = await made(opened, order);
    expect(head).toEqual({ type, name: `attachment; filename="job-0.${ext}"` });
    if (ext === 'glb') expect(bytes.toString('latin1', 0, 4)).toBe('glTF');
    else expect(await measure(bytesSource(bytes))).toMatchObject({ mediaType: type });
    await expectBalanced(opened);
  });

  it('local/transcribe makes a text, and no file', async () => {
    const opened = open();
    const voice = await made(opened, { model: 'local/voice', prompt: 'hello  there\n' });
    const opts = { audio_file_id: await uploaded(opened, voice.bytes), language: 'en' };
    const order = { model: 'local/transcribe', opts };
    const { priceRub, quoteId: quote_id, audioSeconds } = await quoted(opened, order);
    expect(audioSeconds).toBeGreaterThan(0.5);
    expect(priceRub).toBe(Math.ceil((audioSeconds ?? 0) * 2) / 100);
    expect(await started(opened, { ...order, quote_id })).toMatchObject({ priceRub });
    const { job } = await finished(opened, order);
    expect(job).toMatchObject({ resultText: 'hello  there\n', resultUrls: [] });
    expect(job.resultMeta).toEqual({ audioSeconds, isSpoken: true });
    await expectBalanced(opened);
  });
});
