import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ConfigError, SvcError, UsageError } from '../../src/errors.js';
import type { Env } from '../../src/lib/env.js';
import { pathsFrom } from '../../src/state/paths.js';
import { loadSettings, type SettingFlags } from '../../src/state/settings.js';
import { testFolder } from '../helpers/folder.js';
import { thrownBy } from '../http/rig.js';

const noFlags: SettingFlags = {
  local: false,
  profile: undefined,
  baseUrl: undefined,
  connectTimeoutMs: undefined,
  firstByteTimeoutMs: undefined,
  idleTimeoutMs: undefined,
  retryWaitMs: undefined,
};

const byHand = {
  base_url: 'https://work.example/gate',
  key: 'sk-svc-0123456789work',
  brand: 'acme',
  model: 'vendor/model',
  connect_timeout: '3s',
  first_byte_timeout: '2m',
  idle_timeout: '250ms',
  low_balance: 50,
};
const work = { ...byHand, key_origin: 'https://work.example' };
const file = { version: 1, profile: 'work', profiles: { work, bare: {} } };

interface Given {
  config?: unknown;
  env?: Env;
  flags?: Partial<SettingFlags>;
}

function load({ config = file, env = {}, flags = {} }: Given = {}) {
  const folder = testFolder();
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  writeFileSync(join(folder, 'config.json'), text);
  const paths = pathsFrom({ SVC_CONFIG_DIR: folder });
  return loadSettings({ flags: { ...noFlags, ...flags }, env, paths });
}

const errorOf = async (given: Given) =>
  z.instanceof(SvcError).parse(await thrownBy(() => load(given)));

it('settings are those of the current profile', () => {
  const settings = load();
  expect({ ...settings, baseUrl: settings.baseUrl?.href }).toEqual({
    profile: 'work',
    baseUrl: 'https://work.example/gate',
    key: 'sk-svc-0123456789work',
    keyStore: 'file',
    keyWithheld: undefined,
    brand: 'acme',
    model: 'vendor/model',
    connectTimeoutMs: 3000,
    firstByteTimeoutMs: 120_000,
    idleTimeoutMs: 250,
    lowBalanceRub: 50,
    sources: {
      profile: 'config',
      baseUrl: 'profile',
      key: 'profile',
      brand: 'profile',
      model: 'profile',
      connectTimeoutMs: 'profile',
      firstByteTimeoutMs: 'profile',
      idleTimeoutMs: 'profile',
      lowBalanceRub: 'profile',
    },
  });
});

it('settings come from a flag before the environment, and from that before the profile', () => {
  const env = {
    SVC_BASE_URL: 'https://env.example',
    SVC_API_KEY: ' sk-svc-env-key \n',
    SVC_BRAND: 'zed',
    SVC_PROFILE: 'bare',
  };
  const byEnv = load({ env });
  expect(byEnv).toMatchObject({ profile: 'bare', key: 'sk-svc-env-key', brand: 'zed' });
  expect(byEnv.baseUrl?.href).toBe('https://env.example/');
  expect(byEnv.sources).toEqual({
    profile: 'environment',
    baseUrl: 'environment',
    key: 'environment',
    brand: 'environment',
  });
  const empty = { SVC_BASE_URL: '', SVC_API_KEY: '', SVC_BRAND: '', SVC_PROFILE: '' };
  expect(load({ env: empty })).toMatchObject({ profile: 'work', key: work.key, brand: 'acme' });
  const byFlag = load({
    env,
    flags: { profile: 'work', baseUrl: 'https://flag.example/v1/', idleTimeoutMs: 9 },
  });
  expect(byFlag).toMatchObject({ profile: 'work', key: 'sk-svc-env-key', idleTimeoutMs: 9 });
  expect(byFlag.baseUrl?.href).toBe('https://flag.example/');
  expect(byFlag.sources).toMatchObject({
    profile: 'flag',
    baseUrl: 'flag',
    idleTimeoutMs: 'flag',
    model: 'profile',
  });
});

describe('a stored key', () => {
  it.each(['http://work.example', 'https://work.example:8443'])('is not sent to %s', (baseUrl) => {
    for (const given of [{ flags: { baseUrl } }, { env: { SVC_BASE_URL: baseUrl } }]) {
      expect(load(given)).toMatchObject({
        key: undefined,
        keyWithheld: `the stored key belongs to https://work.example and is not sent to ${baseUrl}`,
      });
    }
  });

  it('belongs to the base URL beside it when it was written by hand', () => {
    const config = { profiles: { default: byHand } };
    expect(load({ config }).key).toBe(work.key);
    expect(load({ config, flags: { baseUrl: 'https://evil.example' } }).key).toBeUndefined();
  });
});

it.each([
  [{ flags: { baseUrl: 'nonsense' } }, '--base-url: the base URL must start with https://'],
  [{ env: { SVC_API_KEY: 'a b' } }, 'SVC_API_KEY: the key contains a space, a line break or'],
  [{ flags: { profile: '../x' } }, '--profile: a profile name starts with a letter or digit'],
])('%j is a usage error that names the flag or variable', async (given, message) => {
  const error = await errorOf(given);
  expect(error).toBeInstanceOf(UsageError);
  expect(error.message).toContain(message);
});

it('under --local the settings of this machine hold, and nothing of a service or its account', () => {
  const fields = { log: 'off', budget_day: 5, retry_wait: '5m', ...byHand };
  const config = { profile: 'work', profiles: { work: fields } };
  const known = load({
    config,
    env: { SVC_BASE_URL: 'no url', SVC_API_KEY: '"quoted"' },
    flags: { local: true },
  });
  expect(known).toMatchObject({ log: 'off', budgetDayRub: 5, retryWaitMs: 300_000 });
  expect([known.key, known.baseUrl, known.model]).toEqual([undefined, undefined, undefined]);
});

it('under --local the config file may be broken', async () => {
  expect(await errorOf({ config: '{' })).toBeInstanceOf(ConfigError);
  expect(load({ config: '{', flags: { local: true, idleTimeoutMs: 5 } })).toMatchObject({
    profile: 'default',
    key: undefined,
    model: undefined,
    brand: 'svc',
    idleTimeoutMs: 5,
  });
});

it.each([
  ['"sk-svc-0123"', 'is in quotes'],
  ['Bearer sk-svc-0123', 'has "Bearer" before it'],
  ['SVC_API_KEY=sk-svc-0123', 'has a name before it'],
])('the key %j is refused with its likely mistake', async (key, why) => {
  const error = await errorOf({ env: { SVC_API_KEY: key } });
  expect(error.message).toBe(`SVC_API_KEY: the key ${why}: give only the key itself`);
});
