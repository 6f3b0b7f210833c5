import { describe, expect, test } from 'vitest';
import {
  hyperlink,
  linkTarget,
  sanitise,
  sanitiseJson,
  styleFor,
  takesColour,
  takesLinks,
  withReadableAddresses,
} from '../../src/terminal/screen.js';
import { attacks, liveIn } from './screens.js';

test.each(attacks)('%s leaves no active control, cut anywhere, and as JSON is equal', (_, text) => {
  expect(liveIn(text)).not.toEqual([]);
  for (let at = 0; at <= text.length; at++) {
    const shown = sanitise(text.slice(0, at)) + sanitise(text.slice(at));
    expect(liveIn(shown)).toEqual([]);
    expect(shown).toBe(sanitise(text));
  }
  for (const indent of [undefined, 2]) {
    const json = sanitiseJson(JSON.stringify({ [text]: [text] }, undefined, indent));
    expect(liveIn(json)).toEqual([]);
    expect(JSON.parse(json)).toEqual({ [text]: [text] });
  }
});

test('no character of any plane is active once it is shown', () => {
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

test.each([
  ['https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
  ['https://пример.рф/путь', 'https://xn--e1afmkfd.xn--p1ai/%D0%BF%D1%83%D1%82%D1%8C'],
  ['https://example.com/\u001b]8;;evil', 'https://example.com/%1B]8;;evil'],
  ['javascript:alert(1)', undefined],
  ['file:///etc/passwd', undefined],
  ['data:text/html,x', undefined],
  ['https://bank.com@evil.example/', undefined],
  [`https://example.com/${'a'.repeat(3000)}`, undefined],
  ['', undefined],
])('%.40j is made safe to put behind a link, or is no target', (url, target) => {
  expect(linkTarget(url)).toBe(target);
});

test.each<readonly [text: string, shown: string]>([
  ['see https://a.b/%d1%91?q=%E6%9D%B1#%C3%A9, %D0%9C', 'see https://a.b/ё?q=東#é, %D0%9C'],
  ['https://a.b/%E0%A4%B9%E0%A4%BF', 'https://a.b/हि'],
  // The host stays as it came, and what is before it.
  ['https://%D0%B1@xn--e1afmkfd.xn--p1ai/%D0%BF', 'https://%D0%B1@xn--e1afmkfd.xn--p1ai/п'],
  ...[
    ...[
      '%20%2F%25%23%3F%22%28%29%41%00%1B',
      '%25D0%259C',
      '%E2%80%AE',
      '%C2%A0',
      '%C2%9B',
      '%CC%81',
    ],
    // Not UTF-8: cut, overlong, half a pair, above the last plane, another encoding.
    ...['%D0', '%D0%', '%9C', '%D0%9C%9C', '%C0%AF', '%ED%A0%80', '%F5%80%80%80', '%CC%EE'],
  ].map((path): [string, string] => [`https://a.b/${path}`, `https://a.b/${path}`]),
])('%s is shown as %s', (text, shown) => {
  expect(withReadableAddresses(text)).toBe(shown);
});

test('every character that is shown decoded is a letter, is visible, and comes back to the same bytes', () => {
  // Letters stand in the first four planes; the fifteenth has tags, which are invisible.
  const codes = Array.from({ length: 0x34000 }, (_, code) =>
    code < 0x33000 ? code : code + 0xad000,
  );
  const all = codes.map((code) => String.fromCodePoint(code));
  const paths = all.filter((one) => /[^\0-\x7f\p{Cs}]/u.test(one)).map(encodeURIComponent);
  const encoded = `https://a.b/x${paths.join('/x')}`;
  const shown = withReadableAddresses(encoded);
  expect(new URL(shown).href).toBe(encoded);
  expect(sanitise(shown)).toBe(shown);
  const letters = shown.split('/').flatMap((one) => /^x([^%]+)$/.exec(one)?.[1] ?? []);
  expect(letters.length).toBeGreaterThan(130_000);
  expect(letters.join('')).toMatch(/^[\p{L}\p{M}\p{N}]+$/u);
  expect(letters.join('')).not.toMatch(
    /[\p{Default_Ignorable_Code_Point}\p{Script=Hebrew}\p{Script=Arabic}]/u,
  );
});

test('a link is closed again', () => {
  expect(hyperlink('text', 'https://a.b/')).toBe(
    '\u001b]8;;https://a.b/\u001b\\text\u001b]8;;\u001b\\',
  );
});

describe('a terminal', () => {
  test.each([
    [{ TERM_PROGRAM: 'iTerm.app' }, true],
    [{ VTE_VERSION: '6800' }, true],
    [{ VTE_VERSION: '4800' }, false],
    [{ TERM: 'xterm-kitty' }, true],
    [{ TERM: 'dumb', VTE_VERSION: '6800' }, false],
    [{ TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '3.3a', VTE_VERSION: '6800' }, false],
    [{ TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '3.4' }, true],
    [{ FORCE_HYPERLINK: '1' }, true],
    [{ FORCE_HYPERLINK: '0', VTE_VERSION: '6800' }, false],
    [{}, false],
  ])('with %j takes links: %s', (env, taken) => {
    expect(takesLinks(env)).toBe(taken);
  });

  test.each([
    [{}, true, true],
    [{}, false, false],
    [{ TERM: 'dumb' }, true, false],
    [{ NO_COLOR: '1' }, true, false],
    // no-color.org: only when it is not empty.
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '' }, false, false],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '1', TERM: 'dumb' }, true, true],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ])('with %j (%s) takes colour: %s', (env, isTerminal, colour) => {
    expect(takesColour(env, isTerminal)).toBe(colour);
    expect(styleFor(env, isTerminal)('cyan', 'x')).toBe(colour ? '\u001b[36mx\u001b[39m' : 'x');
  });
});
