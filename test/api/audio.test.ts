import { describe, expect, it } from 'vitest';
import { speak, transcribe } from '../../src/api/audio.js';
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

  it('that is empty is a failure', async () => {
    const speech = await speak(clientOver([{ body: [] }]), body, once);
    await expect(speech.pipe(() => undefined)).rejects.toMatchObject({ outcomeUnknown: true });
  });

  it('refused under a success status keeps the message of the service', async () => {
    const refused = json({ ok: false, code: 'voice_closed', message: 'no voice today' });
    await expect(speak(clientOver([refused]), body, once)).rejects.toMatchObject({
      message: 'no voice today',
      code: 'voice_closed',
      outcomeUnknown: false,
    });
  });

  it.each(['reset', 'truncated', 'idle-timeout'] as const)(
    'that ends with %s is incomplete',
    async (cut) => {
      const speech = await speak(clientOver([{ body: bytes, cut }]), body, once);
      await expect(speech.pipe(() => undefined)).rejects.toMatchObject({
        name: 'Incomplete',
        message: expect.stringContaining('the speech was cut off after 4 B'),
      });
    },
  );

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

describe('a transcription', () => {
  const content = {
    length: 4,
    open: async function* () {
      yield await Promise.resolve(Buffer.from('RIFF'));
    },
  };
  const recording = { content, filename: 'a.wav', type: 'audio/wav' };

  it('whose reply has no text fails', async () => {
    const client = clientOver([json({ words: 'hi' })]);
    await expect(transcribe(client, recording, { model: 'm' }, once)).rejects.toMatchObject({
      name: 'ApiError',
      outcomeUnknown: true,
    });
  });
});
