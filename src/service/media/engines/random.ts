/** Chance that the same words and numbers always give again. */
import { createHash } from 'node:crypto';

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** From `low` up to, not including, `high`. */
  between(low: number, high: number): number;
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
}

/** A sequence of its own for every list of parts. */
export function randomFrom(...parts: readonly (string | number)[]): Random {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  // sfc32: 128 bits of state, as many as the hash gives it here.
  let a = hash.readInt32LE(0);
  let b = hash.readInt32LE(4);
  let c = hash.readInt32LE(8);
  let counter = hash.readInt32LE(12);
  const next = () => {
    const mixed = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + mixed) | 0;
    return (mixed >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    between: (low, high) => low + (high - low) * next(),
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}
