import { describe, expect, it } from 'vitest';
import { cosine, vectorFromBase64, vectorJson, vectorToBase64 } from '../../src/lib/vectors.js';

describe('a vector in base64', () => {
  it('is read and written as 32-bit floats, the lowest byte first', () => {
    const base64 = Buffer.from([0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0]).toString('base64');
    expect(vectorFromBase64(base64)).toEqual(new Float32Array([1, -2.5]));
    expect(vectorToBase64([1, -2.5])).toBe(base64);
  });

  it.each(['', 'AAA', '!!!!', 'AAAAAAA=', 'AAAA AAA', 'A'.repeat(17)])('is not %j', (text) => {
    expect(vectorFromBase64(text)).toBeUndefined();
  });
});

describe('a vector as JSON', () => {
  it('keeps doubles as they are', () => {
    expect(vectorJson([0.1, -1e-9, 3])).toBe('[0.1,-1e-9,3]');
  });

  it('has no digits beyond those of a 32-bit float', () => {
    expect(vectorJson(new Float32Array([0.1, 1 / 3, 16777217, 1e-20]))).toBe(
      '[0.1,0.33333334,16777216,1e-20]',
    );
  });
});

it.each([
  [[1, 0], [2, 0], 1],
  [[1, 0], [0, 5], 0],
  [[0, 0], [1, 1], 0],
  [[1, 1], [1, 0], Math.SQRT1_2],
])('cosine of %j and %j is %d', (one, other, value) => {
  expect(cosine(one, other)).toBeCloseTo(value, 12);
});
