import { expect, it } from 'vitest';
import { forgetEnd } from '../../helpers/state.js';
import { talker, type Talker } from './talker.js';

const model = '-m vendor/voice';

const said = async (given: string) => {
  const at = await talker();
  const result = await at.svc(`speak ${model} hi --voice ${given} -o ${at.folder}/`);
  return { at, result, voice: at.posted()[0]?.['voice'] };
};

it.each([
  ['the name of a cloned voice', 'Anna', 'voice_0123456789abcdefghij'],
  ['it in another case', 'anna', 'voice_0123456789abcdefghij'],
  ['a voice of the model', 'tenor', 'tenor'],
])('--voice takes %s', async (_, given, voice) => {
  expect((await said(given)).voice).toBe(voice);
});

/** Voices of these ids and names, and what is spoken by them. */
const among = async (given: string, voices: Readonly<Record<string, string>>) => {
  const at = await talker();
  const list = Object.entries(voices).map(([id, name]) => ({ id, name }));
  at.on('voices.list', { answer: { json: { voices: list } } });
  const line = ['speak', '-m', 'vendor/voice', '--voice', given, 'hi', '-o', `${at.folder}/`];
  const { code, stderr } = await at.svc(line);
  return { code, stderr, voice: at.posted()[0]?.['voice'] };
};
const idOf = (letter: string) => `voice_${letter.repeat(20)}`;
const [a, b, c] = [idOf('a'), idOf('b'), idOf('c')];

it.each([
  ['the id of a voice, also where another has it for its name', a, { [b]: a, [a]: 'Anna' }, a],
  ['the name of a voice that looks like an id', c, { [a]: 'Anna', [b]: c }, b],
])('--voice takes %s', async (_, given, voices, voice) => {
  expect(await among(given, voices)).toEqual({ code: 0, stderr: '', voice });
});

it('--voice refuses an id that none of the account has, before anything is sent', async () => {
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
])('--voice %s is refused with the nearest, and nothing is spoken', async (given, message) => {
  const { at, result } = await said(given);
  expect(result.code).toBe(2);
  expect(result.stderr.split('\n')[0]).toBe(`error: ${message}`);
  expect(at.posted()).toEqual([]);
  expect(at.files()).toEqual([]);
});

it('--voice is left to a model that does not list its voices', async () => {
  const at = await talker();
  await at.svc(`speak -m other/model hi --voice alloy -o ${at.folder}/`);
  expect(at.posted()[0]?.['voice']).toBe('alloy');
  const near = await at.svc(`speak -m other/model hi --voice Ana -o ${at.folder}/`);
  expect(near.stderr).toContain('none of your voices is named "Ana"; did you mean "Anna"?');
});

it.each([401, 403, 500])(
  '--voice needs no list where it is an id, and the list is refused with %i',
  async (status) => {
    const at = await talker();
    at.on('voices.list', { answer: { status } });
    const id = 'voice_aaaaaaaaaaaaaaaaaaaa';
    const result = await at.svc(`speak ${model} hi --voice ${id} -o ${at.folder}/`);
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('cloned voices cannot be listed: ');
    expect(at.posted()[0]?.['voice']).toBe(id);
    expect((await at.svc(`speak ${model} hi --voice Anna -o ${at.folder}/`)).code).not.toBe(0);
    expect(at.posted()).toHaveLength(1);
  },
);

const hi = (at: Talker) => ['speak', '-m', 'vendor/voice', 'hi', '-o', at.path('a.wav')];

it('speech that was paid for is not spoken again when its file exists, and only its end was not recorded', async () => {
  const at = await talker();
  const { home } = at;
  await at.svc(hi(at), { home });
  forgetEnd(home, 'requests');
  const again = await at.svc(hi(at), { home });
  expect(again).toMatchObject({ code: 0, stdout: `${at.path('a.wav')}\n` });
  expect(at.posted()).toHaveLength(1);
  // That was its end: now the name is taken.
  expect(await at.svc(hi(at), { home })).toMatchObject({ code: 11, stdout: '' });
});

it('speech that was paid for and broke off is not one of the jobs that svc lists', async () => {
  const at = await talker();
  const { home } = at;
  at.speech({ cutAfterBytes: 20 });
  await at.svc(hi(at), { home });
  expect(await at.svc('jobs list', { home })).toMatchObject({ code: 0, stdout: '', stderr: '' });
});
