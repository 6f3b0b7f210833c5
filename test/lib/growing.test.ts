import { expect, test } from 'vitest';
import { GrowingBytes, GrowingText } from '../../src/lib/growing.js';

test('a growing text is all of its pieces, whenever it is asked for', () => {
  const text = new GrowingText();
  let expected = '';
  for (let nth = 0; nth < 30_000; nth += 1) {
    const piece = nth % 7_000 === 0 ? 'long'.repeat(5_000) : `${nth}ä`;
    text.add(piece);
    expected += piece;
    if (nth % 9_000 === 0) expect(text.toString()).toBe(expected);
  }
  expect(text.length).toBe(expected.length);
  expect(text.take()).toBe(expected);
  expect([text.length, text.take()]).toEqual([0, '']);
});

test('growing bytes are their pieces in order, and copy those that hold a larger buffer', () => {
  const bytes = new GrowingBytes();
  const large = Buffer.alloc(600_000, 9);
  const lengths = [1, 65_535, 0, 65_536, 3, 100_000, 70_000, 200_000, 3];
  const pieces = lengths.map((length, nth) =>
    nth % 2 === 0 ? Buffer.alloc(length, nth + 1) : large.subarray(nth, nth + length),
  );
  const expected = Buffer.concat(pieces);
  for (const piece of pieces) bytes.add(piece);
  large.fill(0);
  expect(bytes.length).toBe(expected.length);
  expect(bytes.toBuffer().equals(expected)).toBe(true);
});
