import { describe, expect, it } from 'vitest';
import { encodeMp3 } from '../../../src/service/media/engines/recording.js';
import { openWav } from '../media/engines/wav.js';
import { open } from '../media/helpers.js';
import { transcriptOf, spoken } from './helpers.js';
import { decodeMp3, describe as describeFile, likeness } from './readers.js';

const input = 'The quick brown fox jumps over the lazy dog';
const fullScale = 32_768;

async function samplesOf(body: object): Promise<Float32Array> {
  const { samples } = openWav((await spoken(open(), body)).bytes);
  return Float32Array.from(samples, (sample) => sample / fullScale);
}

it('speech as pcm is the samples of the WAV file, and its type says what they are', async () => {
  const opened = open();
  const { response, bytes } = await spoken(opened, { input, response_format: 'pcm' });
  expect(response.headers.get('content-type')).toBe('audio/pcm;rate=24000;channels=1');
  expect(response.headers.get('content-length')).toBe(String(bytes.length));
  const whole = await spoken(opened, { input });
  expect(whole.response.headers.get('content-type')).toBe('audio/wav');
  const wav = whole.bytes;
  expect(bytes.equals(wav.subarray(44, 44 + bytes.length))).toBe(true);
  expect(openWav(wav).samples).toHaveLength(bytes.length / 2);
});

it('speech as mp3 sounds like the WAV file, by an independent decoder', async () => {
  const { response, bytes } = await spoken(open(), { input, response_format: 'mp3' });
  expect(response.headers.get('content-type')).toBe('audio/mpeg');
  const { sampleRate, samples } = await decodeMp3(bytes);
  const original = await samplesOf({ input });
  expect(sampleRate).toBe(24_000);
  expect(samples.length).toBeGreaterThanOrEqual(original.length);
  expect(samples.length).toBeLessThan(original.length + 4 * 1152);
  // The encoder begins a little later.
  expect(likeness(original, samples, 2400)).toBeGreaterThan(0.9);
});

it('speech as mp3 yields to the event loop, so that a signal is handled at once', async () => {
  const frames = 1 << 17;
  const pieces = () => Array.from({ length: 32 }, () => new Float32Array(frames / 32));
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  const bytes = encodeMp3({ sampleRate: 24_000, channels: 1, frames, pieces }, input);
  // The tag comes first; what loads the encoder gives up its turn as well.
  await bytes.next();
  await bytes.next();
  turns = 0;
  while (!(await bytes.next()).done);
  clearImmediate(next);
  expect(turns).toBeGreaterThan(4);
});

it('speech as mp3 gives other readers its length and its text', async () => {
  const { bytes } = await spoken(open(), { input, response_format: 'mp3' });
  const { seconds, ...rest } = await describeFile(bytes);
  expect(rest).toMatchObject({
    container: 'MPEG',
    sampleRate: 24_000,
    numberOfChannels: 1,
    words: [input],
  });
  expect(seconds).toBeCloseTo((await samplesOf({ input })).length / 24_000, 0);
  // Four kilobytes a second.
  expect(bytes.length / seconds).toBeLessThan(4200);
});

describe('the text of spoken files', () => {
  const odd = '  Zwei\n\tПривет 🌍 "quotes" \\ \u0000 é  \r\n';

  it.each(['wav', 'mp3'])('comes back exactly from %s', async (response_format) => {
    const opened = open();
    for (const text of [input, odd, ' ', '\n\n', 'é'.repeat(300)]) {
      const { bytes } = await spoken(opened, { input: text, response_format, speed: 4 });
      expect(await transcriptOf(opened, bytes)).toBe(text);
    }
  });

  it('comes back from mp3 files that were joined, one after the other', async () => {
    const opened = open();
    const texts = ['First part.\n\n', '  Second part, ', 'and the third.'];
    const files = [];
    for (const text of texts) {
      files.push((await spoken(opened, { input: text, response_format: 'mp3' })).bytes);
    }
    const joined = Buffer.concat(files);
    expect(await transcriptOf(opened, joined)).toBe(texts.join(''));
    const lengths = await Promise.all(files.map(async (file) => (await decodeMp3(file)).samples));
    const all = lengths.reduce((sum, { length }) => sum + length, 0);
    expect(Math.abs((await decodeMp3(joined)).samples.length - all)).toBeLessThan(4 * 1152);
  });

  it('is not read from a truncated file', async () => {
    const opened = open();
    const { bytes } = await spoken(opened, { input, response_format: 'mp3' });
    for (const part of [0.2, 0.5, 0.9, 0.97]) {
      const cut = bytes.subarray(0, Math.floor(bytes.length * part));
      expect(await transcriptOf(opened, cut)).toMatch(/^\[No speech was recognised/);
    }
  });

  it('is read from the complete ones before a joined one that was truncated', async () => {
    const opened = open();
    const { bytes } = await spoken(opened, { input, response_format: 'mp3' });
    const cut = Buffer.concat([bytes, bytes.subarray(0, bytes.length / 2)]);
    expect(await transcriptOf(opened, cut)).toBe(input);
  });
});
