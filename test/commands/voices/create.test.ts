import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../src/lib/json.js';
import { localMoment } from '../../../src/lib/moment.js';
import { mp3 } from '../../service/media/engines/mp3.js';
import { scene, type Scene, wav } from './scene.js';
import { fails } from '../../helpers/run.js';

const get = 'GET /api/media/voices';

/** A service, and `svc voices create` with a recording. */
async function creating() {
  const at = await scene();
  const line = ['create', 'me', at.file('a.wav', wav())];
  return { ...at, create: (more: string[], how = {}) => at.svc([...line, ...more], how) };
}

describe('svc voices create', () => {
  it('makes a voice from a file and prints its id alone, or the reply', async () => {
    const at = await creating();
    const result = await at.create(['--consent']);
    const [voice] = await at.voices();
    expect(result).toMatchObject({ code: 0, stdout: `${String(voice?.['id'])}\n`, stderr: '' });
    const audio_base64 = wav().toString('base64');
    expect(at.posted()).toEqual([{ name: 'me', consent: true, audio_base64 }]);
    const { stdout, stderr } = await at.create(['--consent', '--json', '-q']);
    const charged = { amount: 50, currency: 'RUB' };
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, charged });
    const id = String(voice?.['id']);
    expect(stderr).toContain(`a voice with this name already exists: ${id}`);
  });

  it('sends several recordings, files and links in their order, to extvoice', async () => {
    const at = await scene();
    const [one, other] = [wav({ seconds: 100 }), wav({ seconds: 3 })];
    const link = 'https://example.org/a.mp3';
    const files = [at.file('a.wav', one), link, at.file('b.wav', other)];
    const options = ['--engine', 'extvoice', '--remove-background-noise', '--consent'];
    at.on('voices.create', { answer: { status: 201, json: { voice: { id: 'voice_1' } } } });
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

  it('shows the prices, asks for consent, and reports the charge', async () => {
    const at = await creating();
    const question = 'consented to the cloning of their voice as "me"';
    const { code, stderr } = await at.create([], { tty: true, typed: [[question, 'y\n']] });
    expect(code).toBe(0);
    expect(stderr).toContain(
      'creation: standard 50.00 RUB, premium 150.00 RUB, extvoice 100.00 RUB; storage: ',
    );
    expect(stderr.indexOf('prices:')).toBeLessThan(stderr.indexOf('consented'));
    const next = localMoment(Date.UTC(2026, 11, 21, 18, 43));
    expect(stderr).toContain(`charged 50.00 RUB · 15.00 RUB a month, next on ${next} (in `);
    expect(stderr).toContain(' · balance 950.00 RUB');
  });

  it('makes nothing when the answer is no', async () => {
    const at = await creating();
    const result = await at.create([], { tty: true, typed: [['consented to the cloning', 'n\n']] });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('without consent, no voice is created');
    expect(at.calls()).toEqual([get]);
  });

  it.each([
    ['off a terminal', [], false],
    ['under --no-input', ['--no-input'], true],
    ['under --yes, which is an answer to questions of svc', ['--yes'], true],
  ])('needs --consent %s', async (_, flags, tty) => {
    const at = await creating();
    expect(await at.create(flags, { tty })).toMatchObject(fails(2, '--consent'));
    expect(at.calls()).toEqual([]);
  });

  it('shows the request without reading a recording into it, and asks nobody', async () => {
    const at = await creating();
    const shown: unknown = JSON.parse((await at.create(['--consent', '--dry-run'])).stdout);
    const audio_base64 = '(a.wav in base64)';
    expect(isRecord(shown) && shown['body']).toEqual({ name: 'me', consent: true, audio_base64 });
    expect(at.calls()).toEqual([]);
  });

  it('passes a refusal on, and sends nothing again', async () => {
    const at = await creating();
    const json = { ok: false, code: 'voice_slots_full', message: 'it says why' };
    at.on('voices.create', { answer: { status: 409, json } });
    expect(await at.create(['--consent'])).toMatchObject(fails(3, 'it says why'));
    expect(at.calls()).toEqual([get, 'POST /api/media/voices']);
  });

  it.each<[shape: unknown, shown: string]>([
    [
      { creation: { amount: 50, currency: 'RUB' }, tiers: [1, 2] },
      'creation: 50.00 RUB; tiers: [1,2]',
    ],
    ['free', ': free'],
    [{ a: { b: { c: 1 } }, d: null }, 'a: b {"c":1}'],
    [undefined, 'the service gives no prices'],
  ])('shows prices like %j as they came', async (pricing, shown) => {
    const at = await creating();
    at.on('voices.list', { answer: { json: { voices: [], pricing } } });
    const tty = { stdin: true, stderr: true };
    expect((await at.create(['--consent'], { tty })).stderr).toContain(shown);
  });
});

it('svc voices create, when its answer gets lost names what it may have made, and asks for it once', async () => {
  const at = await creating();
  at.on('openapi.get', { answer: { json: { paths: {} } } });
  await at.make('other');
  at.on('voices.create', { drop: 'answer' });
  const { code, stderr } = await at.create(['--consent']);
  const [, made] = await at.voices();
  expect(code).toBe(10);
  expect(stderr).toContain(`; the voice may be ${String(made?.['id'])}\n`);
  expect(at.calls()).toEqual([get, 'POST /api/media/voices', 'GET /api/openapi', get]);
});

it('svc voices create, when its answer gets lost does not take another new voice for it', async () => {
  const at = await creating();
  at.on('voices.create', { first: () => at.make('of somebody else'), drop: 'request' });
  const { code, stderr } = await at.create(['--consent']);
  const [other] = await at.voices();
  expect(code).toBe(10);
  expect(stderr).not.toContain(String(other?.['id']));
});

it('svc voices create, when its answer gets lost ends in the same way when the list cannot be asked for either', async () => {
  const at = await creating();
  at.on('voices.create', { first: () => at.on(/./, { drop: 'request' }), drop: 'request' });
  expect((await at.create(['--consent'])).code).toBe(10);
  expect(at.posted()).toHaveLength(1);
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

it.each([
  ['exactly 300 s', () => wav({ seconds: 300 })],
  ['exactly 10 MB', () => wav({ length: 10 * megabyte, bytesPerSecond: 384_000 })],
  ['an MP3 file without a head that tells', () => mp3({ frames: 200, kbps: [64, 96, 128] })],
  [
    'the half of a WAV file whose head tells of 400 s',
    () => wav({ seconds: 400 }).subarray(0, 1_600_000),
  ],
])('svc voices create takes %s', async (_, recording) => {
  const at = await scene();
  const result = await at.svc(['create', 'me', at.file('sound', recording()), '--consent']);
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(at.posted()).toHaveLength(1);
});
