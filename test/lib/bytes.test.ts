import { expect, it } from 'vitest';
import { formatBytes } from '../../src/lib/bytes.js';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [12_345_678, '12.3 MB'],
  [999_600, '1.0 MB'],
  [123_456_789, '123 MB'],
  [5e12, '5.0 TB'],
  [5e15, '5000 TB'],
])('%i bytes are %s', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});
