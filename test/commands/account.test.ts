import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accountService, goodKey } from '../helpers/account-service.js';
import { configIn, homeWith } from '../helpers/config-home.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';

const configFor = (origin: string, key = goodKey) => ({
  profile: 'work',
  profiles: { work: { base_url: origin, key, key_origin: origin } },
});

it('svc whoami names the variable or the option that a setting comes from', async () => {
  const { origin } = await accountService();
  const env = { SVC_API_KEY: goodKey, SVC_PROFILE: 'work' };
  const line = `whoami --base-url ${origin}`;
  const result = await run(line, { home: homeWith(configFor('https://x.example')), env });
  const sources = result.stdout.split('\n').map((row) => row.split('\t')[2]);
  expect(sources.slice(0, 3)).toEqual(['SVC_PROFILE', '--base-url', 'SVC_API_KEY']);
});

it('svc whoami works against the embedded service, whatever the config file is', async () => {
  const result = await run('whoami --local --json', { home: homeWith('{broken') });
  expect(result.code).toBe(0);
  expect(JSON.parse(result.stdout)).toMatchObject({ local: true, currency: 'RUB' });
});

it('svc whoami says what to do about a refused key', async () => {
  const { origin } = await accountService();
  const home = homeWith(configFor(origin, 'sk-svc-revoked-long-ago'));
  expect(await run('whoami', { home })).toMatchObject({
    code: 4,
    stdout: '',
    stderr:
      `error: ${origin} does not know this key (401)\n` +
      "hint: create a key in the service's cabinet, then run: svc login\n",
  });
  const json = await run('whoami --json', { home });
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { exit: 4, status: 401 } });
});

const key = 'sk-svc-0123456789abcdef';
const account = { base_url: 'https://a.example', key, key_origin: 'https://a.example' };
const two = {
  version: 1,
  profile: 'work',
  profiles: { work: { ...account, model: 'm' }, home: account, bare: { model: 'm' } },
};

describe('svc logout', () => {
  it('removes the key of the profile in use and keeps the rest', async () => {
    const home = homeWith(two);
    expect(await run('logout', { home })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Removed the key of profile "work".\n',
    });
    expect(configIn(home)).toEqual({
      ...two,
      profiles: { ...two.profiles, work: { base_url: 'https://a.example', model: 'm' } },
    });
    expect(readFileSync(join(home, 'config.json'), 'utf8').split(key)).toHaveLength(2);
  });

  it('removes every key under --all', async () => {
    const home = homeWith(two);
    const result = await run('logout --all', { home });
    expect(result.stderr).toBe('Removed the key of profiles "work", "home".\n');
    expect(readFileSync(join(home, 'config.json'), 'utf8')).not.toContain(key);
    expect(configIn(home)).toMatchObject({ profiles: { home: { base_url: 'https://a.example' } } });
  });

  it('lists the removed keys in JSON', async () => {
    const result = await run('logout --json --profile home', { home: homeWith(two) });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toEqual({ removed: ['home'] });
  });

  it('succeeds when there is nothing to remove', async () => {
    expect(await run('logout', { home: testFolder() })).toMatchObject({
      code: 0,
      stderr: 'No key is stored for profile "default".\n',
    });
    const all = await run('logout --all', { home: testFolder() });
    expect(all.stderr).toBe('No key is stored for any profile.\n');
  });

  it.each(['key_entry', 'key_origin', 'key_hash'])(
    'removes a wrong %s, as the error about it says',
    async (field) => {
      for (const rest of [{}, { key }, { key_command: 'pass show svc' }]) {
        const profiles = { work: { base_url: 'https://a.example', ...rest, [field]: 5 } };
        const home = homeWith({ profiles });
        const wrong = await run('balance --profile work', { home });
        expect(wrong.stderr).toContain('or remove the key: svc logout --profile work\n');
        expect((await run('logout --profile work', { home })).code).toBe(0);
        expect(configIn(home)).toMatchObject({
          profiles: { work: { base_url: 'https://a.example' } },
        });
        expect(readFileSync(join(home, 'config.json'), 'utf8')).not.toContain('key');
      }
    },
  );

  it('says that nothing was stored where the file cannot be locked', async () => {
    const home = homeWith(two);
    mkdirSync(join(home, '.config.json.lock'));
    for (const line of ['logout', 'login --with-key --no-verify --base-url https://a.example']) {
      expect(await run(line, { home, stdin: key })).toMatchObject({
        code: 11,
        stderr:
          `error: the lock ${join(home, '.config.json.lock')} cannot be acquired: it is a folder\n` +
          'hint: nothing was stored or changed: make its folder writable, or free space, then run it again\n',
      });
    }
    expect(configIn(home)).toEqual(two);
  });

  it('says that a key of the environment stays in use', async () => {
    const result = await run('logout', { home: homeWith(two), env: { SVC_API_KEY: 'sk-svc-env' } });
    expect(result.stderr).toBe(
      'Removed the key of profile "work".\nwarning: SVC_API_KEY is still set and still used\n',
    );
  });

  it('refuses a profile that is not there, and --all with --profile', async () => {
    expect(await run('logout --profile hom', { home: homeWith(two) })).toMatchObject({
      code: 2,
      stderr:
        'error: there is no profile "hom"; profiles: work, home, bare\n' +
        'hint: did you mean "home"? To create it: svc login --profile hom\n',
    });
    expect(await run('logout --all --profile home', { home: homeWith(two) })).toMatchObject({
      code: 2,
      stderr:
        'error: --all and --profile cannot be used together\n' +
        'hint: svc logout --all, or: svc logout --profile NAME\n',
    });
  });
});

it.each(['keys list', 'keys show', 'usage keys'])(
  'svc keys list never shows a whole key, whatever the service sends: %s',
  async (command) => {
    const keys = ['sk-svc-0123456789abcdefghij', 'sk-svc-zyxwvutsrqponmlkjihg'];
    const data = [{ name: `a: ${String(keys[0])}`, by: { [String(keys[1])]: 7 } }];
    for (const reply of [{ data }, data, keys, { key: keys[0], shown: 'sk-svc-…cdef' }]) {
      const { env } = await fakeService(json(reply));
      for (const form of ['', ' --json']) {
        const { stdout, code } = await run(`${command}${form}`, { env });
        expect(code).toBe(0);
        expect(stdout).toMatch(/sk-svc-0…ghij/);
        for (const key of keys) expect(stdout).not.toContain(key);
      }
    }
  },
);

it('svc keys list knows the keys of the embedded service, and shows none of them whole', async () => {
  const { stdout, code } = await run('--local keys list');
  expect(code).toBe(0);
  expect(stdout.split('\n').filter((line) => line.includes('\tlocal\t'))).toHaveLength(1);
  expect(stdout).not.toContain('sk-svc-local');
});
