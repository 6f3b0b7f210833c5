/** What is known of each custom_id, in few bytes: a batch may have millions. */

/** `failed`: for good, as its errors file says. A higher state replaces a lower one. */
export const states = { new: 0, sent: 1, failed: 2, done: 3 } as const;
export type State = keyof typeof states;
const stateNames = ['new', 'sent', 'failed', 'done'] as const;

/** Found by 64 bits of a hash: two of a million ids share them once in 37 million batches. */
export class IdTable {
  #capacity = 1024;
  /** 0 where the place is free. */
  #high = new Uint32Array(this.#capacity);
  #low = new Uint32Array(this.#capacity);
  #body = new Uint32Array(this.#capacity);
  #line = new Uint32Array(this.#capacity);
  #state = new Uint8Array(this.#capacity);
  size = 0;

  /** The place of an id, given as the bytes of its JSON string; it is added where it is new. */
  place(bytes: Uint8Array, from = 0, to = bytes.length): number {
    this.reserve(this.size + 1);
    const [high, low] = hash64(bytes, from, to);
    const at = this.#find(high, low);
    if (this.#high[at] === 0) {
      this.#high[at] = high;
      this.#low[at] = low;
      this.size += 1;
    }
    return at;
  }

  placeOf(id: string): number {
    return this.place(Buffer.from(JSON.stringify(id)));
  }

  /** Makes room at once: step by step, tables of several sizes would fill the memory. */
  reserve(size: number): void {
    let capacity = this.#capacity;
    while (size * 2 > capacity) capacity *= 2;
    if (capacity > this.#capacity) this.#grow(capacity);
  }

  state(at: number): State {
    return stateNames[this.#state[at] ?? 0] ?? 'new';
  }

  setState(at: number, state: State): void {
    this.#state[at] = states[state];
  }

  /** 32 bits of the hash of its body; 0 where it was never sent. */
  body(at: number): number {
    return this.#body[at] ?? 0;
  }

  setBody(at: number, hash: number): void {
    this.#body[at] = hash;
  }

  /** Its line in the input; 0 where it has not been seen there. */
  line(at: number): number {
    return this.#line[at] ?? 0;
  }

  setLine(at: number, line: number): void {
    this.#line[at] = line;
  }

  /** Every place in use. */
  *places(): Generator<number, void, undefined> {
    for (let at = 0; at < this.#capacity; at += 1) if (this.#high[at] !== 0) yield at;
  }

  #find(high: number, low: number): number {
    let at = low & (this.#capacity - 1);
    while (this.#high[at] !== 0 && (this.#high[at] !== high || this.#low[at] !== low)) {
      at = (at + 1) & (this.#capacity - 1);
    }
    return at;
  }

  #grow(capacity: number): void {
    const [high, low, body] = [this.#high, this.#low, this.#body];
    const [line, state] = [this.#line, this.#state];
    this.#capacity = capacity;
    this.#high = new Uint32Array(this.#capacity);
    this.#low = new Uint32Array(this.#capacity);
    this.#body = new Uint32Array(this.#capacity);
    this.#line = new Uint32Array(this.#capacity);
    this.#state = new Uint8Array(this.#capacity);
    for (let from = 0; from < high.length; from += 1) {
      if (high[from] === 0) continue;
      const to = this.#find(high[from] ?? 0, low[from] ?? 0);
      this.#high[to] = high[from] ?? 0;
      this.#low[to] = low[from] ?? 0;
      this.#body[to] = body[from] ?? 0;
      this.#line[to] = line[from] ?? 0;
      this.#state[to] = state[from] ?? 0;
    }
  }
}

/** Two 32-bit hashes of the bytes, each in the manner of MurmurHash3. */
export function hash64(bytes: Uint8Array, from = 0, to = bytes.length): [number, number] {
  let [high, low] = [0x9747b28c, 0x3c6ef372];
  for (let at = from; at < to; at += 1) {
    const byte = (bytes[at] ?? 0) + 1;
    high = Math.imul(high ^ byte, 0xcc9e2d51);
    high = (high << 15) | (high >>> 17);
    low = Math.imul(low ^ byte, 0x85ebca6b);
    low = (low << 13) | (low >>> 19);
  }
  return [mixed(high ^ (to - from)) || 1, mixed(low ^ (to - from))];
}

function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
