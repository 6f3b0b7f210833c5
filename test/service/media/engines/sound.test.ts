import { expect, it } from 'vitest';
import { voiceNames } from '../../../../src/service/media/engines/sound.js';
import { readSpokenText } from '../../../../src/service/media/engines/transcribe.js';
import { bufferSource as bytesSource } from '../../../../src/lib/audio/source.js';
import { joined } from '../../../lib/audio/files.js';
import { make, makeOne } from './make.js';
import { levelOf, openWav } from './wav.js';

const text = 'The quick brown fox. Does it jump? Да!';

function spoken(file: Buffer): Promise<string | undefined> {
  return readSpokenText(bytesSource(file));
}

async function speak(opts: Readonly<Record<string, unknown>>, prompt = text) {
  return openWav(await makeOne('local/voice', { prompt, opts }));
}

it.each([1, 2.5])('local/tune plays %d seconds as WAV in stereo', async (seconds) => {
  const wav = openWav(await makeOne('local/tune', { prompt: 'rain', opts: { seconds } }));
  expect(wav).toMatchObject({ sampleRate: 44_100, channels: 2, bitDepth: '16' });
  expect(wav.seconds).toBe(seconds);
});

it('local/tune keeps the tempo that was asked for', async () => {
  const { meta } = await make('local/tune', { prompt: 'rain', opts: { seconds: 1, tempo: 77 } });
  expect(meta).toMatchObject({ beatsPerMinute: 77 });
});

it('local/tune can be heard from its beginning, never clips, and fades at its end', async () => {
  const { samples } = openWav(await makeOne('local/tune', { prompt: 'rain' }));
  expect(levelOf(samples.subarray(0, 44_100))).toBeGreaterThan(0.02);
  expect(levelOf(samples)).toBeGreaterThan(0.02);
  expect(samples.filter((sample) => Math.abs(sample) >= 32_767)).toHaveLength(0);
  expect(levelOf(samples.subarray(-200))).toBeLessThan(0.001);
});

it('local/voice speaks as WAV that can be heard, as long as it says', async () => {
  const { files, meta } = await make('local/voice', { prompt: text });
  const wav = openWav(files[0] ?? Buffer.alloc(0));
  expect(wav).toMatchObject({ sampleRate: 24_000, channels: 1, bitDepth: '16' });
  expect(levelOf(wav.samples)).toBeGreaterThan(0.02);
  expect(wav.samples.filter((sample) => Math.abs(sample) >= 32_767)).toHaveLength(0);
  expect(meta).toEqual({ seconds: wav.seconds, sampleRate: 24_000, channels: 1, voice: 'alto' });
  // About a tenth of a second a letter.
  expect(wav.seconds / text.length).toBeGreaterThan(0.06);
  expect(wav.seconds / text.length).toBeLessThan(0.16);
});

it('local/voice shows its text to other readers as the comment of the file', async () => {
  const { notes } = await speak({}, 'Hello, world');
  expect(notes).toEqual({ ISFT: 'svc local/voice', ICMT: 'Hello, world' });
});

it('local/voice has another sound for every voice, cloned ones too', async () => {
  const cloned = ['voice_abcdefghij0123456789', 'voice_ABCDEFGHIJ0123456789'];
  const files = await Promise.all(
    [...voiceNames, ...cloned].map((voice) =>
      makeOne('local/voice', { prompt: text, opts: { voice } }),
    ),
  );
  const sounds = files.map((file) => openWav(file).samples.join());
  expect(new Set(sounds).size).toBe(voiceNames.length + cloned.length);
});

it.each([
  [0.25, 4],
  [4, 0.25],
])('local/voice at speed %d takes %d times as long', async (speed, factor) => {
  const [normal, other] = [await speak({}), await speak({ speed })];
  expect(other.seconds / normal.seconds).toBeCloseTo(factor, 1);
});

it('the text of a spoken file of pieces joined with their notes is the whole text', async () => {
  const pieces = ['First part.\n\n', 'Second part, ', 'and the third.'];
  const files = await Promise.all(pieces.map((prompt) => makeOne('local/voice', { prompt })));
  expect(await spoken(await joined('wav', ...files))).toBe(pieces.join(''));
});

it('the text of a spoken file is not found in foreign files', async () => {
  const tune = await makeOne('local/tune', { prompt: text, opts: { seconds: 1 } });
  const own = await makeOne('local/voice', { prompt: text });
  const other = Buffer.from(
    own.toString('latin1').replace('svc local/voice', 'somebody elses!'),
    'latin1',
  );
  expect(await spoken(tune)).toBeUndefined();
  expect(await spoken(other)).toBeUndefined();
  expect(await spoken(Buffer.from('no sound at all'))).toBeUndefined();
  expect(await spoken(Buffer.alloc(0))).toBeUndefined();
});

it('the text of a spoken file is not made up when a file is cut anywhere', async () => {
  const file = await makeOne('local/voice', { prompt: 'Cut me.', opts: { speed: 4 } });
  const notes = 44 + file.readUInt32LE(40);
  for (let length = 0; length < file.length; length += length < 50 || length > notes ? 1 : 10) {
    expect(await spoken(file.subarray(0, length))).toBeUndefined();
  }
  expect(await spoken(file)).toBe('Cut me.');
});
