/** --limit of the lists without pages. */
import { expect, it } from 'vitest';
import { entries } from '../../src/commands/index.js';
import { recordOf } from '../../src/lib/json.js';
import { homeWith } from '../helpers/config-home.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { jsonOf, run } from '../helpers/run.js';

it('every list takes --limit', () => {
  const lists = entries.flatMap((entry) => ('commands' in entry ? entry.commands : []));
  const without = lists.filter(
    ({ name, options = {} }) => name === 'list' && !('limit' in options),
  );
  // It has two rows at most.
  expect(without.map(({ summary }) => summary)).toEqual([
    'show what is charged, reserved and left',
  ]);
});

it.each([
  [
    'keys list',
    { data: [{ id: 'k1' }, { id: 'k2' }], more: 1.1 },
    { data: [{ id: 'k1' }], more: 1.1 },
  ],
  ['usage keys', [{ key: 'a' }, { key: 'b' }], [{ key: 'a' }]],
])('svc %s --limit shows the first, in JSON too', async (line, reply, first) => {
  const { env } = await fakeService(json(reply));
  const piped = await run(`${line} --limit 1`, { env });
  expect(piped.stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(await jsonOf(run(`${line} --limit 1 --json`, { env }))).toEqual(first);
});

it('svc config list and svc config profiles --limit show the first, in JSON too', async () => {
  const home = homeWith({ profile: 'a', profiles: { a: { model: 'v/m' }, b: { model: 'v/n' } } });
  for (const verb of ['list', 'profiles']) {
    const { stdout } = await run(`config ${verb} --limit 1`, { home });
    expect(stdout).toMatch(/^[^\n]+\n$/);
  }
  const asJson = (verb: string) => jsonOf(run(`config ${verb} --limit 1 --json`, { home }));
  expect(await asJson('list')).toMatchObject({ settings: { profile: { value: 'a' } } });
  expect(Object.keys(recordOf(recordOf(await asJson('list'))['settings']))).toEqual(['profile']);
  expect(await asJson('profiles')).toEqual([expect.objectContaining({ name: 'a' })]);
});
