import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { keys } from './helpers.js';
import { mp3 } from './media/engines/mp3.js';
import {
  balanceOf,
  expectBalanced,
  historyOf,
  open,
  refusal,
  refusedWith,
  type Opened,
} from './media/helpers.js';
import { wav } from './media/tones.js';
import {
  base64,
  clone,
  cloned,
  cloneOf,
  listed,
  mb,
  remove,
  sized,
  tone,
  voiceIn,
} from './voices/helpers.js';

const Prices = z.object({ standard: z.number(), premium: z.number(), extvoice: z.number() });
const Pricing = z.looseObject({ creation: Prices, storage: Prices });

/** Nothing was made, and nothing was paid. */
async function expectNothing(opened: Opened): Promise<void> {
  expect((await listed(opened)).voices).toEqual([]);
  expect(await historyOf(opened)).toEqual([]);
  expect(await balanceOf(opened)).toBe(1000);
}

describe('POST /api/media/voices', () => {
  it('makes a voice, takes its price once and lists it', async () => {
    const opened = open();
    const { voice, charged, response } = await cloned(opened, { name: '  Ann Müller ' });
    expect(voice).toEqual({
      id: expect.stringMatching(/^voice_[A-Za-z0-9]{20}$/),
      name: 'Ann Müller',
      engine: 'standard',
      created_at: '2026-01-15T12:00:00.000Z',
      sample_seconds: 2,
      last_used_at: null,
      monthly_fee: { amount: 15, currency: 'RUB' },
      next_charge_at: '2026-02-15T12:00:00.000Z',
      status: 'active',
      deletion_at: null,
    });
    expect(charged).toEqual({ amount: 50, currency: 'RUB' });
    expect((await listed(opened)).voices).toEqual([voice]);
    const id = response.headers.get('x-svc-generation-id');
    const record = { id, model: 'local/voice', route: ':clone', priceRub: 50 };
    expect(await historyOf(opened)).toMatchObject([record]);
    expect(await expectBalanced(opened)).toBe(50);
  });

  it.each(['standard', 'premium', 'extvoice'] as const)(
    'costs what the list says: %s',
    async (engine) => {
      const opened = open();
      const { creation, storage } = Pricing.parse((await listed(opened)).pricing);
      const { charged, voice } = await cloned(opened, { engine, ...tone(5) });
      expect(charged?.amount).toBe(creation[engine]);
      expect(voice.monthly_fee).toEqual({ amount: storage[engine], currency: 'RUB' });
      expect(await balanceOf(opened)).toBe(1000 - creation[engine]);
    },
  );

  it.each([
    ['plain base64', base64(wav(2))],
    ['base64 in lines', base64(wav(2)).replaceAll(/.{76}/g, '$&\r\n')],
    ['a data: URI', `data:audio/wav;base64,${base64(wav(2))}`],
    ['an MP3', base64(mp3({ frames: 80 }))],
  ])('takes a recording as %s', async (_, audio_base64) => {
    const { voice } = await cloned(open(), { audio_base64 });
    expect(voice.sample_seconds).toBeGreaterThanOrEqual(2);
    expect(voice.sample_seconds).toBeLessThan(2.2);
  });

  it('takes several recordings with extvoice, and adds up their seconds', async () => {
    const opened = open();
    const { voice } = await voiceIn(await cloneOf(opened, [tone(1), tone(2), tone(1.5)]));
    expect(voice.sample_seconds).toBe(4.5);
    const both = { name: 'Both', consent: true, engine: 'extvoice', samples: [tone(2)] };
    expect((await cloned(opened, { ...both, ...tone(2) })).voice.sample_seconds).toBe(4);
  });

  it.each([
    ['an empty name', { name: '  ' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
  ])('refuses %s as voice_request_invalid', async (_, changes) => {
    const opened = open();
    expect(await refusedWith(await clone(opened, changes))).toBe('422 voice_request_invalid');
    await expectNothing(opened);
  });

  it.each([
    ['what is no base64', 'not!base64'],
    ['a data: URI of text', 'data:audio/wav,hello'],
    ['a text', base64(Buffer.from('RIFF is only the beginning of a text'))],
    ['a WAV file without sound', base64(wav(0))],
  ])('refuses %s as voice_sample_invalid, and names the recording', async (_, audio_base64) => {
    const opened = open();
    const one = await refusal(await clone(opened, { audio_base64 }));
    expect(one).toMatchObject({ status: 422, body: { code: 'voice_sample_invalid' } });
    const several = await refusal(await cloneOf(opened, [tone(2), { audio_base64 }]));
    const message = expect.stringMatching(/^samples\[1\] /);
    const body = { code: 'voice_sample_invalid', param: 'samples[1]', message };
    expect(several).toMatchObject({ status: 422, body });
    await expectNothing(opened);
  });

  it.each([
    ['standard', 0.9],
    ['premium', 4.9],
    ['extvoice', 2.9],
  ])('refuses too short a recording for %s as voice_samples_invalid', async (engine, seconds) => {
    const opened = open();
    const response = await clone(opened, { engine, ...tone(seconds) });
    expect(await refusedWith(response)).toBe('422 voice_samples_invalid');
    await expectNothing(opened);
    await cloned(opened, { engine, ...tone(seconds + 0.1) });
  });

  const halfSeconds = (count: number) => Array.from({ length: count }, () => tone(0.5));

  it.each([
    ['25 recordings', halfSeconds(25), halfSeconds(26), 'voice_samples_limit'],
    ['300 seconds', [tone(150), tone(150)], [tone(150), tone(150.01)], 'voice_samples_limit'],
    ['10 MB', [sized(10 * mb)], [sized(10 * mb + 1)], 'voice_sample_too_large'],
  ])('takes %s, and refuses more, as it says', async (_, most, more, code) => {
    const opened = open();
    expect(await refusedWith(await cloneOf(opened, more))).toBe(`422 ${code}`);
    await expectNothing(opened);
    await voiceIn(await cloneOf(opened, most));
  });

  it('has five slots, and answers 409 voice_slots_full until one is free', async () => {
    const opened = open();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.push((await cloned(opened, { name })).voice.id);
    const race = await Promise.all([1, 2, 3].map(() => clone(opened, { name: 'e' })));
    expect(race.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await refusedWith(await clone(opened))).toBe('409 voice_slots_full');
    expect(await balanceOf(opened)).toBe(750);
    expect((await remove(opened, ids[2] ?? '')).status).toBe(200);
    await cloned(opened, { name: 'f' });
    expect((await listed(opened)).voices.map(({ name }) => name).join('')).toBe('abdef');
  });
});

it('DELETE /api/media/voices/{id} removes a voice of the account, once', async () => {
  const opened = open();
  const { voice } = await cloned(opened);
  const stranger = await remove(opened, voice.id, keys.sandbox);
  expect(await refusedWith(stranger)).toBe('404 voice_not_found');
  expect((await listed(opened)).voices).toEqual([voice]);
  expect((await listed(opened, keys.sandbox)).voices).toEqual([]);
  const response = await remove(opened, voice.id);
  expect(await response.json()).toEqual({ ok: true, id: voice.id, deleted: true });
  expect((await listed(opened)).voices).toEqual([]);
  expect(await refusedWith(await remove(opened, voice.id))).toBe('404 voice_not_found');
});
