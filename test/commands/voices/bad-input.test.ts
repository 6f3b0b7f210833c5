import { describe, expect, it } from 'vitest';
import { mp3 } from '../../service/media/engines/mp3.js';
import { scene, wav, type Scene } from './scene.js';

const megabyte = 1024 * 1024;
const several = ['--engine', 'extvoice'];

/** What is given after the name, by files that the case makes. */
type Case = readonly [what: string, given: (at: Scene) => readonly string[], told: string];

const cases: readonly Case[] = [
  [
    'a text file named .wav',
    (at) => [at.file('notes.wav', Buffer.from('not a sound at all\n'.repeat(100)))],
    'notes.wav is no wav or mp3 recording',
  ],
  [
    'a WAV file without sound',
    (at) => [at.file('a.wav', wav({ seconds: 0 }))],
    'a.wav begins as wav, and no sound can be found in it',
  ],
  [
    'what only begins as MP3',
    (at) => [at.file('a.mp3', Buffer.concat([mp3({ frames: 1 }), Buffer.alloc(5000, 'x')]))],
    'a.mp3 begins as mp3, and no sound can be found in it',
  ],
  [
    '26 recordings',
    (at) => [...Array.from({ length: 26 }, () => at.file('a.wav', wav())), ...several],
    'a voice takes at most 25 recordings; 26 are given',
  ],
  [
    'several without extvoice',
    (at) => [at.file('a.wav', wav()), at.file('b.wav', wav())],
    'several recordings make a voice only with --engine extvoice',
  ],
  [
    '301 s',
    (at) => [at.file('a.wav', wav({ seconds: 301 }))],
    'the recordings are 301 s long together; a voice takes 300 s',
  ],
  [
    'a byte more than 10 MB',
    (at) => [at.file('a.wav', wav({ length: 10 * megabyte + 1, bytesPerSecond: 88_200 }))],
    'a.wav is 10485761 bytes long; a recording may have 10485760 (10 MB)',
  ],
  [
    'more than 50 MB in all',
    (at) => {
      const nine = wav({ length: 9 * megabyte, bytesPerSecond: 384_000 });
      return [...Array.from({ length: 6 }, () => at.file('a.wav', nine)), ...several];
    },
    'the recordings are 56623104 bytes together; a voice takes 52428800 (50 MB)',
  ],
  ['an http link', () => ['http://example.org/a.wav'], 'http://example.org/a.wav is no https URL'],
  ['stdin', () => ['-'], 'a recording is a file or a URL'],
];

describe.each(['create', 'add-samples'])('svc voices %s', (verb) => {
  const ofBoth = cases.filter(([what]) => verb === 'create' || what !== 'several without extvoice');

  it.each(ofBoth)('refuses %s in one sentence, and asks nobody', async (_, given, told) => {
    const at = await scene();
    const words = given(at).filter((word) => verb === 'create' || !several.includes(word));
    const consent = verb === 'create' ? ['--consent'] : [];
    const result = await at.svc([verb, 'me', ...words, ...consent]);
    expect({ code: result.code, stderr: result.stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^error: [^\n]+\n(hint: [^\n]+\n)?$/),
    });
    expect(result.stderr).toContain(told);
    expect(at.calls()).toEqual([]);
  });
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
