import { describe, expect, test } from 'vitest';
import { GrowingBytes, GrowingText } from '../../src/lib/growing.js';

describe('a growing text', () => {
  test('is all of its pieces, whenever it is asked for', () => {
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
});

test('growing bytes are copies of their pieces, of whatever length', () => {
  const bytes = new GrowingBytes();
  const pieces = [1, 65_535, 0, 65_536, 200_000, 3].map((length, nth) =>
    Buffer.alloc(length, nth + 1),
  );
  for (const piece of pieces) bytes.add(piece);
  const expected = Buffer.concat(pieces);
  for (const piece of pieces) piece.fill(0);
  expect(bytes.length).toBe(expected.length);
  expect(bytes.toBuffer().equals(expected)).toBe(true);
});
