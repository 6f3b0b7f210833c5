import { toFile } from 'openai';
import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import { collect, startPeer } from '../peer.js';
import { openWav } from '../../media/engines/wav.js';
import { wav } from '../../media/tones.js';
import { openai } from './client.js';

const image = { model: 'local/canvas', prompt: 'a lighthouse' } as const;
const model = 'local/embed';

/** How near two vectors of length 1 are. */
function cosine(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

const text = '  Ünïcödé 🌍 и слова\n';
const speech = { model: 'local/voice', voice: 'tenor', input: text } as const;

/** What the package does with models, images, files, embeddings, speech and transcription. */
export function resourceTests(major: number): void {
  it('lists the models', async () => {
    const peer = await startPeer();
    const models = await peer.free(() => collect(openai(peer).models.list()));
    const names = ['guide', 'echo', 'script', 'embed', 'decide'];
    expect(models.map(({ id, object }) => [id, object])).toEqual(
      names.map((name) => [`local/${name}`, 'model']),
    );
  });

  it('retrieves a model by an id with a slash, which version 4 sends as it is', async () => {
    const peer = await startPeer();
    const model = await peer.free(() => openai(peer).models.retrieve('local/echo'));
    expect(model).toMatchObject({ id: 'local/echo', object: 'model' });
    const sent = major === 4 ? 'local/echo' : 'local%2Fecho';
    expect(new URL(peer.lastRequest.url).pathname).toBe(`/v1/models/${sent}`);
  });

  it('makes an image behind a link that needs no key', async () => {
    const peer = await startPeer();
    const { data, created } = await openai(peer).images.generate({ ...image, size: '1536x1024' });
    expect(created).toBeGreaterThan(0);
    const url = data?.[0]?.url ?? '';
    expect(url.startsWith(`${peer.url}/api/media/file/`)).toBe(true);
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(PNG.sync.read(bytes)).toMatchObject({ width: 1536, height: 1024 });
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

  it('asks for embeddings in base64 by itself and gives numbers', async () => {
    const peer = await startPeer();
    const input = ['The parcel is late', 'My parcel arrived late', 'Salt the soup'];
    const { embeddings } = openai(peer);
    const { result, record } = await peer.paid(() => embeddings.create({ model, input }));
    expect(record).toMatchObject({ model, promptTokens: 15, completionTokens: 0 });
    const raw: unknown = await (await embeddings.create({ model, input }).asResponse()).json();
    expect(raw).toMatchObject({ data: input.map(() => ({ embedding: expect.any(String) })) });
    const { data, usage, object } = result;
    expect(object).toBe('list');
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
    const [first = [], similar = [], other = []] = data.map(({ embedding }) => embedding);
    expect(first).toHaveLength(512);
    expect(cosine(first, first)).toBeCloseTo(1, 5);
    expect(cosine(first, similar)).toBeGreaterThan(cosine(first, other) + 0.3);
    expect(usage).toEqual({ prompt_tokens: 15, total_tokens: 15 });
  });

  it('speaks, and writes down what it spoke', async () => {
    const { audio } = openai(await startPeer());
    const response = await audio.speech.create({ ...speech, response_format: 'wav', speed: 2 });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(openWav(bytes).sampleRate).toBe(24_000);
    const transcript = await audio.transcriptions.create({
      model: 'local/transcribe',
      file: await toFile(bytes, 'speech.wav'),
      language: 'ru',
    });
    expect(transcript).toEqual({ text });
  });
}
