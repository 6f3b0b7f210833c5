import { expect, it } from 'vitest';
import { plainText } from '../../src/lib/plain-text.js';

it('makes one line without anything that steers a terminal', () => {
  expect(plainText('a\u001b[31mred\u0007\r\n\tb\u009b0m\u202etxet\u2028c')).toBe(
    'a [31mred b 0m txet c',
  );
});

it('leaves marks of direction out without a blank, for they take no room', () => {
  expect(plainText('a\u200fb\u061cc\u200ed', 4)).toBe('abcd');
});

it('cuts what is too long, by whole characters', () => {
  expect(plainText('🌍'.repeat(10), 5)).toBe('🌍🌍🌍🌍…');
  expect(plainText('12345', 5)).toBe('12345');
});

it('may leave nothing', () => {
  expect(plainText(' \n\u0000 ')).toBe('');
});
