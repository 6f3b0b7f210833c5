import { expect, test } from 'vitest';
import { imageTypeOf, textIn } from '../../src/lib/file-kind.js';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

test.each([
  ['image/png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
  ['image/jpeg', '\xff\xd8\xff\xe0\0\x10JFIF'],
  ['image/jpeg', '\xff\xd8\xff\xdb'],
  ['image/gif', 'GIF87a\x01\0'],
  ['image/gif', 'GIF89a\x01\0'],
  ['image/webp', 'RIFF\x24\0\0\0WEBPVP8 '],
])('%s is known by its first bytes', (type, head) => {
  expect(imageTypeOf(latin1(head))).toBe(type);
  expect(imageTypeOf(Buffer.concat([latin1(head), Buffer.alloc(1000)]))).toBe(type);
  // A view into a larger buffer is read from where it begins.
  expect(imageTypeOf(Buffer.concat([latin1('xx'), latin1(head)]).subarray(2))).toBe(type);
  expect(imageTypeOf(Buffer.concat([latin1('x'), latin1(head)]))).toBeUndefined();
});

test.each([
  '',
  '\x89PN',
  '\xff\xd8',
  'GIF88a',
  'RIFF\x24\0\0\0WAVEfmt ',
  'RIFF',
  '<svg/>',
  'BM',
  'text',
])('%j is no image', (head) => {
  expect(imageTypeOf(latin1(head))).toBeUndefined();
});

test.each(['', 'plain', 'Привет 🌍\n', '\u001b[31m'])('%j is text', (text) => {
  expect(textIn(Buffer.from(text))).toBe(text);
});

test('a byte order mark is no part of the text', () => {
  expect(textIn(Buffer.from('\ufeffa'))).toBe('a');
});

test.each([
  ['a NUL', latin1('a\0b')],
  ['bytes that are no UTF-8', latin1('caf\xe9')],
  ['half a character', Buffer.from('🌍').subarray(0, 2)],
  ['UTF-16', Buffer.from('text', 'utf16le')],
  ['half an emoji as UTF-8', latin1('\xed\xa0\xbc')],
])('%s is no text', (_, bytes) => {
  expect(textIn(bytes)).toBeUndefined();
});
