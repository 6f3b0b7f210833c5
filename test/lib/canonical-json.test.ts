import { expect, it } from 'vitest';
import { canonicalJson } from '../../src/lib/canonical-json.js';

it('writes equal values as equal texts, whatever the order of their fields', () => {
  const one = canonicalJson({ b: [{ y: 1, x: null }], a: 'é', u: undefined });
  expect(one).toBe(canonicalJson({ a: 'é', b: [{ x: null, y: 1 }] }));
  expect(one).not.toBe(canonicalJson({ a: 'é', b: [{ x: null, y: 2 }] }));
  expect(canonicalJson({ l: [1, 2] })).not.toBe(canonicalJson({ l: [2, 1] }));
});
