import { describe, expect, it } from 'vitest';
import { talker } from './talker.js';

const model = '-m vendor/voice';

describe('--voice', () => {
  const said = async (given: string) => {
    const at = await talker();
    const result = await at.svc([
      'speak',
      '-m',
      'vendor/voice',
      'hi',
      '--voice',
      given,
      '-o',
      `${at.folder}/`,
    ]);
    return { at, result, voice: at.spoken()[0]?.['voice'] };
  };

  it('takes the name of a cloned voice, whatever its case', async () => {
    expect((await said('Anna')).voice).toBe('voice_0123456789abcdefghij');
    expect((await said('anna')).voice).toBe('voice_0123456789abcdefghij');
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
    return { code, stderr, voice: at.spoken()[0]?.['voice'] };
  };
  const idOf = (letter: string) => `voice_${letter.repeat(20)}`;
  const [a, b, c] = [idOf('a'), idOf('b'), idOf('c')];

  it('takes the id of a voice', async () => {
    expect(await among(a, { [a]: 'Anna' })).toEqual({ code: 0, stderr: '', voice: a });
  });

  it('takes the name of a voice that looks like an id', async () => {
    expect(await among(c, { [a]: 'Anna', [b]: c })).toEqual({ code: 0, stderr: '', voice: b });
  });

  it('takes a word that is the id of one voice and the name of another for the id, and says so', async () => {
    expect(await among(a, { [b]: a, [a]: 'Anna' })).toEqual({
      code: 0,
      stderr: `"${a}" is also what ${b} is called; the voice of this id speaks\n`,
      voice: a,
    });
  });

  it('refuses an id that none of the account has, before anything is sent', async () => {
    const result = await among(c, { [a]: 'Anna' });
    expect(result).toMatchObject({ code: 2, voice: undefined });
    expect(result.stderr.split('\n')[0]).toBe(`error: you have no voice "${c}"`);
  });

  it('takes a voice of the model', async () => {
    expect((await said('tenor')).voice).toBe('tenor');
  });

  it.each([
    ['Ana', 'there is no voice "Ana"; did you mean "Anna"?'],
    ['tenr', 'there is no voice "tenr"; did you mean "tenor"?'],
    ['Zoroaster', 'there is no voice "Zoroaster"'],
    [
      'twin',
      'several voices are called "twin": voice_aaaaaaaaaaaaaaaaaaaa, voice_bbbbbbbbbbbbbbbbbbbb',
    ],
  ])('%s is refused with the nearest, and nothing is spoken', async (given, message) => {
    const { at, result } = await said(given);
    expect(result.code).toBe(2);
    expect(result.stderr.split('\n')[0]).toBe(`error: ${message}`);
    expect(at.spoken()).toEqual([]);
    expect(at.files()).toEqual([]);
  });

  it('is left to a model that does not tell its voices', async () => {
    const at = await talker();
    await at.svc(`speak -m other/model hi --voice alloy -o ${at.folder}/`);
    expect(at.spoken()[0]?.['voice']).toBe('alloy');
    const near = await at.svc(`speak -m other/model hi --voice Ana -o ${at.folder}/`);
    expect(near.stderr).toContain('none of your voices is called "Ana"; did you mean "Anna"?');
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
      expect(at.spoken()[0]?.['voice']).toBe(id);
      const named = await at.svc(`speak ${model} hi --voice Anna -o ${at.folder}/`);
      expect(named.code).not.toBe(0);
      expect(at.spoken()).toHaveLength(1);
    },
  );
});
