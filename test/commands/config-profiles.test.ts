import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configIn, homeWith } from '../helpers/config-home.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';

const work = { base_url: 'https://work.example', key: 'sk-svc-0123456789abcdef' };
const config = { version: 1, profile: 'work', profiles: { work, home: { model: 'm' } } };

it('svc config profiles and use delete one with its key, once that is confirmed', async () => {
  const home = homeWith(config);
  const asked = { home, tty: true, typed: [['and its key?', 'y\r']] as const };
  const result = await run('config profiles --delete work', asked);
  expect(result).toMatchObject({ code: 0, stdout: '' });
  expect(result.stderr).toContain(
    'Deleted profile "work".\nIt was the default profile. To choose another: svc config use NAME\n',
  );
  expect(configIn(home)).toEqual({ version: 1, profiles: { home: { model: 'm' } } });
  const json = await run('config profiles --delete home --yes --json', { home });
  expect(JSON.parse(json.stdout)).toEqual({ profile: 'home', deleted: true });
  expect(configIn(home)).toEqual({ version: 1, profiles: {} });
});

it('svc config profiles and use delete none that is not confirmed, or not there', async () => {
  const home = homeWith(config);
  const kept = { home, tty: true, typed: [['Delete profile', '\r']] as const };
  expect(await run('config profiles --delete work', kept)).toMatchObject({ code: 0, stdout: '' });
  expect(await run('config profiles --delete work', { home })).toMatchObject({
    code: 2,
    stderr:
      'error: cannot ask "Delete profile "work" and its key?" without a terminal\n' +
      'hint: to answer yes: --yes\n',
  });
  expect((await run('config profiles --delete wrk --yes', { home })).stderr).toContain(
    'there is no profile "wrk"; profiles: work, home',
  );
  expect(configIn(home)).toEqual(config);
});

it('svc config profiles and use are offered as the next word', async () => {
  const home = homeWith(config);
  for (const line of ['config use ', 'config profiles --delete ', '--profile ']) {
    const { stdout } = await run(['__complete', '--', ...line.split(' ')], { home });
    expect(stdout).toBe('work\nhome\n');
  }
});

it('svc config profiles and use make another the default', async () => {
  const home = homeWith(config);
  expect(await run('config use home', { home, env: { SVC_PROFILE: 'work' } })).toMatchObject({
    code: 0,
    stderr: 'Profile "home" is now the default.\nwarning: SVC_PROFILE overrides it with "work"\n',
  });
  expect(configIn(home)).toEqual({ ...config, profile: 'home' });
});

it('svc config profiles and use refuse one that is not there', async () => {
  const home = homeWith(config);
  const { code, stderr } = await run('config use wrk', { home });
  expect([code, stderr]).toEqual([2, expect.stringContaining('there is no profile "wrk"')]);
  expect(configIn(home)).toEqual(config);
});

it('svc config path prints where the file is, even a broken one, and makes nothing', async () => {
  const home = homeWith('{');
  const file = join(home, 'config.json');
  expect(await run('config path', { home })).toMatchObject({ code: 0, stdout: `${file}\n` });
  const empty = testFolder();
  const json = await run('config path --json', { home: empty });
  expect(JSON.parse(json.stdout)).toEqual({
    configFile: join(empty, 'config.json'),
    data: join(empty, 'data'),
    cache: join(empty, 'cache'),
  });
  expect(existsSync(join(empty, 'config.json'))).toBe(false);
});
