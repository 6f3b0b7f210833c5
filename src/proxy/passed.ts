/** An answer on its way to the program: byte for byte, with the account's key hidden. */
import type { PulledBody } from '../http/pulled.js';
import type { HiddenKey } from './hidden-key.js';

interface Passing {
  readonly pulled: PulledBody;
  readonly hidden: HiddenKey | undefined;
  /** Sees each piece after it was passed on. */
  readonly see: (piece: Buffer) => void;
  /** Called once. @param isWhole all of the body has been passed on */
  readonly end: (isWhole: boolean) => void;
}

export class PassedBody implements AsyncIterableIterator<Uint8Array, undefined> {
  #last: Buffer | undefined;
  #isOver = false;

  constructor(private readonly passing: Passing) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { pulled, hidden, see } = this.passing;
    try {
      while (!this.#isOver) {
        if (this.#last) see(this.#last);
        const next = await pulled.next();
        this.#last = next.value;
        const value =
          next.value && hidden ? hidden.piece(next.value) : (next.value ?? hidden?.rest());
        if (next.done) this.#end(true);
        if (value && value.length > 0) return { done: false, value };
      }
      return { done: true, value: undefined };
    } catch (error) {
      this.#end(false);
      throw error;
    }
  }

  /** The program has hung up. */
  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    void this.passing.pulled.return();
    this.#end(false);
    return Promise.resolve({ done: true, value: undefined });
  }

  #end(isWhole: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.passing.end(isWhole);
  }
}
