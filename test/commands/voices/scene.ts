/** svc voices against a service that a test can bend. */
import type { ServerResponse } from 'node:http';
import { bentService, type BentService } from '../../helpers/bent-service.js';
import { json, type Seen } from '../../helpers/fake-service.js';
import { PollingClock } from '../../helpers/manual-clock.js';
import { wav as wavFile } from '../../lib/audio/files.js';

export interface FakeVoice {
  readonly id: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

export const pricing = { creation: { standard: 50, premium: 150 }, storage: 'ask' };

export interface Scene extends BentService {
  /** The voices that the service lists. */
  readonly voices: FakeVoice[];
}

export function idOf(number: number): string {
  return `voice_${String(number).padStart(20, '0')}`;
}

/** A service that makes voices with the ids 1, 2, 3 … after those that are there. */
export async function scene(...voices: FakeVoice[]): Promise<Scene> {
  const at = await bentService(
    (seen, response) => {
      answer(voices, seen, response);
    },
    ['voices'],
    { clock: new PollingClock() },
  );
  return Object.assign(at, { voices });
}

function answer(voices: FakeVoice[], { method, url, body }: Seen, response: ServerResponse): void {
  const [, , , , id, samples] = url.split('/');
  const reply = (value: unknown, status = 200) => {
    json(value, status)({ method, url, body, headers: {} }, response);
  };
  if (url === '/v1/balance') reply({ balance_rub: 650, currency: 'RUB' });
  else if (method === 'GET') reply({ voices, pricing });
  else if (method === 'DELETE') reply(...deletion(voices, id));
  else if (samples === undefined) reply(made(voices, nameIn(body)), 201);
  else reply({ ok: true, voice: voices[0], samples_added: 1, sample_count: 4 });
}

function nameIn(body: string): string {
  return /"name":"([^"]*)"/.exec(body)?.[1] ?? '';
}

/** The service has made a voice of this name. */
export function made(voices: FakeVoice[], name: string): unknown {
  const voice = {
    id: idOf(voices.length + 1),
    name,
    engine: 'standard',
    status: 'active',
    monthly_fee: { amount: 15, currency: 'RUB' },
    next_charge_at: '2026-03-01T00:00:00.000Z',
  };
  voices.push(voice);
  return { ok: true, voice, charged: { amount: 50, currency: 'RUB' } };
}

function deletion(voices: FakeVoice[], id: string | undefined): [unknown, number] {
  const index = voices.findIndex((voice) => voice.id === id);
  if (index === -1) return [{ ok: false, code: 'voice_not_found', message: 'no such voice' }, 404];
  voices.splice(index, 1);
  return [{ ok: true }, 200];
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
