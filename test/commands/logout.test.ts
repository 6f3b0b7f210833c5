import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configIn, homeWith } from '../helpers/config-home.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';

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
    const result = await run('logout', { home });
    expect(result).toMatchObject({
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

  it('says in JSON whose keys are gone', async () => {
    const result = await run('logout --json --profile home', { home: homeWith(two) });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toEqual({ removed: ['home'] });
  });

  it('is content when there is nothing to remove', async () => {
    const none = await run('logout', { home: testFolder() });
    expect(none).toMatchObject({
      code: 0,
      stderr: 'No key is stored for profile "default".\n',
    });
    const all = await run('logout --all', { home: testFolder() });
    expect(all.stderr).toBe('No key is stored for any profile.\n');
  });

  it('says that a key of the environment stays in use', async () => {
    const result = await run('logout', { home: homeWith(two), env: { SVC_API_KEY: 'sk-svc-env' } });
    expect(result.stderr).toBe(
      'Removed the key of profile "work".\nwarning: SVC_API_KEY is still set and stays in use\n',
    );
  });

  it('refuses a profile that is not there, and --all with --profile', async () => {
    const unknown = await run('logout --profile hom', { home: homeWith(two) });
    expect(unknown).toMatchObject({
      code: 2,
      stderr:
        'error: there is no profile "hom"; there is: work, home, bare\n' +
        'hint: did you mean "home"? To make a new one: svc login --profile hom\n',
    });
    const both = await run('logout --all --profile home', { home: homeWith(two) });
    expect(both).toMatchObject({
      code: 2,
      stderr:
        'error: --all and --profile do not go together\n' +
        'hint: svc logout --all, or: svc logout --profile NAME\n',
    });
  });
});
