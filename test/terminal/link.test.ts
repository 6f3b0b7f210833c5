import { describe, expect, it } from 'vitest';
import { hyperlink, linkTarget, takesLinks } from '../../src/terminal/screen.js';

describe('linkTarget', () => {
  it.each([
    ['https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
    ['https://пример.рф/путь', 'https://xn--e1afmkfd.xn--p1ai/%D0%BF%D1%83%D1%82%D1%8C'],
    ['https://example.com/\u001b]8;;evil', 'https://example.com/%1B]8;;evil'],
  ])('makes %j safe to put behind a link', (url, target) => {
    expect(linkTarget(url)).toBe(target);
  });

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'https://bank.com@evil.example/',
    `https://example.com/${'a'.repeat(3000)}`,
    '',
  ])('makes none of %.40j', (url) => {
    expect(linkTarget(url)).toBeUndefined();
  });
});

it('a link is closed again', () => {
  expect(hyperlink('text', 'https://a.b/')).toBe(
    '\u001b]8;;https://a.b/\u001b\\text\u001b]8;;\u001b\\',
  );
});

describe('takesLinks', () => {
  it.each([
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
  ])('%j: %s', (env, taken) => {
    expect(takesLinks(env, true)).toBe(taken);
  });

  it('never where there is no terminal', () => {
    expect(takesLinks({ FORCE_HYPERLINK: '1' }, false)).toBe(false);
  });
});
