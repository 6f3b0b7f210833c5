import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ConfigError } from '../../src/errors.js';
import { readConfig, storedProfile } from '../../src/state/config.js';
import { pathsFrom } from '../../src/state/paths.js';
import { testFolder } from '../helpers/folder.js';

function configWith(text: string) {
  const folder = testFolder();
  const file = join(folder, 'config.json');
  writeFileSync(file, text);
  return { file, paths: pathsFrom({ SVC_CONFIG_DIR: folder }) };
}

function errorOf(action: () => unknown): ConfigError {
  try {
    action();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

it('is read with what a newer svc added to it, and past a byte order mark', () => {
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
])('names the file and the fault of %j, and leaves it as it is', (text, problem) => {
  const { file, paths } = configWith(text);
  const error = errorOf(() => readConfig(paths));
  expect(error.message).toBe(`the config file ${file} cannot be used: ${problem}`);
  expect(error.hint).toBe(
    'svc has left it as it is: correct it in an editor, or move it away and run: svc login',
  );
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('never quotes a broken file, for a key stands in it', () => {
  const { paths } = configWith('{"profiles": {"a": {"key": secret-of-mine}}}');
  const error = errorOf(() => readConfig(paths));
  expect(`${error.message} ${String(error.cause)}`).not.toContain('secret');
});

it('names the field of a profile that has the wrong type', () => {
  const config = { profiles: { work: { key: 7 } } };
  expect(errorOf(() => storedProfile(config, 'work', '/c')).message).toBe(
    'key of profile "work" in /c is wrong: must be a text',
  );
  const balance = { profiles: { work: { low_balance: '7' } } };
  expect(errorOf(() => storedProfile(balance, 'work', '/c')).message).toBe(
    'low_balance of profile "work" in /c is wrong: must be a number',
  );
});
