import { beforeEach, describe, expect, test, vi } from 'vitest';

let { redact, rememberSecret } = await import('../../src/lib/redact.js');

beforeEach(async () => {
  // Secrets are remembered for the life of a process: each test has a new one.
  vi.resetModules();
  ({ redact, rememberSecret } = await import('../../src/lib/redact.js'));
});

test.each([
  ['sk-svc-abc123', '[key]'],
  ['the key sk-svc-abc_DEF-123 is wrong', 'the key [key] is wrong'],
  ['{"key":"sk-proj-a-b-c","n":1}', '{"key":"[key]","n":1}'],
])('a key goes: %s', (text, clean) => {
  expect(redact(text)).toBe(clean);
});

test.each(['task-a-b', 'sk-', 'sk-svc', 'disk-full-error'])(
  'a word that is no key stays: %s',
  (text) => {
    expect(redact(text)).toBe(text);
  },
);

test.each([
  ['Authorization: Bearer abc123.def', 'Authorization: Bearer [key]'],
  ['authorization: bearer  abc123', 'authorization: bearer  [key]'],
])('a bearer token goes: %s', (text, clean) => {
  expect(redact(text)).toBe(clean);
});

test.each([
  'missing bearer token in the Authorization header',
  'Bearer authentication is required.',
  'the bearer of this letter',
])('words about bearer tokens stay: %s', (text) => {
  expect(redact(text)).toBe(text);
});

test.each([
  ['/api/media/file/j1/0?sig=abc123', '/api/media/file/j1/0?sig=[sig]'],
  ['https://h/f?sig=abc#top', 'https://h/f?sig=[sig]#top'],
  ['https://h/f?a=1&amp;sig=abc&amp;b=2', 'https://h/f?a=1&amp;sig=[sig]&amp;b=2'],
  ['"https://h/f?a=1\\u0026sig=abc\\u0026b=2"', '"https://h/f?a=1\\u0026sig=[sig]\\u0026b=2"'],
])('the signature of a link goes: %s', (text, clean) => {
  expect(redact(text)).toBe(clean);
});

test.each(['?design=abc', 'signed=1'])('other fields stay: %s', (text) => {
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

test('no secret reaches the message or the hint of an error', async () => {
  const { UsageError } = await import('../../src/errors.js');
  rememberSecret('hunter22');
  const error = new UsageError('no hunter22', { hint: 'not sk-svc-abc', cause: 'hunter22' });
  expect(error.message).toBe('no [key]');
  expect(error.hint).toBe('not [key]');
});
