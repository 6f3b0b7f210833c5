/** Small facts in words: sizes, sums, times, spellings. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { comparing, formatBytes, formatRub } from '../../src/lib/amounts.js';
import {
  durationText,
  durationWords,
  parseDuration,
  formatAge,
  formatElapsed,
} from '../../src/lib/duration.js';
import { nearest, shellWord } from '../../src/lib/names.js';
import { unknownModel } from '../../src/jobs/known-model.js';
import { plainText, utf8Text } from '../../src/lib/plain-text.js';

test.each([
  [0, '0 B'],
  [1000, '1.0 kB'],
  [999_600, '1.0 MB'],
  [123_456_789, '123 MB'],
  [5e15, '5000 TB'],
])('%i bytes are %s', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});

test.each([
  [0, '0.00 RUB'],
  [12.345678, '12.35 RUB'],
  [-3.456, '-3.46 RUB'],
  [999_999.99, '999,999.99 RUB'],
  [0.0123, '0.0123 RUB'],
  [0.000001, '0.000001 RUB'],
  [0.1 + 0.2, '0.30 RUB'],
  [0.9999999, '1.00 RUB'],
  // What was charged must not look like nothing.
  [0.0000004, '<0.000001 RUB'],
])('%d is %s', (amount, text) => {
  expect(formatRub(amount)).toBe(text);
});

test.each([
  [12.5, 2.4, '12.50 RUB, not 2.40 RUB'],
  [2.4, 2.399999, '2.40 RUB, not 2.399999 RUB'],
  [1000.000000002, 1000, '1,000.000000002 RUB, not 1,000.00 RUB'],
  [0.0000004, 0.0000003, '0.0000004 RUB, not 0.0000003 RUB'],
])('%d and %d are written so that they differ', (one, other, text) => {
  const rub = comparing(one, other);
  expect(`${rub(one)}, not ${rub(other)}`).toBe(text);
});

test.each([
  [-5, '0 s', '0 s'],
  [8400, '8 s', '8 s'],
  [59_500, '1:00', '59 s'],
  [65_000, '1:05', '1 min'],
  [3_729_000, '1:02:09', '1 h'],
  [86_400_000 * 6.9, '165:36:00', '6 d'],
])('%i ms are %s, and %s ago', (ms, elapsed, age) => {
  expect([formatElapsed(ms), formatAge(ms)]).toEqual([elapsed, age]);
});

test.each([
  ['30', 30_000],
  ['5m', 300_000],
  ['1.5h', 5_400_000],
  [' 3s ', 3000],
  // The longest that a timer can hold.
  ['2147483647ms', 2 ** 31 - 1],
])('%s is %d ms', (text, durationMs) => {
  expect(parseDuration(text)).toBe(durationMs);
});

test.each(['', 's', '0', '-1', '1e3', '1.', '.5', '5 m', '5M', '1d', '1h30m', '0x10', '600h'])(
  '%j is not a valid waiting time',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test.each([
  [250, '250ms', '250 ms'],
  [1500, '1500ms', '1.5 s'],
  [60_000, '60s', '60 s'],
  [600_000, '10m', '600 s'],
  [7_200_000, '2h', '2 h'],
  [172_800_000, '48h', '2 days'],
])('%j ms is %s to a command line, and %s to people', (ms, text, words) => {
  expect([durationText(ms), parseDuration(text), durationWords(ms)]).toEqual([text, ms, words]);
});

test.each([
  ['baseurl', 'base_url'],
  ['modle', 'model'],
  ['idle_timeuot', 'idle_timeout'],
  ['colour', undefined],
  ['ОТЧЁТ', 'отчет'],
  ['отче\u0308т', 'отчет'],
])('takes %s to mean %s', (word, meant) => {
  expect(nearest(word, ['base_url', 'model', 'idle_timeout', 'отчет'])).toBe(meant);
});

test.each(['x', '-x', '--key'])('takes %s to mean nothing that is as far as it is long', (word) => {
  expect(nearest(word, ['n', '-n', '--yes'])).toBeUndefined();
});

test.each(['plain', 'a/b.c:d@e-f', '', "it's", '$(id) `id` "x" \\ * ~ !', '-n', 'a\nb', 'ы 漢'])(
  '%j is one word to a shell',
  (text) => {
    const printed = execFileSync('/bin/sh', ['-c', `printf '%s' ${shellWord(text)}`]);
    expect(printed.toString()).toBe(text);
  },
);

test.each([
  ['a\u001b[31mred\u0007\r\n\tb\u009b0m\u202etxet\u2028c', 'a [31mred b 0m txet c'],
  // Marks of direction take no room.
  ['a\u200fb\u061cc\u200ed', 'abcd'],
  ['🌍'.repeat(30), `${'🌍'.repeat(24)}…`],
  [' \n\u0000 ', ''],
])('%j is one line without terminal controls', (text, line) => {
  expect(plainText(text, 25)).toBe(line);
});

test('bytes are text where they are UTF-8, with their first mark where it is asked for', () => {
  expect(utf8Text(Buffer.from('Привет 🌍\n\0'))).toBe('Привет 🌍\n\0');
  expect(utf8Text(Buffer.from('\ufeffa\ufeff'))).toBe('a\ufeff');
  expect(utf8Text(Buffer.from('\ufeffa'), { keepsMark: true })).toBe('\ufeffa');
  expect(utf8Text(Buffer.from('caf\xe9', 'latin1'))).toBeUndefined();
  expect(utf8Text(Buffer.from('🌍').subarray(0, 2))).toBeUndefined();
});

test.each([
  ['vendor/model-27x', 'vendor/model-27, vendor/model-270 or vendor/model-271'],
  ['modle-7', 'model-7, model-0 or model-1'],
  ['LLO', 'vendor/llo-1'],
  ['MODEL-29', 'model-29'],
])('among hundreds of models, %s is told by the nearest three', (model, meant) => {
  const names = Array.from({ length: 300 }, (_, index) => `vendor/model-${index}`);
  names.push('vendor/llo-1');
  expect(unknownModel(model, names).message).toBe(
    `no model is called "${model}"; did you mean ${meant}?`,
  );
});
