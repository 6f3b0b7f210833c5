import { describe, expect, test } from 'vitest';
import { TextBatch } from '../../src/terminal/writer.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A reader that takes each write when it is told to. */
function slowReader() {
  const writes: string[] = [];
  const waiting: { resolve: () => void; reject: (reason: unknown) => void }[] = [];
  const batch = new TextBatch(
    (text) =>
      new Promise<void>((resolve, reject) => {
        writes.push(text);
        waiting.push({ resolve, reject });
      }),
  );
  return { batch, writes, waiting };
}

/** A reader that keeps up. */
function quickReader() {
  const writes: string[] = [];
  const batch = new TextBatch((text) => {
    writes.push(text);
  });
  return { batch, writes };
}

test('pieces at hand are written together, later ones later', async () => {
  const { batch, writes } = quickReader();
  for (const piece of ['a', 'b', 'c']) batch.add(piece);
  expect(writes).toEqual([]);
  expect(batch.pace()).toBeUndefined();
  await turn();
  expect(writes).toEqual(['abc']);
  batch.add('d');
  await turn();
  expect(writes).toEqual(['abc', 'd']);
});

test('a flush writes at once what is left, and nothing when nothing is', async () => {
  const { batch, writes } = quickReader();
  batch.add('a');
  await batch.flush();
  await batch.flush();
  await turn();
  expect(writes).toEqual(['a']);
});

test('a source that never lets others run cannot pile text up', () => {
  const { batch, writes } = quickReader();
  const piece = 'x'.repeat(1000);
  for (let count = 0; count < 10_000; count++) batch.add(piece);
  const written = writes.join('').length;
  expect(10_000_000 - written).toBeLessThan(100_000);
  expect(Math.max(...writes.map((text) => text.length))).toBeLessThan(100_000);
});

describe('a slow reader', () => {
  test('holds its source back until it has caught up', async () => {
    const { batch, waiting } = slowReader();
    batch.add('a');
    await turn();
    let paced = false;
    const pace = batch.pace();
    expect(pace).toBeInstanceOf(Promise);
    void Promise.resolve(pace).then(() => (paced = true));
    await turn();
    expect(paced).toBe(false);
    waiting[0]?.resolve();
    await turn();
    expect(paced).toBe(true);
  });
});

describe('a reader that fails', () => {
  const gone = new RangeError('gone');

  test('by rejecting fails the pace and the flush, and is not written to again', async () => {
    const { batch, writes, waiting } = slowReader();
    batch.add('a');
    await turn();
    const pace = batch.pace();
    batch.add('b');
    waiting[0]?.reject(gone);
    // Who waited goes on, and learns of it at the next step.
    await expect(pace).resolves.toBeUndefined();
    expect(() => batch.pace()).toThrow(gone);
    await expect(batch.flush()).rejects.toBe(gone);
    expect(writes).toEqual(['a']);
  });
});
