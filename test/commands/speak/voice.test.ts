import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { forgetEnd } from '../../helpers/state.js';
import { recording, talker, type Talker } from './talker.js';

const model = '-m vendor/voice';

describe('--voice', () => {
  const said = async (given: string) => {
    const at = await talker();
    const result = await at.svc(`speak ${model} hi --voice ${given} -o ${at.folder}/`);
    return { at, result, voice: at.posted()[0]?.['voice'] };
  };

  it.each([
    ['the name of a cloned voice', 'Anna', 'voice_0123456789abcdefghij'],
    ['it in another case', 'anna', 'voice_0123456789abcdefghij'],
    ['a voice of the model', 'tenor', 'tenor'],
  ])('takes %s', async (_, given, voice) => {
    expect((await said(given)).voice).toBe(voice);
  });

  /** Voices of these ids and names, and what is spoken by them. */
  const among = async (given: string, voices: Readonly<Record<string, string>>) => {
    const at = await talker();
    at.instead = ({ url }, response) => {
      if (url !== '/api/media/voices') return false;
      const list = Object.entries(voices).map(([id, name]) => ({ id, name }));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ voices: list }));
      return true;
    };
    const line = ['speak', '-m', 'vendor/voice', '--voice', given, 'hi', '-o', `${at.folder}/`];
    const { code, stderr } = await at.svc(line);
    return { code, stderr, voice: at.posted()[0]?.['voice'] };
  };
  const idOf = (letter: string) => `voice_${letter.repeat(20)}`;
  const [a, b, c] = [idOf('a'), idOf('b'), idOf('c')];

  it.each([
    ['the id of a voice, also where another has it for its name', a, { [b]: a, [a]: 'Anna' }, a],
    ['the name of a voice that looks like an id', c, { [a]: 'Anna', [b]: c }, b],
  ])('takes %s', async (_, given, voices, voice) => {
    expect(await among(given, voices)).toEqual({ code: 0, stderr: '', voice });
  });

  it('refuses an id that none of the account has, before anything is sent', async () => {
    const result = await among(c, { [a]: 'Anna' });
    expect(result).toMatchObject({ code: 2, voice: undefined });
    expect(result.stderr.split('\n')[0]).toBe(`error: you have no voice "${c}"`);
  });

  it.each([
    ['Ana', 'there is no voice "Ana"; did you mean "Anna"?'],
    ['tenr', 'there is no voice "tenr"; did you mean "tenor"?'],
    ['Zoroaster', 'there is no voice "Zoroaster"'],
    [
      'twin',
      'several voices are named "twin": voice_aaaaaaaaaaaaaaaaaaaa, voice_bbbbbbbbbbbbbbbbbbbb',
    ],
  ])('%s is refused with the nearest, and nothing is spoken', async (given, message) => {
    const { at, result } = await said(given);
    expect(result.code).toBe(2);
    expect(result.stderr.split('\n')[0]).toBe(`error: ${message}`);
    expect(at.posted()).toEqual([]);
    expect(at.files()).toEqual([]);
  });

  it('is left to a model that does not list its voices', async () => {
    const at = await talker();
    await at.svc(`speak -m other/model hi --voice alloy -o ${at.folder}/`);
    expect(at.posted()[0]?.['voice']).toBe('alloy');
    const near = await at.svc(`speak -m other/model hi --voice Ana -o ${at.folder}/`);
    expect(near.stderr).toContain('none of your voices is named "Ana"; did you mean "Anna"?');
  });

  it.each([401, 403, 500])(
    'needs no list where it is an id, and the list is refused with %i',
    async (status) => {
      const at = await talker();
      at.instead = ({ url }, response) => {
        if (url !== '/api/media/voices') return false;
        response.writeHead(status).end();
        return true;
      };
      const id = 'voice_aaaaaaaaaaaaaaaaaaaa';
      const result = await at.svc(`speak ${model} hi --voice ${id} -o ${at.folder}/`);
      expect(result.code).toBe(0);
      expect(result.stderr).toContain('cloned voices cannot be listed: ');
      expect(at.posted()[0]?.['voice']).toBe(id);
      const named = await at.svc(`speak ${model} hi --voice Anna -o ${at.folder}/`);
      expect(named.code).not.toBe(0);
      expect(at.posted()).toHaveLength(1);
    },
  );
});

// The same text spoken again after a run that did not end is not paid for unasked.

/** A service that speaks, and a home folder that is the same for all runs. */
async function scene({ knowsKeys = false } = {}) {
  const at = await talker();
  const home = testFolder();
  let isCut = true;
  at.instead = (request, response) => {
    if (request.url === '/api/openapi') {
      const post = knowsKeys ? { parameters: [{ name: 'Idempotency-Key', in: 'header' }] } : {};
      json({ paths: { '/v1/audio/speech': { post } } })(request, response);
      return true;
    }
    if (request.url !== '/v1/audio/speech' || !isCut) return false;
    const whole = recording('hi');
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': whole.length });
    response.write(whole.subarray(0, 20), () => response.socket?.destroy());
    return true;
  };
  const speak = (...more: string[]) =>
    at.svc(['speak', '-m', 'vendor/voice', 'hi', '-o', at.path('a.wav'), ...more], { home });
  const keys = (service: Talker) =>
    service.requests.flatMap(({ method, headers }) =>
      method === 'POST' ? headers['idempotency-key'] : [],
    );
  return { ...at, at, home, speak, keys: () => keys(at), mend: () => (isCut = false) };
}

describe('speech that broke off', () => {
  it('is requested again with its key where the service supports the key', async () => {
    const { at, speak, keys, mend } = await scene({ knowsKeys: true });
    expect((await speak()).code).toBe(12);
    mend();
    const again = await speak();
    expect(again).toMatchObject({ code: 0, stdout: `${at.path('a.wav')}\n` });
    expect(again.stderr).toMatch(/^resuming a request without an answer \(started \d+ s ago\)/);
    expect(keys()).toHaveLength(2);
    expect(new Set(keys()).size).toBe(1);
    expect(readFileSync(at.path('a.wav'))).toEqual(recording('hi'));
  });

  it('is not paid for again unasked where it does not', async () => {
    const { at, speak, keys, mend } = await scene();
    expect((await speak()).code).toBe(12);
    mend();
    const again = await speak();
    expect(again).toMatchObject({ code: 10, stdout: '' });
    expect(again.stderr).toContain('may have been carried out and charged');
    expect(again.stderr).toContain('to pay for another, use --new\n');
    expect(keys()).toHaveLength(1);
    expect(await speak('--new')).toMatchObject({ code: 0 });
    expect(new Set(keys()).size).toBe(2);
    expect(existsSync(at.path('a.wav'))).toBe(true);
  });

  it('is another once a run has succeeded', async () => {
    const { speak, keys, mend } = await scene();
    mend();
    expect(await speak()).toMatchObject({ code: 0 });
    expect(await speak('--force')).toMatchObject({ code: 0 });
    expect(new Set(keys()).size).toBe(2);
  });

  it('succeeds when its file exists, and only its end was not recorded', async () => {
    const { at, speak, keys, mend, home } = await scene();
    mend();
    await speak();
    forgetEnd(home, 'requests');
    expect(await speak()).toMatchObject({ code: 0, stdout: `${at.path('a.wav')}\n` });
    expect(keys()).toHaveLength(1);
    // That was its end: now the name is taken.
    expect(await speak()).toMatchObject({ code: 11, stdout: '' });
  });

  it('leaves svc jobs list alone', async () => {
    const { at, speak, home } = await scene();
    await speak();
    expect(await at.svc('jobs list', { home })).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });
});
