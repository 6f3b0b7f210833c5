import { expect, it } from 'vitest';
import { nearest } from '../../src/lib/nearest.js';

it.each([
  ['baseurl', 'base_url'],
  ['modle', 'model'],
  ['MODEL', 'model'],
  ['idle_timeuot', 'idle_timeout'],
])('takes %s to mean %s', (word, meant) => {
  expect(nearest(word, ['base_url', 'model', 'idle_timeout'])).toBe(meant);
});

it('suggests nothing when no candidate is close', () => {
  expect(nearest('colour', ['base_url', 'model'])).toBeUndefined();
  expect(nearest('x', [])).toBeUndefined();
});
