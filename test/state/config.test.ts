import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ConfigError } from '../../src/errors.js';
import { readConfig, storedProfile } from '../../src/state/config.js';
import { pathsFrom } from '../../src/state/paths.js';
import { checkKey, checkProfileName, checkSetting, maskKey } from '../../src/state/rules.js';
import { testFolder } from '../helpers/folder.js';
import { thrownBy } from '../http/rig.js';

function configWith(text: string) {
  const folder = testFolder();
  const file = join(folder, 'config.json');
  writeFileSync(file, text);
  return { file, paths: pathsFrom({ SVC_CONFIG_DIR: folder }) };
}

const errorOf = async (act: () => unknown) => z.instanceof(ConfigError).parse(await thrownBy(act));

it('the config file is read with what a newer svc added to it, and past a byte order mark', () => {
  const { paths } = configWith(
    '\uFEFF{"version": 1, "colour": "red", "profiles": {"a": {"x": 1}}}',
  );
  expect(readConfig(paths)).toEqual({ version: 1, colour: 'red', profiles: { a: { x: 1 } } });
});

it.each([
  ['{"profile": "a",\n  }', 'it is not JSON at line 2, column 3'],
  ['{"key": "sk-other-123456', 'it is not JSON at line 1, column 25'],
  ['', 'it is empty'],
  ['{"version": 2}', 'its version must be 1; a newer svc may have written it'],
  ['{"profiles": {"a": "b"}}', 'profile "a" must be an object'],
])(
  'an error names the config file and its fault %j, and leaves it as it is',
  async (text, problem) => {
    const { file, paths } = configWith(text);
    const error = await errorOf(() => readConfig(paths));
    expect(error.message).toBe(`the config file ${file} cannot be used: ${problem}`);
    expect(error.hint).toBe(
      'svc has not changed it: correct it in an editor, or move it away and run: svc login',
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
  },
);

it('an error never quotes a broken config file, for a key stands in it', async () => {
  const { paths } = configWith('{"profiles": {"a": {"key": secret-of-mine}}}');
  const error = await errorOf(() => readConfig(paths));
  expect(`${error.message} ${String(error.cause)}`).not.toContain('secret');
});

it.each([
  ['key', 7, 'string'],
  ['low_balance', '7', 'number'],
])(
  'an error names the field of a profile that has the wrong type: %s',
  async (name, value, type) => {
    const config = { profiles: { work: { [name]: value } } };
    const error = await errorOf(() => storedProfile(config, 'work', '/c'));
    expect(error.message).toBe(`${name} of profile "work" in /c is wrong: must be a ${type}`);
  },
);

it.each([
  ['base_url', 'https://host/v1', 'https://host'],
  ['brand', 'acme', 'acme'],
  ['connect_timeout', '250ms', '250ms'],
  ['low_balance', '99.5', 99.5],
] as const)('the setting %s takes %j', (name, text, value) => {
  expect(checkSetting(name, text)).toEqual({ value });
});

it.each([
  ['brand', 'Acme', 'the brand must consist of lower-case letters, digits and hyphens'],
  ['model', 'two words', 'the model must be an ID without spaces, such as vendor/model'],
  ['idle_timeout', 'soon', 'a timeout must be a duration, such as 30s or 5m'],
  ['idle_timeout', '0', 'a timeout must be a duration, such as 30s or 5m'],
  [
    'budget_day',
    '1234567890123456789',
    'the daily budget must be an amount in RUB from 0 to 1000000000000',
  ],
  ['low_balance', '-1', 'the low balance must be an amount in RUB from 0 to 1000000000000'],
  ['base_url', '', 'the base URL must start with https:// or http://, such as https://host'],
  ['base_url', 'https://me:secret@host', 'the base URL must not contain a user name or password'],
  ['base_url', 'https://host?x=1', 'the base URL must not have a query or fragment'],
] as const)('the setting %s refuses %j', (name, text, problem) => {
  expect(checkSetting(name, text)).toEqual({ problem });
});

it.each([
  ['https://api.example.com', 'https://api.example.com'],
  [' https://api.example.com/v1\n', 'https://api.example.com'],
  ['https://api.example.com/v1/', 'https://api.example.com'],
  ['https://example.com/gate/v1//', 'https://example.com/gate'],
])('a base URL %j is read as %s', (text, value) => {
  expect(checkSetting('base_url', text)).toEqual({ value });
});

it('a key loses the blanks and newlines around it, and is masked the more the shorter it is', () => {
  expect(checkKey('  sk-svc-abc\r\n')).toEqual({ value: 'sk-svc-abc' });
  expect(checkKey(' \n')).toEqual({ problem: 'the key is empty' });
  expect(maskKey('sk-svc-abcdefghijklmnop')).toBe('sk-svc-a…mnop');
  expect(maskKey('sk-svc-abc')).toBe('sk…');
});

it('a profile name keeps clear of what an object already has', () => {
  expect(checkProfileName('work.2_eu-1')).toEqual({ value: 'work.2_eu-1' });
  for (const name of ['', '__proto__', '-x', 'a b', 'ü', 'x'.repeat(65)]) {
    expect([name, 'problem' in checkProfileName(name)]).toEqual([name, true]);
  }
});
