import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../src/lib/json.js';
import { idOf, pricing, scene, wav } from './scene.js';

const charge = 'charged 50.00 RUB · 15.00 RUB a month, next on 2026-03-01T00:00:00.000Z';

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
    const wishes = ['--engine', 'extvoice', '--remove-background-noise', '--consent'];
    expect(await at.svc(['create', 'me', ...files, ...wishes])).toMatchObject({ code: 0 });
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

  it('shows the prices, asks for consent, and tells what was charged', async () => {
    const at = await scene();
    const path = at.file('a.wav', wav());
    const result = await at.svc(['create', 'me', path], {
      tty: true,
      typed: [['agree to their voice being cloned as "me"', 'y\n']],
    });
    expect(result).toMatchObject({ code: 0, stdout: `${idOf(1)}\n` });
    expect(result.stderr).toContain('prices: creation: standard 50, premium 150; storage: ask');
    expect(result.stderr.indexOf('prices:')).toBeLessThan(result.stderr.indexOf('agree'));
    expect(result.stderr).toContain(`${charge} · balance 650.00 RUB`);
  });

  it('makes nothing when the answer is no', async () => {
    const at = await scene();
    const path = at.file('a.wav', wav());
    const result = await at.svc(['create', 'me', path], {
      tty: true,
      typed: [['agree to their voice', 'n\n']],
    });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('without consent no voice is made');
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
    expect(result.stderr).toContain(`you have a voice of this name already, ${idOf(7)}`);
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
    at.instead = ({ method }, response) => {
      if (method !== 'POST') return false;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ok: false, code, message: 'it says why' }));
      return true;
    };
    const result = await at.svc(['create', 'me', at.file('a.wav', wav()), '--consent']);
    expect(result.code).toBe(exit);
    expect(result.stderr).toContain('it says why');
    expect(at.calls()).toEqual(['GET /api/media/voices', 'POST /api/media/voices']);
  });

  it('shows prices of any shape as they came', async () => {
    const at = await scene();
    for (const [shape, shown] of [
      [pricing, 'creation: standard 50, premium 150; storage: ask'],
      [
        { creation: { amount: 50, currency: 'RUB' }, tiers: [1, 2] },
        'creation: 50.00 RUB; tiers: [1,2]',
      ],
      ['free', ': free'],
      [{ a: { b: { c: 1 } }, d: null }, 'a: b c 1'],
      [undefined, 'the service names no prices'],
    ] as const) {
      at.instead = ({ method, url }, response) => {
        if (method !== 'GET' || url !== '/api/media/voices') return false;
        response.end(JSON.stringify({ voices: [], pricing: shape }));
        return true;
      };
      const path = at.file('a.wav', wav());
      const tty = { stdin: true, stderr: true };
      const result = await at.svc(['create', 'me', path, '--consent'], { tty });
      expect(result.stderr).toContain(shown);
    }
  });
});
