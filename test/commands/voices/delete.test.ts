import { describe, expect, it } from 'vitest';
import { idOf, scene } from './scene.js';

const two = [
  { id: idOf(1), name: 'narrator' },
  { id: idOf(2), name: 'Guide' },
] as const;

describe('svc voices delete', () => {
  it.each([
    ['its name', 'Guide'],
    ['its id', idOf(2)],
  ])('deletes a voice by %s', async (_, word) => {
    const at = await scene(...two);
    const result = await at.svc(['delete', word, '--yes']);
    expect(result).toMatchObject({ code: 0, stdout: '', stderr: `deleted "Guide" (${idOf(2)})\n` });
    expect(at.voices).toEqual([two[0]]);
  });

  it('asks first', async () => {
    const at = await scene(...two);
    const ask = (keys: string) =>
      at.svc('delete narrator', { tty: true, typed: [['Delete the voice "narrator"', keys]] });
    expect((await ask('n\n')).code).toBe(2);
    expect(at.voices).toHaveLength(2);
    expect((await ask('y\n')).code).toBe(0);
    expect(at.voices).toHaveLength(1);
  });

  it('is done when its own second try finds nothing left', async () => {
    const at = await scene(...two);
    let isFirst = true;
    at.instead = ({ method }, response) => {
      if (method !== 'DELETE' || !isFirst) return false;
      isFirst = false;
      at.voices.shift();
      response.socket?.destroy();
      return true;
    };
    const result = await at.svc('delete narrator --yes');
    expect(result.code).toBe(0);
    expect(at.calls().filter((call) => call.startsWith('DELETE'))).toHaveLength(2);
  });

  it.each([
    ['a name that nobody has, naming the nearest', 'narator', '; did you mean "narrator"?'],
    ['an id of another account', idOf(9), 'you have no voice'],
  ])('refuses %s, and deletes nothing', async (_, word, told) => {
    const at = await scene(...two);
    const result = await at.svc(['delete', word, '--yes']);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(told);
    expect(at.calls()).toEqual(['GET /api/media/voices']);
  });

  it('refuses a name that several have, with their ids', async () => {
    const at = await scene({ id: idOf(1), name: 'me' }, { id: idOf(2), name: 'me' });
    const result = await at.svc('delete me --yes');
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(`${idOf(1)}, ${idOf(2)}`);
    expect(at.voices).toHaveLength(2);
  });

  it('shows the request for an id, and asks nobody', async () => {
    const at = await scene(...two);
    const result = await at.svc(['delete', idOf(1), '--dry-run']);
    expect(JSON.parse(result.stdout)).toMatchObject({
      method: 'DELETE',
      url: `${at.origin}/api/media/voices/${idOf(1)}`,
    });
    expect(at.calls()).toEqual([]);
  });

  it('gives the reply as it came under --json', async () => {
    const at = await scene(...two);
    const result = await at.svc('delete narrator --yes --json');
    expect(JSON.parse(result.stdout)).toEqual({ ok: true });
    expect(result.stderr).toBe('');
  });
});
