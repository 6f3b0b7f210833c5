import { describe, expect, test } from 'vitest';
import { styleFor, takesColour } from '../../src/terminal/screen.js';

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
])('%j on a terminal (%s) takes colour: %s', (env, isTerminal, colour) => {
  expect(takesColour(env, isTerminal)).toBe(colour);
  const styled = styleFor(env, isTerminal)('cyan', 'x');
  if (colour) expect(styled).toBe('\u001b[36mx\u001b[39m');
  else expect(styled).toBe('x');
});

describe('a style', () => {
  test.each([
    ['dim', 22],
    ['bold', 22],
    ['italic', 23],
    ['underline', 24],
    ['yellow', 39],
    ['cyan', 39],
  ] as const)('%s closes what it opens', (name, closer) => {
    const [open, close] = styleFor({}, true)(name, 'x').split('x');
    expect(open).toMatch(/^\u001b\[\d+m$/);
    expect(close).toBe(`\u001b[${String(closer)}m`);
    expect(styleFor({}, false)(name, 'x')).toBe('x');
  });
});
