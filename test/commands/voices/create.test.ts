import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../src/lib/json.js';
import { json } from '../../helpers/fake-service.js';
import { mp3 } from '../../service/media/engines/mp3.js';
import { localMoment } from '../../../src/lib/moment.js';
import { idOf, scene, type Scene, wav } from './scene.js';

const charge = 'charged 50.00 RUB · 15.00 RUB a month, next on ';

describe('svc voices create', () => {
  it('makes a voice from a file and prints its id alone', async () => {
    const at = await scene();
    const recording = wav();
    const path = at.file('a.wav', recording);
    const result = await at.svc(['create', 'me', path, '--consent']);
    expect(result).toMatchObject({ code: 0, stdout: `${idOf(1)}\n`, stderr: '' });
    expect(at.posted()).toEqual([
      { name: 'me', consent: true, audio_base64: recording.toString('base64') },
    ]);
  });

  it('sends several recordings, files and links in their order, to extvoice', async () => {
    const at = await scene();
    const [one, other] = [wav({ seconds: 100 }), wav({ seconds: 3 })];
    const link = 'https://example.org/a.mp3';
    const files = [at.file('a.wav', one), link, at.file('b.wav', other)];
    const options = ['--engine', 'extvoice', '--remove-background-noise', '--consent'];
    expect(await at.svc(['create', 'me', ...files, ...options])).toMatchObject({ code: 0 });
    expect(at.posted()).toEqual([
      {
        name: 'me',
        consent: true,
        engine: 'extvoice',
        samples: [
          { audio_base64: one.toString('base64') },
          { audio_url: link },
          { audio_base64: other.toString('base64') },
        ],
        remove_background_noise: true,
      },
    ]);
  });

  it('gives the reply as it came under --json', async () => {
    const at = await scene();
    const result = await at.svc(['create', 'me', at.file('a.wav', wav()), '--consent', '--json']);
    const reply: unknown = JSON.parse(result.stdout);
    expect(reply).toMatchObject({ ok: true, charged: { amount: 50, currency: 'RUB' } });
    expect(result.stderr).toBe('');
  });

  it('shows the prices, asks for consent, and reports the charge', async () => {
    const at = await scene();
    const path = at.file('a.wav', wav());
    const result = await at.svc(['create', 'me', path], {
      tty: true,
      typed: [['consented to the cloning of their voice as "me"', 'y\n']],
    });
    expect(result).toMatchObject({ code: 0, stdout: `${idOf(1)}\n` });
    expect(result.stderr).toContain(
      'prices: creation: standard 50.00 RUB, premium 150.00 RUB; storage: ask',
    );
    expect(result.stderr.indexOf('prices:')).toBeLessThan(result.stderr.indexOf('consented'));
    expect(result.stderr).toContain(`${charge}${localMoment(Date.UTC(2026, 2))} (in `);
    expect(result.stderr).toContain(' · balance 650.00 RUB');
  });

  it('makes nothing when the answer is no', async () => {
    const at = await scene();
    const path = at.file('a.wav', wav());
    const result = await at.svc(['create', 'me', path], {
      tty: true,
      typed: [['consented to the cloning', 'n\n']],
    });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('without consent, no voice is created');
    expect(at.calls()).toEqual(['GET /api/media/voices']);
  });

  it.each([
    ['off a terminal', [], false],
    ['under --no-input', ['--no-input'], true],
    ['under --yes, which is an answer to questions of svc', ['--yes'], true],
  ])('needs --consent %s', async (_, flags, tty) => {
    const at = await scene();
    const path = at.file('a.wav', wav());
    const result = await at.svc(['create', 'me', path, ...flags], { tty });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('--consent');
    expect(at.calls()).toEqual([]);
  });

  it('warns when there is a voice of that name', async () => {
    const at = await scene({ id: idOf(7), name: 'me' });
    const result = await at.svc(['create', 'me', at.file('a.wav', wav()), '--consent', '-q']);
    expect(result).toMatchObject({ code: 0 });
    expect(result.stderr).toContain(`a voice with this name already exists: ${idOf(7)}`);
  });

  it('shows the request without reading a recording into it, and asks nobody', async () => {
    const at = await scene();
    const path = at.file('a.wav', wav());
    const result = await at.svc(['create', 'me', path, '--consent', '--dry-run']);
    const shown: unknown = JSON.parse(result.stdout);
    expect(isRecord(shown) && shown['body']).toEqual({
      name: 'me',
      consent: true,
      audio_base64: '(a.wav in base64)',
    });
    expect(at.calls()).toEqual([]);
  });

  it.each([
    [409, 'voice_slots_full', 3],
    [402, 'insufficient_balance', 5],
  ])('passes a refusal %i %s on, and sends nothing again', async (status, code, exit) => {
    const at = await scene();
    at.instead = (seen, response) => {
      if (seen.method !== 'POST') return false;
      json({ ok: false, code, message: 'it says why' }, status)(seen, response);
      return true;
    };
    const result = await at.svc(['create', 'me', at.file('a.wav', wav()), '--consent']);
    expect(result.code).toBe(exit);
    expect(result.stderr).toContain('it says why');
    expect(at.calls()).toEqual(['GET /api/media/voices', 'POST /api/media/voices']);
  });

  it.each<[shape: unknown, shown: string]>([
    [
      { creation: { amount: 50, currency: 'RUB' }, tiers: [1, 2] },
      'creation: 50.00 RUB; tiers: [1,2]',
    ],
    ['free', ': free'],
    [{ a: { b: { c: 1 } }, d: null }, 'a: b {"c":1}'],
    [undefined, 'the service gives no prices'],
  ])('shows prices like %j as they came', async (shape, shown) => {
    const at = await scene();
    at.instead = (seen, response) => {
      if (seen.url !== '/api/media/voices' || seen.method !== 'GET') return false;
      json({ voices: [], pricing: shape })(seen, response);
      return true;
    };
    const tty = { stdin: true, stderr: true };
    const line = ['create', 'me', at.file('a.wav', wav()), '--consent'];
    expect((await at.svc(line, { tty })).stderr).toContain(shown);
  });
});

const megabyte = 1024 * 1024;
const several = ['--engine', 'extvoice'];

/** What is given after the name, by files that the case makes. */
type Case = readonly [what: string, given: (at: Scene) => readonly string[], told: string];

const cases: readonly Case[] = [
  [
    'a text file named .wav',
    (at) => [at.file('notes.wav', Buffer.from('not a sound at all\n'.repeat(100)))],
    'notes.wav is not a wav or mp3 recording',
  ],
  [
    'a WAV file without sound',
    (at) => [at.file('a.wav', wav({ seconds: 0 }))],
    'a.wav starts as wav but contains no sound',
  ],
  [
    'what only begins as MP3',
    (at) => [at.file('a.mp3', Buffer.concat([mp3({ frames: 1 }), Buffer.alloc(5000, 'x')]))],
    'a.mp3 starts as mp3 but contains no sound',
  ],
  [
    '26 recordings',
    (at) => [...Array.from({ length: 26 }, () => at.file('a.wav', wav())), ...several],
    'a voice may have at most 25 recordings, not 26',
  ],
  [
    'several without extvoice',
    (at) => [at.file('a.wav', wav()), at.file('b.wav', wav())],
    'several recordings need --engine extvoice',
  ],
  [
    '301 s',
    (at) => [at.file('a.wav', wav({ seconds: 301 }))],
    'the recordings have 301 s in total; a voice may have 300 s',
  ],
  [
    'a byte more than 10 MB',
    (at) => [at.file('a.wav', wav({ length: 10 * megabyte + 1, bytesPerSecond: 88_200 }))],
    'a.wav has 10485761 bytes; a recording may have 10485760 (10 MB)',
  ],
  [
    'more than 50 MB in all',
    (at) => {
      const nine = wav({ length: 9 * megabyte, bytesPerSecond: 384_000 });
      return [...Array.from({ length: 6 }, () => at.file('a.wav', nine)), ...several];
    },
    'the recordings have 56623104 bytes in total; a voice may have 52428800 (50 MB)',
  ],
  [
    'an http link',
    () => ['http://example.org/a.wav'],
    'http://example.org/a.wav is not an https URL',
  ],
  ['stdin', () => ['-'], 'a recording must be a file or a URL'],
];

it.each(cases)('svc voices create refuses %s in one sentence', async (_, given, told) => {
  const at = await scene();
  const { code, stderr } = await at.svc(['create', 'me', ...given(at), '--consent']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
  expect(stderr).toContain(told);
  expect(at.calls()).toEqual([]);
});

describe('svc voices create', () => {
  it.each([
    ['exactly 300 s', () => wav({ seconds: 300 })],
    ['exactly 10 MB', () => wav({ length: 10 * megabyte, bytesPerSecond: 384_000 })],
    ['an MP3 file without a head that tells', () => mp3({ frames: 200, kbps: [64, 96, 128] })],
    [
      'the half of a WAV file whose head tells of 400 s',
      () => wav({ seconds: 400 }).subarray(0, 1_600_000),
    ],
  ])('takes %s', async (_, recording) => {
    const at = await scene();
    const result = await at.svc(['create', 'me', at.file('sound', recording()), '--consent']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(at.posted()).toHaveLength(1);
  });
});
