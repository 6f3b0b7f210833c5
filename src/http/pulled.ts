/** The body of an answer for who asks for each piece; between two of them the service waits. */
import type { HttpResponse } from './types.js';

type Next = IteratorResult<Buffer, undefined>;

interface Asked {
  readonly resolve: (next: Next | Promise<Next>) => void;
}

/** Nothing is read before it is asked for, and nothing is kept: a piece is valid until the next. */
export class PulledBody implements AsyncIterableIterator<Buffer, undefined> {
  #asked: Asked | undefined;
  /** Lets the body go on after a piece; undefined before the first one. */
  #goOn: (() => void) | undefined;
  #isOver = false;
  #failure: unknown;

  constructor(private readonly response: Pick<HttpResponse, 'pipe' | 'discard'>) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @throws BodyCut, once */
  next(): Promise<Next> {
    if (this.#isOver) return this.#last();
    return new Promise((resolve) => {
      this.#asked = { resolve };
      if (this.#goOn) this.#goOn();
      else this.#start();
    });
  }

  /** Gives the rest up, and frees the connection. */
  return(): Promise<Next> {
    this.#end();
    this.response.discard();
    return this.#last();
  }

  #start(): void {
    const take = (piece: Buffer) =>
      new Promise<void>((resolve) => {
        this.#goOn = resolve;
        this.#answer({ done: false, value: piece });
      });
    this.response.pipe(take).then(
      () => this.#end(),
      (error: unknown) => this.#end(error),
    );
  }

  #end(error?: unknown): void {
    if (!this.#isOver) this.#failure = error;
    this.#isOver = true;
    if (this.#asked) this.#answer(this.#last());
    this.#goOn?.();
  }

  #answer(next: Next | Promise<Next>): void {
    this.#asked?.resolve(next);
    this.#asked = undefined;
  }

  #last(): Promise<Next> {
    const error = this.#failure;
    this.#failure = undefined;
    if (error === undefined) return Promise.resolve({ done: true, value: undefined });
    return Promise.reject(error instanceof Error ? error : new Error('the body broke off'));
  }
}
