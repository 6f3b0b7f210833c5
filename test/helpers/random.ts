/** Randomness that is the same on every run. */
export interface Random {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
}

/** @param seed a whole number; each seed is another sequence (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  return { below, pick: (items) => items[below(items.length)] ?? items[0] };
}

/** Cuts bytes into pieces of up to `most` bytes, empty ones among them. */
export function cutAnywhere(bytes: Uint8Array, random: Random, most: number): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = Math.min(bytes.length, at + random.below(most + 1));
    pieces.push(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
  return pieces;
}

/** Every byte alone. */
export function cutToBytes(bytes: Uint8Array): Buffer[] {
  return Array.from(bytes, (byte) => Buffer.from([byte]));
}
