import { describe, expect, it } from 'vitest';
import {
  baseUrlText,
  checkBaseUrl,
  checkKey,
  checkProfileName,
  checkSetting,
  maskKey,
} from '../../src/state/rules.js';

describe('a base URL', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    [' https://api.example.com/v1\n', 'https://api.example.com'],
    ['https://api.example.com/v1/', 'https://api.example.com'],
    ['https://example.com/gate/v1//', 'https://example.com/gate'],
  ])('is read from %j as %s', (text, expected) => {
    const checked = checkBaseUrl(text);
    expect('value' in checked && baseUrlText(checked.value)).toBe(expected);
  });

  it.each([
    ['', 'the base URL must begin with https:// or http://, as in https://host'],
    ['example.com', 'the base URL must begin with https:// or http://, as in https://host'],
    ['https://me:secret@host', 'the base URL must not hold a user name or password'],
    ['https://host?x=1', 'the base URL must not have a query or fragment'],
  ])('is refused when it is %j', (text, problem) => {
    expect(checkBaseUrl(text)).toEqual({ problem });
  });
});

it('a key loses the blanks and newlines around it, and is masked the more the shorter it is', () => {
  expect(checkKey('  sk-svc-abc\r\n')).toEqual({ value: 'sk-svc-abc' });
  expect(checkKey(' \n')).toEqual({ problem: 'the key is empty' });
  expect(maskKey('sk-svc-abcdefghijklmnop')).toBe('sk-svc-a…mnop');
  expect(maskKey('sk-svc-abc')).toBe('sk…');
});

describe('a setting', () => {
  it.each([
    ['base_url', 'https://host/v1', 'https://host'],
    ['brand', 'acme', 'acme'],
    ['connect_timeout', '250ms', '250ms'],
    ['low_balance', '99.5', 99.5],
  ] as const)('%s takes %j', (name, text, value) => {
    expect(checkSetting(name, text)).toEqual({ value });
  });

  it.each([
    ['brand', 'Acme', 'the brand may hold lower-case letters, digits and hyphens only'],
    ['model', 'two words', 'the model must be an id without spaces, as in vendor/model'],
    ['first_byte_timeout', 'soon', 'a timeout must be a length of time, as in 30s or 5m'],
    ['idle_timeout', '0', 'a timeout must be a length of time, as in 30s or 5m'],
    ['low_balance', '-1', 'the low balance must be an amount in RUB of at least 0'],
  ] as const)('%s refuses %j', (name, text, problem) => {
    expect(checkSetting(name, text)).toEqual({ problem });
  });
});

it('a profile name keeps clear of what an object already has', () => {
  expect(checkProfileName('work.2_eu-1')).toEqual({ value: 'work.2_eu-1' });
  for (const name of ['', '__proto__', '-x', 'a b', 'ü', 'x'.repeat(65)]) {
    expect([name, 'problem' in checkProfileName(name)]).toEqual([name, true]);
  }
});
