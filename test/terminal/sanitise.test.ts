import { describe, expect, test } from 'vitest';
import { sanitise, sanitiseJson } from '../../src/terminal/screen.js';
import { attacks, liveIn } from './screens.js';

describe.each(attacks)('%s', (_, text) => {
  test('leaves nothing live', () => {
    expect(liveIn(text)).not.toEqual([]);
    expect(liveIn(sanitise(text))).toEqual([]);
  });

  test('leaves nothing live when it comes in two pieces, cut anywhere', () => {
    for (let at = 0; at <= text.length; at++) {
      const shown = sanitise(text.slice(0, at)) + sanitise(text.slice(at));
      expect(liveIn(shown)).toEqual([]);
      expect(shown).toBe(sanitise(text));
    }
  });

  test('comes through JSON unchanged, and harmless', () => {
    for (const value of [text, { [text]: [text] }]) {
      for (const indent of [undefined, 2]) {
        const json = sanitiseJson(JSON.stringify(value, undefined, indent));
        expect(liveIn(json)).toEqual([]);
        expect(JSON.parse(json)).toEqual(value);
      }
    }
  });
});

test('no character of any plane is live once it is shown', () => {
  for (let plane = 0; plane < 17; plane++) {
    const codes = Array.from({ length: 0x10000 }, (_, low) => plane * 0x10000 + low);
    const all = codes.map((code) => String.fromCodePoint(code)).join('');
    expect(liveIn(sanitise(all))).toEqual([]);
    expect(liveIn(sanitiseJson(JSON.stringify(all)))).toEqual([]);
    expect(JSON.parse(sanitiseJson(JSON.stringify(all)))).toBe(all);
  }
});

test.each([
  'plain ASCII, with\ttabs\nand lines\n',
  'Привет, мир — «кавычки»',
  'שלום مرحبا हिन्दी 日本語 한국어',
  'e\u0301 👩‍👩‍👧‍👦 🏳️‍🌈 \u00a0\u00ad\u200b\u200d\u2028\u2029\ufeff',
  '\ud83c',
  '',
])('harmless text stays as it is: %j', (text) => {
  expect(sanitise(text)).toBe(text);
  expect(sanitiseJson(text)).toBe(text);
});

test.each([
  ['\u001b[31m', '␛[31m'],
  ['\u0000\u0007\u0008', '␀␇␈'],
  ['\u007f', '␡'],
  ['a\r\nb\rc', 'a\nbc'],
  ['\u009b31m', '\ufffd31m'],
  ['\u202eabc\u202c', 'abc'],
])('%j is shown as %j', (text, shown) => {
  expect(sanitise(text)).toBe(shown);
});
