import { expect, it } from 'vitest';
import type { Rule } from '../../helpers/front.js';
import { idOf, scene, wav } from './scene.js';
import { fails, jsonOf } from '../../helpers/run.js';

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

it('svc voices list warns of unpaid voices, also when it is to be quiet', async () => {
  const at = await scene(paid, unpaid);
  expect(await at.svc('list -q')).toMatchObject({
    code: 0,
    stderr: `warning: the voice guide (${idOf(2)}) is unpaid: its monthly fee is 2.00 USD; it will be deleted on 2026-04-01T00:00:00.000Z; to check the balance: svc balance\n`,
  });
});

it('svc voices takes @last for the newest voice, and the first characters of an id', async () => {
  const made = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
  const at = await scene(
    { ...paid, id: `voice_abcd${'0'.repeat(16)}`, created_at: made(1) },
    { ...unpaid, id: `voice_wxyz${'0'.repeat(16)}`, created_at: made(2) },
  );
  const asked = async (voice: string) => (await at.svc(['delete', voice, '--no-input'])).stderr;
  expect(await asked('@last')).toContain('"guide"');
  expect(await asked('voice_abcd…')).toContain('"narrator"');
  expect(await asked('voice_')).toContain('you have no voice');
  expect(JSON.parse((await at.svc('list --json --limit 1')).stdout)).toMatchObject({
    voices: [{ name: 'narrator' }],
  });
});

it('svc voices list shows what it does not know as it came, harmless to a terminal', async () => {
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

/** A voice of 270 s that takes more recordings. */
async function growing() {
  const at = await scene();
  const id = await at.make('narrator', { engine: 'extvoice' }, 270);
  const add = (seconds: number, ...more: string[]) =>
    at.svc(['add-samples', 'narrator', at.file('a.wav', wav({ seconds })), ...more]);
  return { ...at, id, add };
}

it('svc voices add-samples sends the recordings to the voice that the name means', async () => {
  const at = await growing();
  expect(await at.add(10, '--remove-background-noise')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'narrator: added 1, 2 recordings in total, 280 s\n',
  });
  const samples = [{ audio_base64: wav({ seconds: 10 }).toString('base64') }];
  expect(at.calls()).toEqual(['GET /api/media/voices', `POST /api/media/voices/${at.id}/samples`]);
  expect(at.posted()).toEqual([{ samples, remove_background_noise: true }]);
  expect(await jsonOf(at.add(10, '--json'))).toMatchObject({ samples_added: 1, sample_count: 3 });
});

it('svc voices add-samples refuses what would be more than 300 s with what the voice has', async () => {
  const at = await growing();
  expect(await at.add(31)).toMatchObject(fails(2, '"narrator" would have 301 s of recordings'));
  expect(at.posted()).toEqual([]);
});

it('svc voices add-samples says where to look when the answer gets lost, and sends nothing again', async () => {
  const at = await growing();
  at.on('voices.addSamples', { drop: 'answer' });
  expect(await at.add(1)).toMatchObject(fails(10, 'svc voices list'));
  expect(at.posted()).toHaveLength(1);
});

/** Voices of these names. */
async function named(...names: string[]) {
  const at = await scene();
  const ids: string[] = [];
  for (const name of names) ids.push(await at.make(name));
  const left = async () => (await at.voices()).map(({ id }) => id);
  return { ...at, ids, left };
}

it.each(['its name', 'its id'])('svc voices delete deletes a voice by %s', async (word) => {
  const at = await named('narrator', 'Guide');
  const id = String(at.ids[1]);
  const result = await at.svc(['delete', word === 'its id' ? id : 'Guide', '--yes']);
  expect(result).toMatchObject({ code: 0, stdout: '', stderr: `deleted "Guide" (${id})\n` });
  expect(await at.left()).toEqual([at.ids[0]]);
});

it('svc voices delete asks first', async () => {
  const at = await named('narrator');
  const ask = (keys: string) =>
    at.svc('delete narrator', { tty: true, typed: [['Delete the voice "narrator"', keys]] });
  expect((await ask('n\n')).code).toBe(2);
  expect(await at.left()).toHaveLength(1);
  expect((await ask('y\n')).code).toBe(0);
  expect(await at.left()).toEqual([]);
});

it.each<[what: string, rule: Rule, code: number]>([
  ['is cut off', { drop: 'answer' }, 0],
  ['is answered with 500', { answer: { status: 500 } }, 0],
  // Nothing was done for it: somebody else deleted the voice.
  ['is answered with 429', { answer: { status: 429, headers: { 'retry-after': '0' } } }, 3],
])(
  'svc voices delete whose first try %s, and second finds nothing left, ends with %3$i',
  async (...row) => {
    const [, rule, code] = row;
    const at = await named('narrator');
    const first = () => rule.answer && at.ask('DELETE', `/api/media/voices/${at.ids[0]}`);
    at.on('voices.delete', { ...rule, first, nth: 1 });
    expect((await at.svc('delete narrator --yes')).code).toBe(code);
    expect(at.calls().filter((call) => call.startsWith('DELETE'))).toHaveLength(2);
  },
);

it.each([
  ['a name that nobody has, naming the nearest', 'narator', '; did you mean "narrator"?'],
  ['an id of another account', idOf(9), 'you have no voice'],
  ['a name that several have, with their ids', 'me', 'IDS'],
])('svc voices delete refuses %s, and deletes nothing', async (_, word, told) => {
  const at = await named('narrator', 'me', 'me');
  const result = await at.svc(['delete', word, '--yes']);
  expect(result.code).toBe(2);
  expect(result.stderr).toContain(told.replace('IDS', at.ids.slice(1).join(', ')));
  expect(at.calls()).toEqual(['GET /api/media/voices']);
});

it('svc voices delete shows the request for an id, and asks nobody', async () => {
  const at = await scene();
  expect(await jsonOf(at.svc(['delete', idOf(1), '--dry-run']))).toMatchObject({
    method: 'DELETE',
    url: `${at.origin}/api/media/voices/${idOf(1)}`,
  });
  expect(at.calls()).toEqual([]);
});

it('svc voices delete gives the reply as it came under --json', async () => {
  const at = await named('narrator');
  const { stdout, stderr } = await at.svc('delete narrator --yes --json');
  const reply = { ok: true, id: at.ids[0], deleted: true };
  expect({ reply: JSON.parse(stdout), stderr }).toEqual({ reply, stderr: '' });
});
