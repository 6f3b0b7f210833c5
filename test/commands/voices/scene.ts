/** svc voices against the embedded service. */
import { recordOf, type JsonRecord } from '../../../src/lib/json.js';
import { front, type Front } from '../../helpers/front.js';
import { wav as wavFile } from '../../lib/audio/files.js';

export interface Scene extends Front {
  /** The voices of the account. */
  readonly voices: () => Promise<JsonRecord[]>;
  /** Makes a voice of this name; its id. */
  readonly make: (name: string, fields?: JsonRecord, seconds?: number) => Promise<string>;
}

export function idOf(number: number): string {
  return `voice_${String(number).padStart(20, '0')}`;
}

/** @param listed the voices that the service lists in place of its own */
export async function scene(...listed: readonly object[]): Promise<Scene> {
  const at = await front({ before: ['voices'] });
  if (listed.length > 0) at.on('voices.list', { answer: { json: { voices: listed } } });
  return {
    ...at,
    voices: async () => [(await at.ask('GET', '/api/media/voices'))['voices']].flat().map(recordOf),
    make: async (name, fields, seconds = 2) => {
      const audio_base64 = wav({ seconds }).toString('base64');
      const request = { name, consent: true, samples: [{ audio_base64 }], ...fields };
      const reply = await at.ask('POST', '/api/media/voices', request);
      return String(recordOf(reply['voice'])['id']);
    },
  };
}

export interface WavOptions {
  readonly seconds?: number;
  readonly bytesPerSecond?: number;
  /** Of the whole file; in place of what the seconds come to. */
  readonly length?: number;
}

/** A mono WAV file of 8-bit silence, 8000 samples a second unless told otherwise. */
export function wav({ seconds = 2, bytesPerSecond = 8000, length }: WavOptions = {}): Buffer {
  const sound = Buffer.alloc(length === undefined ? seconds * bytesPerSecond : length - 44, 0x80);
  const bytes = wavFile(sound, { bits: 8, sampleRate: bytesPerSecond });
  return bytes.subarray(0, length);
}
