import { expect, test } from 'vitest';
import { utf8Text } from '../../src/lib/plain-text.js';

test.each(['', 'plain', 'Привет 🌍\n', 'a\0b'])('%j is text', (text) => {
  expect(utf8Text(Buffer.from(text))).toBe(text);
});

test('a byte order mark at the start is kept where it is asked for, and one further on always', () => {
  const bytes = Buffer.from('\ufeffa\ufeff');
  expect(utf8Text(bytes)).toBe('a\ufeff');
  expect(utf8Text(bytes, { keepsMark: true })).toBe('\ufeffa\ufeff');
});

test.each([
  ['Latin-1', Buffer.from('caf\xe9', 'latin1')],
  ['half a character', Buffer.from('🌍').subarray(0, 2)],
  ['UTF-16 with its mark', Buffer.from('\ufefftext', 'utf16le')],
])('%s is none', (_, bytes) => {
  expect(utf8Text(bytes)).toBeUndefined();
});
