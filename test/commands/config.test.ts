import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configIn, homeWith } from '../helpers/config-home.js';
import { fails, jsonOf, run } from '../helpers/run.js';

const key = 'sk-svc-0123456789abcdef';
const byHand = { base_url: 'https://work.example', key, idle_timeout: '90s' };
const work = { ...byHand, key_origin: 'https://work.example', low_balance: 50 };
const config = { version: 1, profile: 'work', profiles: { work, home: { model: 'm' } } };

it('svc config list says when the key is withheld from the base URL in force', async () => {
  const line = 'config list --base-url https://other.example';
  const sentence =
    'the stored key belongs to https://work.example and is not sent to https://other.example';
  const text = await run(line, { home: homeWith(config) });
  expect(text.stdout).toContain('key\t\twithheld\n');
  expect(text.stderr).toBe(`The key is withheld: ${sentence}.\n`);
  const json = await run(`${line} --json`, { home: homeWith(config) });
  expect(JSON.parse(json.stdout)).toMatchObject({ keyWithheld: sentence });
  expect(json.stderr).toBe('');
});

it.each([
  ['get base_url', 'https://work.example\n'],
  ['get profile', 'work\n'],
  ['get key', 'sk-svc-0…cdef\n'],
  ['get key --reveal', `${key}\n`],
  ['get model --profile home', 'm\n'],
])('svc config get %s prints %j', async (line, stdout) => {
  expect(await run(`config ${line}`, { home: homeWith(config) })).toMatchObject({
    code: 0,
    stdout,
    stderr: '',
  });
});

it('svc config get prints JSON for a script', async () => {
  expect(await jsonOf(run('config get low_balance --json', { home: homeWith(config) }))).toEqual({
    name: 'low_balance',
    value: 50,
    source: 'profile',
  });
});

it.each([
  ['get model', 'model is not set\nhint: svc config set model VALUE\n'],
  ['get key --profile home', 'key is not set\nhint: svc --profile home login\n'],
  ['get baseurl', 'there is no setting "baseurl"\nhint: did you mean base_url?\n'],
  ['get colour', 'there is no setting "colour"\nhint: settings: profile, key, base_url, '],
])('svc config get %s fails and says what to do', async (line, words) => {
  const { code, stdout, stderr } = await run(`config ${line}`, { home: homeWith(config) });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`error: ${words}`);
});

it('svc config set stores a checked value in the profile in use', async () => {
  const home = homeWith(config);
  expect(await run('config set model vendor/model', { home })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'Set model to vendor/model in profile "work".\n',
  });
  expect(configIn(home)).toEqual({
    ...config,
    profiles: { ...config.profiles, work: { ...work, model: 'vendor/model' } },
  });
});

it('svc config set says when the stored key does not go to the new base URL, and keeps it from there', async () => {
  for (const profile of [work, byHand]) {
    const home = homeWith({ profiles: { default: profile } });
    expect((await run('config set base_url https://other.example', { home })).stderr).toBe(
      'Set base_url to https://other.example in profile "default".\n' +
        'The stored key belongs to another origin. To store one for this: svc login\n',
    );
    expect(configIn(home)).toMatchObject({
      profiles: { default: { key, key_origin: 'https://work.example' } },
    });
    expect((await run('config get key', { home })).code).toBe(2);
  }
});

it.each([
  ['set key sk-svc-0123456789', 'a key cannot be given as an argument: other users could'],
  ['set profile work', 'the default profile is not a setting\nhint: svc config use NAME\n'],
  ['set --profile __proto__ model m', '--profile: a profile name starts with a letter or'],
])('svc config set %s is refused and changes nothing', async (line, words) => {
  const home = homeWith(config);
  expect(await run(`config ${line}`, { home })).toMatchObject(fails(2, `error: ${words}`));
  expect(configIn(home)).toEqual(config);
});

it('svc config set leaves a broken file as it is and says how to get out of it', async () => {
  const home = homeWith('{"profiles": {,}}');
  const file = join(home, 'config.json');
  expect(await run('config set model m', { home })).toMatchObject({
    code: 4,
    stdout: '',
    stderr:
      `error: the config file ${file} cannot be used: it is not JSON at line 1, column 15\n` +
      'hint: svc has not changed it: correct it in an editor, or move it away and run: svc login\n',
  });
  expect(readFileSync(file, 'utf8')).toBe('{"profiles": {,}}');
});

it('svc config unset removes a setting, and says when there was none', async () => {
  const home = homeWith(config);
  expect(await run('config unset low_balance', { home })).toMatchObject({
    code: 0,
    stderr: 'Removed low_balance from profile "work".\n',
  });
  const rest = { ...byHand, key_origin: 'https://work.example' };
  expect(configIn(home)).toEqual({ ...config, profiles: { ...config.profiles, work: rest } });
  expect(await jsonOf(run('config unset low_balance --json', { home }))).toEqual({
    profile: 'work',
    name: 'low_balance',
    removed: false,
  });
});

it('svc config unset removes a key with its origin, and a profile with its last setting', async () => {
  const home = homeWith({ ...config, profile: 'home' });
  await run('config unset key --profile work', { home });
  expect(configIn(home)).toMatchObject({
    profiles: { work: { base_url: 'https://work.example' } },
  });
  expect(readFileSync(join(home, 'config.json'), 'utf8')).not.toContain('key');
  await run('config unset model', { home });
  expect(configIn(home)).toEqual({
    version: 1,
    profiles: { work: { base_url: work.base_url, idle_timeout: '90s', low_balance: 50 } },
  });
});
