/** What is known of each custom_id, in few bytes: a batch may have millions. */

/** `failed`: for good, as its errors file says. A later state replaces an earlier one. */
const states = ['new', 'sent', 'failed', 'done'] as const;
export type State = (typeof states)[number];
const numbers: Readonly<Record<State, number>> = { new: 0, sent: 1, failed: 2, done: 3 };
/** Beside the number of a state. */
const unpriced = 4;

/** Of each place: two hashes of the id (the first is 0 where it is free), one of its body, its line. */
const width = 4;

/** Found by 64 bits of a hash: two of a million ids share them once in 37 million batches. */
export class IdTable {
  #capacity = 1024;
  #cells = new Uint32Array(this.#capacity * width);
  #states = new Uint8Array(this.#capacity);
  #size = 0;
  /** Of the last id. */
  #json = Buffer.allocUnsafeSlow(1024);

  /** The place of an id, given as the bytes of its JSON string; it is added where it is new. */
  place(bytes: Uint8Array, from = 0, to = bytes.length): number {
    this.reserve(this.#size + 1);
    const [first, second] = hashes(bytes, from, to);
    const at = this.#find(first, second);
    if (this.#cells[at * width] === 0) {
      this.#cells[at * width] = first;
      this.#cells[at * width + 1] = second;
      this.#size += 1;
    }
    return at;
  }

  placeOf(id: string): number {
    const json = JSON.stringify(id);
    // UTF-8 takes at most three bytes for each.
    if (this.#json.length < json.length * 3) this.#json = Buffer.allocUnsafeSlow(json.length * 3);
    return this.place(this.#json, 0, this.#json.write(json));
  }

  /** Makes room at once: step by step, tables of several sizes would fill the memory. */
  reserve(size: number): void {
    if (size * 2 <= this.#capacity) return;
    const [cells, oldStates] = [this.#cells, this.#states];
    while (size * 2 > this.#capacity) this.#capacity *= 2;
    this.#cells = new Uint32Array(this.#capacity * width);
    this.#states = new Uint8Array(this.#capacity);
    for (let from = 0; from < oldStates.length; from += 1) {
      const row = cells.subarray(from * width, (from + 1) * width);
      const [first = 0, second = 0] = row;
      if (first === 0) continue;
      const at = this.#find(first, second);
      this.#cells.set(row, at * width);
      this.#states[at] = oldStates[from] ?? 0;
    }
  }

  state(at: number): State {
    return states[(this.#states[at] ?? 0) & ~unpriced] ?? 'new';
  }

  setState(at: number, state: State): void {
    this.#states[at] = numbers[state];
  }

  /** Whether it has an answer whose price is not known. */
  isUnpriced(at: number): boolean {
    return ((this.#states[at] ?? 0) & unpriced) !== 0;
  }

  /** Until its next state. */
  setUnpriced(at: number): void {
    this.#states[at] = (this.#states[at] ?? 0) | unpriced;
  }

  /** 32 bits of the hash of its body; 0 where it was never sent. */
  body(at: number): number {
    return this.#cells[at * width + 2] ?? 0;
  }

  setBody(at: number, hash: number): void {
    this.#cells[at * width + 2] = hash;
  }

  /** Its line in the input; 0 where it has not been seen there. */
  line(at: number): number {
    return this.#cells[at * width + 3] ?? 0;
  }

  setLine(at: number, line: number): void {
    this.#cells[at * width + 3] = line;
  }

  /** Every place in use. */
  *places(): Generator<number, void, undefined> {
    for (let at = 0; at < this.#capacity; at += 1) if (this.#cells[at * width] !== 0) yield at;
  }

  #find(first: number, second: number): number {
    let at = first & (this.#capacity - 1);
    for (;;) {
      const cell = this.#cells[at * width];
      if (cell === 0 || (cell === first && this.#cells[at * width + 1] === second)) return at;
      at = (at + 1) & (this.#capacity - 1);
    }
  }
}

/** Two 32-bit hashes of the bytes, each in the manner of MurmurHash3. */
function hashes(bytes: Uint8Array, from: number, to: number): [number, number] {
  let [first, second] = [0x9747b28c, 0x3c6ef372];
  for (let at = from; at < to; at += 1) {
    const byte = (bytes[at] ?? 0) + 1;
    first = Math.imul(first ^ byte, 0xcc9e2d51);
    first = (first << 15) | (first >>> 17);
    second = Math.imul(second ^ byte, 0x85ebca6b);
    second = (second << 13) | (second >>> 19);
  }
  return [mixed(first ^ (to - from)) || 1, mixed(second ^ (to - from))];
}

function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
