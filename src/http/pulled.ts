/** The body of an answer for who asks for each piece; between two of them the service waits. */
import type { HttpResponse } from './types.js';

type Next = IteratorResult<Buffer, undefined>;

const done: Next = { done: true, value: undefined };

/** Nothing is read before it is asked for, and nothing is kept: a piece is valid until the next. */
export class PulledBody implements AsyncIterableIterator<Buffer, undefined> {
  /** Answers who waits for the next piece. */
  #answer: ((next: Next | Promise<Next>) => void) | undefined;
  /** Lets the body go on after a piece; undefined before the first one. */
  #goOn: (() => void) | undefined;
  /** What is next when no piece is: the end, or once why there is no more. */
  #last: Promise<Next> | undefined;

  constructor(private readonly response: Pick<HttpResponse, 'pipe' | 'discard'>) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @throws BodyCut, once */
  next(): Promise<Next> {
    const last = this.#last;
    if (last) {
      this.#last = Promise.resolve(done);
      return last;
    }
    return new Promise((resolve) => {
      this.#answer = resolve;
      if (this.#goOn) this.#goOn();
      else this.#start();
    });
  }

  /** Gives the rest up, and frees the connection. */
  return(): Promise<Next> {
    this.#end(Promise.resolve(done));
    this.response.discard();
    return this.next();
  }

  #start(): void {
    const take = (piece: Buffer) =>
      new Promise<void>((resolve) => {
        this.#goOn = resolve;
        this.#give({ done: false, value: piece });
      });
    const last = this.response.pipe(take).then(() => done);
    const end = () => this.#end(last);
    last.then(end, end);
  }

  #end(last: Promise<Next>): void {
    this.#last ??= last;
    if (this.#answer) this.#give(this.next());
    this.#goOn?.();
  }

  #give(next: Next | Promise<Next>): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(next);
  }
}
