import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import { wav } from '../../../lib/audio/files.js';
import { decodeMp3, likeness } from '../../audio/readers.js';
import { framesOf, openMovie } from './film.js';
import { headOf, jobOf, make, makeOne, sourcesOf } from './make.js';
import { mp3 } from './mp3.js';
import { openWav } from './wav.js';

/** A picture of one color. */
function plain(width: number, height: number, color: readonly number[]): Buffer {
  const png = new PNG({ width, height });
  for (let at = 0; at < png.data.length; at += 4) png.data.set([...color, 255], at);
  return PNG.sync.write(png);
}

const green = plain(160, 90, [20, 200, 60]);

/** A tone that is loud in the first second and silent in the next, of any kind of samples. */
function loudThenSilent(channels: number, bits: number, isFloat = false): Buffer {
  const rate = 8000;
  const bytesPer = bits / 8;
  const data = Buffer.alloc(rate * 2 * channels * bytesPer, bits === 8 ? 128 : 0);
  for (let frame = 0; frame < rate; frame++) {
    const value = Math.sin((frame * 2 * Math.PI * 300) / rate) * 0.7;
    for (let channel = 0; channel < channels; channel++) {
      const at = (frame * channels + channel) * bytesPer;
      if (isFloat) data.writeFloatLE(value, at);
      else if (bits === 8) data[at] = 128 + value * 127;
      else data.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), at, bytesPer);
    }
  }
  return wav(data, { sampleRate: rate, channels, bits, encoding: isFloat ? 3 : 1 });
}

/** The sound of a film, by a decoder that this project did not write. */
function soundOf(file: Buffer) {
  const samples = openMovie(file).samplesOf(1);
  return decodeMp3(Buffer.concat(samples.map(({ bytes }) => bytes)));
}

it('local/lipsync makes a film as long as the recording, with its sound', async () => {
  const recording = await makeOne('local/voice', { prompt: 'Hello, hello.' });
  const { samples, seconds } = openWav(recording);
  const sources = await sourcesOf({ audio: recording, image: green });
  const { files, meta } = await make('local/lipsync', {}, 0, sources);
  const file = files[0] ?? Buffer.alloc(0);
  const movie = openMovie(file);
  const [video, audio] = movie.info.tracks;
  expect(video).toMatchObject({ type: 'video', video: { width: 854, height: 480 } });
  expect(video?.nb_samples).toBe(Math.ceil(seconds * 24));
  expect(audio).toMatchObject({
    type: 'audio',
    codec: 'mp4a.6b',
    audio: { sample_rate: 24_000, channel_count: 1 },
    duration: samples.length,
    timescale: 24_000,
  });
  expect(movie.samplesOf(1).reduce((sum, { ticks }) => sum + ticks, 0)).toBe(samples.length);
  expect(meta).toMatchObject({ seconds, width: 854, height: 480, mouth: 'does not move' });
  const original = Float32Array.from(samples, (sample) => sample / 32_768);
  expect(likeness(original, (await soundOf(file)).samples, 2400)).toBeGreaterThan(0.9);
});

it('local/lipsync shows the picture it was given, in its shape', async () => {
  const image = plain(60, 90, [20, 200, 60]);
  const sources = await sourcesOf({ audio: loudThenSilent(1, 16), image });
  const file = await makeOne('local/lipsync', { opts: { resolution: '480p' } }, 0, sources);
  const [frame] = await framesOf(file, 1);
  expect([frame?.width, frame?.height]).toEqual([480, 720]);
  // The green in terms of BT.709.
  const luma = 16 + (0.2126 * 20 + 0.7152 * 200 + 0.0722 * 60) * (219 / 255);
  expect(frame?.samples[100 * 480 + 100]).toBeGreaterThan(luma - 2);
  expect(frame?.samples[100 * 480 + 100]).toBeLessThan(luma + 2);
});

it.each([
  [1, 8, false],
  [2, 32, false],
  [1, 32, true],
])('local/lipsync takes %i channels of %i bits', async (channels, bits, isFloat) => {
  const audio = loudThenSilent(channels, bits, isFloat);
  const sources = await sourcesOf({ audio, image: plain(90, 90, [20, 200, 60]) });
  const file = await makeOne('local/lipsync', {}, 0, sources);
  expect(openMovie(file).info.tracks[1]?.audio?.channel_count).toBe(Math.min(2, channels));
  const { sampleRate, samples } = await soundOf(file);
  expect(sampleRate).toBe(24_000);
  const tone = Float32Array.from({ length: 24_000 }, (_, at) => Math.sin(at * Math.PI * 0.025));
  expect(likeness(tone, samples, 4800)).toBeGreaterThan(0.9);
  expect(samples.subarray(30_000, 40_000).every((sample) => Math.abs(sample) < 0.01)).toBe(true);
});

it('local/lipsync puts MP3 into the film as it is', async () => {
  const recording = mp3({ frames: 60, kbps: [64, 96], info: true });
  const sources = await sourcesOf({ audio: recording, image: green });
  const movie = openMovie(await makeOne('local/lipsync', {}, 0, sources));
  expect(movie.info.tracks[1]).toMatchObject({ type: 'audio', codec: 'mp4a.6b', nb_samples: 59 });
  const sound = Buffer.concat(movie.samplesOf(1).map(({ bytes }) => bytes));
  expect(recording.subarray(-sound.length).equals(sound)).toBe(true);
});

it('local/lipsync shows a plain frame of its shape for a video, or a picture it cannot read', async () => {
  const opts = { seconds: 1, resolution: '480p', aspect_ratio: '9:16' };
  const film = await headOf('local/reel', { prompt: 'x', opts });
  const sources = await sourcesOf({ audio: loudThenSilent(1, 16), video: film });
  const { files, meta } = await make('local/lipsync', {}, 0, sources);
  const [track] = openMovie(files[0] ?? Buffer.alloc(0)).info.tracks;
  expect(track?.video).toMatchObject({ width: 480, height: 854 });
  expect(meta['backdrop']).toMatch(/one color/);
});

it('local/lipsync is priced by the measured length of the recording', () => {
  const job = jobOf('local/lipsync', {
    opts: { audio_file_id: 'a', image_file_id: 'b', resolution: '720p' },
  });
  const audio = { kind: 'audio', mediaType: 'audio/wav', ext: 'wav', seconds: 12.345 } as const;
  expect(job.price({ audio })).toEqual({
    priceRub: 49.38,
    isEstimate: false,
    breakdown: { rubPerSecond: 4, seconds: 12.345 },
    sourceSeconds: 12.345,
    outputSeconds: 12.345,
  });
  expect(job.price({})).toMatchObject({ priceRub: 40, isEstimate: true });
});

it.each([
  ['a recording too long', { seconds: 300.1 }, {}, 'source_too_long'],
  ['a recording it cannot read', { ext: 'flac' }, {}, 'source_unsupported'],
  ['a picture too narrow', {}, { width: 100, height: 301 }, 'source_unsupported'],
])('local/lipsync refuses %s, before it is paid', (_, sound, shape, code) => {
  const job = jobOf('local/lipsync', { opts: { audio_file_id: 'a', image_file_id: 'b' } });
  const wav = { mediaType: 'audio/wav', ext: 'wav', seconds: 3 };
  const png = { mediaType: 'image/png', ext: 'png', width: 9, height: 9 };
  const measured = {
    audio: { kind: 'audio', ...wav, ...sound },
    image: { kind: 'image', ...png, ...shape },
  } as const;
  const refusal = expect.objectContaining({ code });
  expect(() => job.price(measured)).toThrow(refusal);
});
