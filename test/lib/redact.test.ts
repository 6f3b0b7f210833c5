import { beforeEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { forgetSecrets, jsonWithoutSecrets, redact, rememberSecret } from '../../src/lib/redact.js';

beforeEach(forgetSecrets);

test.each([
  ['sk-svc-abc123', '[key]'],
  ['the key sk-svc-abc_DEF-123 is wrong', 'the key [key] is wrong'],
  ['{"key":"sk-proj-a-b-c","n":1}', '{"key":"[key]","n":1}'],
  ['Authorization: Bearer abc123.def', 'Authorization: Bearer [key]'],
  ['authorization: bearer  abc123', 'authorization: bearer  [key]'],
  ['/api/media/file/j1/0?sig=abc123', '/api/media/file/j1/0?sig=[sig]'],
  ['https://h/f?sig=abc#top', 'https://h/f?sig=[sig]#top'],
  ['https://h/f?a=1&amp;sig=abc&amp;b=2', 'https://h/f?a=1&amp;sig=[sig]&amp;b=2'],
  ['"https://h/f?a=1\\u0026sig=abc\\u0026b=2"', '"https://h/f?a=1\\u0026sig=[sig]\\u0026b=2"'],
])('a secret is removed: %s', (text, clean) => {
  expect(redact(text)).toBe(clean);
});

test.each([
  ...['task-a-b', 'sk-', 'sk-svc', 'disk-full-error', '?design=abc', 'signed=1'],
  'missing bearer token in the Authorization header',
  'Bearer authentication is required.',
  'the bearer of this letter',
])('what is not a secret stays: %s', (text) => {
  expect(redact(text)).toBe(text);
});

describe('a secret that is remembered', () => {
  test('goes wherever it stands', () => {
    rememberSecret('hunter22');
    expect(redact('a hunter22b hunter22')).toBe('a [key]b [key]');
    expect(redact('hunter21')).toBe('hunter21');
  });

  test('goes whole, also when another is its beginning', () => {
    rememberSecret('hunter22');
    rememberSecret('hunter22-and-more');
    rememberSecret('hunter22');
    expect(redact('hunter22-and-more hunter22')).toBe('[key] [key]');
  });

  test('is too short to be one when it has fewer than six characters', () => {
    rememberSecret('');
    rememberSecret('hello');
    expect(redact('hello')).toBe('hello');
  });
});

test.each([
  ['{"a":"Bearer \\"abc123\\" sk-svc-abc sig=abc","n":1.10}', undefined],
  [
    '{"hunter22":["a hunter22"], "n":9007199254740993}',
    '{"[key]":["a [key]"], "n":9007199254740993}',
  ],
  ['{"a":"\\u0068unter22\\n","b":"\\u0041"}', '{"a":"[key]\\n","b":"\\u0041"}'],
])('in a result only a known secret goes: %s', (json, expected = json) => {
  rememberSecret('hunter22');
  expect(jsonWithoutSecrets(json)).toBe(expected);
});

test('no secret reaches the message or the hint of an error', () => {
  rememberSecret('hunter22');
  const error = new UsageError('no hunter22', { hint: 'not sk-svc-abc', cause: 'hunter22' });
  expect(error.message).toBe('no [key]');
  expect(error.hint).toBe('not [key]');
});
