import { toFile } from 'openai';
import { expect, it } from 'vitest';
import { openWav } from '../../media/engines/wav.js';
import { decodeMp3 } from '../../audio/readers.js';
import { startPeer } from '../peer.js';
import { openai } from './client.js';

const text = '  Ünïcödé 🌍 и слова\n';
const speech = { model: 'local/voice', voice: 'tenor', input: text } as const;

/** What the package does with speech and transcription. */
export function audioTests(): void {
  it('speaks, and writes down what it spoke', async () => {
    const { audio } = openai(await startPeer());
    const response = await audio.speech.create({ ...speech, response_format: 'wav', speed: 2 });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(openWav(bytes).sampleRate).toBe(24_000);
    const heard = await audio.transcriptions.create({
      model: 'local/transcribe',
      file: await toFile(bytes, 'speech.wav'),
      language: 'ru',
    });
    expect(heard).toEqual({ text });
  });

  it('gives mp3 as it is made, and the id of its record', async () => {
    const { audio } = openai(await startPeer());
    const response = await audio.speech.create({ ...speech, response_format: 'mp3' });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(response.headers.get('x-svc-generation-id')).toMatch(/^gen_/);
    const pieces: Uint8Array[] = [];
    const body: ReadableStream<Uint8Array> | null = response.body;
    if (!body) throw new Error('there is no sound');
    for await (const piece of body) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    expect((await decodeMp3(bytes)).samples.length).toBeGreaterThan(24_000);
    const file = await toFile(bytes, 'speech.mp3');
    const heard = await audio.transcriptions.create({ model: 'transcribe', file });
    expect(heard.text).toBe(text);
  });
}
