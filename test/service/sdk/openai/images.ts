import { toFile } from 'openai';
import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import { wav } from '../../media/tones.js';
import { startPeer } from '../peer.js';
import { openai } from './client.js';

const image = { model: 'local/canvas', prompt: 'a lighthouse' } as const;

/** What the package does with images and files. */
export function imageTests(): void {
  it('makes an image behind a link that needs no key', async () => {
    const peer = await startPeer();
    const { data, created } = await openai(peer).images.generate({ ...image, size: '1536x1024' });
    expect(created).toBeGreaterThan(0);
    const url = data?.[0]?.url ?? '';
    expect(url.startsWith(`${peer.url}/api/media/file/`)).toBe(true);
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(PNG.sync.read(bytes)).toMatchObject({ width: 1536, height: 1024 });
  });

  it('holds an image in the answer, and names its job', async () => {
    const peer = await startPeer();
    const { data, response } = await openai(peer)
      .images.generate({ ...image, response_format: 'b64_json', n: 1, user: 'me' })
      .withResponse();
    const bytes = Buffer.from(data.data?.[0]?.b64_json ?? '', 'base64');
    expect(PNG.sync.read(bytes).width).toBe(1024);
    expect(response.headers.get('x-svc-media-job-id')).toMatch(/^job_/);
  });

  it('uploads a file', async () => {
    const peer = await startPeer();
    const file = await toFile(wav(1), 'tone.wav');
    const uploaded = await openai(peer).files.create({ file, purpose: 'user_data' });
    expect(uploaded).toMatchObject({
      id: expect.stringMatching(/^file_/),
      object: 'file',
      bytes: wav(1).length,
      filename: 'tone.wav',
    });
  });
}
