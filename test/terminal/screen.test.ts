import { describe, expect, test } from 'vitest';
import {
  hyperlink,
  linkTarget,
  sanitise,
  sanitiseJson,
  styleFor,
  takesColour,
  takesLinks,
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
  ])('with %j takes links: %s; a pipe never does', (env, taken) => {
    expect(takesLinks(env, true)).toBe(taken);
    expect(takesLinks(env, false)).toBe(false);
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
