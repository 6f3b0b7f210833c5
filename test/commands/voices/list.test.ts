import { describe, expect, it } from 'vitest';
import { idOf, scene, wav } from './scene.js';

const paid = {
  id: idOf(1),
  name: 'narrator',
  engine: 'extvoice',
  status: 'active',
  sample_seconds: 41.5,
  monthly_fee: { amount: 30, currency: 'RUB' },
  next_charge_at: '2026-03-01T00:00:00.000Z',
  deletion_at: null,
};
const unpaid = {
  id: idOf(2),
  name: 'guide',
  engine: 'premium',
  status: 'unpaid',
  monthly_fee: { amount: 2, currency: 'USD' },
  deletion_at: '2026-04-01T00:00:00.000Z',
};

describe('svc voices list', () => {
  it('warns of unpaid voices, also when it is to be quiet', async () => {
    const at = await scene(paid, unpaid);
    const { code, stderr } = await at.svc('list -q');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: the voice guide (${idOf(2)}) is unpaid: its monthly fee is 2.00 USD; it will be deleted on 2026-04-01T00:00:00.000Z; to check the balance: svc balance\n`,
    });
  });

  it('shows what it does not know as it came, harmless to a terminal', async () => {
    const at = await scene({
      id: idOf(1),
      name: 'a\u001b[31mred\u0007',
      status: 'asleep',
      sample_seconds: 3.765,
    });
    const { stdout } = await at.svc('list', { tty: true, columns: 200 });
    expect(stdout).toContain('asleep');
    expect(stdout).toMatch(/ 3\.8$/m);
    expect(stdout).not.toContain('\u001b[31m');
    expect(stdout).not.toContain('\u0007');
  });
});

const growing = { id: idOf(1), name: 'narrator', engine: 'extvoice', sample_seconds: 290 };

describe('svc voices add-samples', () => {
  it('sends the recordings to the voice that the name means', async () => {
    const at = await scene(growing);
    const recording = wav({ seconds: 10 });
    const path = at.file('a.wav', recording);
    const line = ['add-samples', 'narrator', path, '--remove-background-noise'];
    expect(await at.svc(line)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'narrator: added 1, 4 recordings in total, 290 s\n',
    });
    expect(at.calls()).toEqual([
      'GET /api/media/voices',
      `POST /api/media/voices/${idOf(1)}/samples`,
    ]);
    expect(at.posted()).toEqual([
      {
        samples: [{ audio_base64: recording.toString('base64') }],
        remove_background_noise: true,
      },
    ]);
    const { stdout } = await at.svc([...line, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ samples_added: 1, sample_count: 4 });
  });

  it('refuses what would be more than 300 s with what the voice has', async () => {
    const at = await scene(growing);
    const path = at.file('a.wav', wav({ seconds: 11 }));
    const result = await at.svc(['add-samples', 'narrator', path]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('"narrator" would have 301 s of recordings');
    expect(at.posted()).toEqual([]);
  });

  it('says where to look when the answer gets lost, and sends nothing again', async () => {
    const at = await scene(growing);
    at.instead = ({ method }, response) => {
      if (method === 'POST') response.socket?.destroy();
      return method === 'POST';
    };
    const result = await at.svc(['add-samples', 'narrator', at.file('a.wav', wav())]);
    expect(result.code).toBe(10);
    expect(result.stderr).toContain('svc voices list');
    expect(at.posted()).toHaveLength(1);
  });
});

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

  it.each([
    ['is cut off', 0, 0],
    ['is answered with 500', 500, 0],
    // Nothing was done for it: somebody else deleted the voice.
    ['is answered with 429', 429, 3],
  ])(
    'whose first try %s (%i), and second finds nothing left, ends with %i',
    async (_, status, code) => {
      const at = await scene(...two);
      at.instead = ({ method }, response) => {
        if (method !== 'DELETE' || at.voices.length < 2) return false;
        at.voices.shift();
        if (status === 0) response.socket?.destroy();
        else response.writeHead(status, { 'retry-after': '0' }).end();
        return true;
      };
      expect((await at.svc('delete narrator --yes')).code).toBe(code);
      expect(at.calls().filter((call) => call.startsWith('DELETE'))).toHaveLength(2);
    },
  );

  it.each([
    ['a name that nobody has, naming the nearest', 'narator', '; did you mean "narrator"?'],
    ['an id of another account', idOf(9), 'you have no voice'],
    ['a name that several have, with their ids', 'me', `${idOf(3)}, ${idOf(4)}`],
  ])('refuses %s, and deletes nothing', async (_, word, told) => {
    const at = await scene(...two, { id: idOf(3), name: 'me' }, { id: idOf(4), name: 'me' });
    const result = await at.svc(['delete', word, '--yes']);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(told);
    expect(at.calls()).toEqual(['GET /api/media/voices']);
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
    const { stdout, stderr } = await at.svc('delete narrator --yes --json');
    expect({ reply: JSON.parse(stdout), stderr }).toEqual({ reply: { ok: true }, stderr: '' });
  });
});
