import { describe, expect, it } from 'vitest';
import { open } from '../media/helpers.js';
import { openWav } from '../media/engines/wav.js';
import { heardIn, spoken } from './helpers.js';

describe('POST /v1/audio/speech', () => {
  it('speaks a text that its own transcription gives back exactly', async () => {
    const opened = open();
    const odd = '  Zwei\n\tПривет 🌍 "quotes" \\ é  ';
    const { bytes, response } = await spoken(opened, { input: odd });
    expect(response.headers.get('content-type')).toBe('audio/wav');
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    const wav = openWav(bytes);
    expect(wav).toMatchObject({ sampleRate: 24_000, channels: 1, bitDepth: '16' });
    expect(await heardIn(opened, bytes)).toBe(odd);
  });
});
