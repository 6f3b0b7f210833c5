import { expect, it } from 'vitest';
import { voiceNames } from '../../../src/service/media/engines/sound.js';
import { FakeClock } from '../helpers.js';
import { balanceOf, errorOf, historyOf, open, type Opened } from '../media/helpers.js';
import { say } from './helpers.js';

const input = 'The quick brown fox. Does it jump?';

async function refusedBy(opened: Opened, body: object) {
  const error = await errorOf(await say(opened, body));
  expect(await historyOf(opened)).toEqual([]);
  expect(await balanceOf(opened)).toBe(1000);
  return error;
}

it.each([
  ['a voice that there is not', { input, voice: 'nobody' }, 400, 'invalid_request', 'voice'],
  ['opus', { input, response_format: 'opus' }, 400, 'unsupported_audio_format', 'response_format'],
  ['an unknown model', { input, model: 'nobody' }, 404, 'model_not_found', 'model'],
  ['a model of images', { input, model: 'canvas' }, 400, 'model_unsuitable', 'model'],
])(
  'POST /v1/audio/speech refuses %s, and nothing is charged',
  async (_, body, status, code, param) => {
    expect(await refusedBy(open(), body)).toMatchObject({ status, code, param });
  },
);

it('POST /v1/audio/speech lists the available voices and formats', async () => {
  const voices = await refusedBy(open(), { input, voice: 'nobody' });
  for (const name of voiceNames) expect(voices.message).toContain(name);
  const formats = await refusedBy(open(), { input, response_format: 'aac' });
  expect(formats.message).toContain('wav, mp3, pcm');
});

it.each([
  ['failing', 502, 'provider_failed'],
  ['refusing', 502, 'provider_failed'],
  ['closed', 503, 'route_unavailable'],
])(
  'POST /v1/audio/speech fails on the channel %s, and nothing is charged',
  async (channel, status, code) => {
    const answer = await refusedBy(open(), { input, model: `voice:${channel}` });
    expect(answer).toMatchObject({ status, code });
  },
);

it('POST /v1/audio/speech is streamed as it is made, and stops when its reader is gone', async () => {
  const opened = open({ clock: new FakeClock() });
  const { body } = await say(opened, { input: 'word '.repeat(2000), speed: 0.25 });
  if (!body) throw new Error('there is no sound');
  const sound: ReadableStream<Uint8Array> = body;
  const reader = sound.getReader();
  let read = 0;
  const begun = performance.now();
  while (read < 100_000) read += (await reader.read()).value?.length ?? 0;
  // All of it, an hour of speech, would take seconds.
  expect(performance.now() - begun).toBeLessThan(1000);
  await reader.cancel();
  expect(await reader.read()).toEqual({ done: true, value: undefined });
});
