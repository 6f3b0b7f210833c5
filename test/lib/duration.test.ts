import { expect, test } from 'vitest';
import { durationText, durationWords, parseDuration } from '../../src/lib/duration.js';

test.each([
  ['30', 30_000],
  ['30s', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['250ms', 250],
  ['1.5h', 5_400_000],
  ['0.5s', 500],
  [' 3s ', 3000],
  ['007', 7000],
  ['24.8h', 89_280_000],
])('%s is %d ms', (text, durationMs) => {
  expect(parseDuration(text)).toBe(durationMs);
});

test.each([
  '',
  ' ',
  's',
  '0',
  '0ms',
  '-1',
  '+1',
  '1e3',
  '1.',
  '.5',
  '1,5',
  '5 m',
  '5M',
  '5min',
  '1d',
  '1h30m',
  'NaN',
  'Infinity',
  '0x10',
  '٣',
  '25d',
  '600h',
  '2147483648ms',
  '9'.repeat(400),
])('%j is no time that can be waited for', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test('the longest time is what a timer can hold', () => {
  expect(parseDuration('2147483647ms')).toBe(2 ** 31 - 1);
});

test.each([
  [250, '250ms', '250 ms'],
  [1500, '1500ms', '1.5 s'],
  [10_000, '10s', '10 s'],
  [60_000, '60s', '60 s'],
  [600_000, '10m', '600 s'],
])('%j ms is %s to a command line, and %s to people', (ms, text, words) => {
  expect(durationText(ms)).toBe(text);
  expect(parseDuration(text)).toBe(ms);
  expect(durationWords(ms)).toBe(words);
});

test.each([
  [7_199_000, '7199 s'],
  [7_200_000, '2 h'],
  [172_799_000, '48 h'],
  [172_800_000, '2 days'],
  [2_300_954_091_100, '26631 days'],
])('%j ms is %s to people', (ms, words) => {
  expect(durationWords(ms)).toBe(words);
});
