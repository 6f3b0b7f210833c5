import { describe, expect, it } from 'vitest';
import { speak, transcribe } from '../../src/api/audio.js';
import { fileBody } from '../../src/http/request-body.js';
import { AttemptFailed } from '../../src/http/types.js';
import { clientOver, json } from './client.js';

const body = { model: 'vendor/voice', input: 'hi' };
const once = { key: 'k', isKnown: false };
const bytes = [Buffer.from('RI'), Buffer.from('FF')];

describe('speech', () => {
  it.each(['application/json', 'text/html; charset=utf-8', 'application/problem+json'])(
    'is not %s: its outcome is unknown',
    async (type) => {
      const client = clientOver([{ headers: { 'content-type': type }, body: '{}' }]);
      await expect(speak(client, body, once)).rejects.toMatchObject({
        name: 'ApiError',
        outcomeUnknown: true,
        message: `the service answered 200 with ${type} instead of audio`,
      });
    },
  );

  it('refused under a success status keeps the message of the service', async () => {
    const refused = json({ ok: false, code: 'voice_closed', message: 'no voice today' });
    await expect(speak(clientOver([refused]), body, once)).rejects.toMatchObject({
      message: 'no voice today',
      code: 'voice_closed',
      outcomeUnknown: false,
    });
  });

  it('that is cut off says how much of it came', async () => {
    const speech = await speak(clientOver([{ body: bytes, cut: 'reset' }]), body, once);
    await expect(speech.pipe(() => undefined)).rejects.toMatchObject({
      name: 'Incomplete',
      message: expect.stringContaining('the speech was cut off after 4 B'),
    });
  });

  it.each([
    [new AttemptFailed('reset', true, 'dropped'), 'OutcomeUnknown', 1],
    [json({ error: { message: 'bad gateway' } }, 502), 'ApiError', 1],
    [json({ error: { message: 'slow down' } }, 429), 'ApiError', 3],
    [new AttemptFailed('connect', false, 'refused'), 'NetworkError', 3],
  ])('that may have been charged is never requested again (%#)', async (step, name, attempts) => {
    const client = clientOver([step]);
    await expect(speak(client, body, once)).rejects.toMatchObject({ name });
    expect(client.requests).toHaveLength(attempts);
  });
});

it('a transcription whose reply has no text fails', async () => {
  const recording = { content: fileBody('a.wav', 4), filename: 'a.wav', type: 'audio/wav' };
  const transcribed = transcribe(
    clientOver([json({ words: 'hi' })]),
    recording,
    { model: 'm' },
    once,
  );
  await expect(transcribed).rejects.toMatchObject({ name: 'ApiError', outcomeUnknown: true });
});
