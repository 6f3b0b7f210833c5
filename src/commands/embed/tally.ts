/** What has been done and paid for, while many lines are turned into vectors. */
import type { Embedded } from '../../api/embeddings.js';
import { ApiError, OutcomeUnknown, SvcError } from '../../errors.js';

export class Tally {
  /** Usage records of the calls that were answered; undefined for one that named none. */
  readonly ids: (string | undefined)[] = [];
  #tokens: number | undefined = 0;
  #done: number;
  #vectors = 0;
  #dimensions = 0;
  /** Lines that were sent, and not surely refused. */
  #sent = 0;

  /**
   * @param before lines that were done or left out before this run.
   * @param startedAtMs milliseconds since the epoch.
   */
  constructor(
    before: number,
    readonly startedAtMs: number,
  ) {
    this.#done = before;
  }

  /** Lines from the start of the source that need not be done again. */
  get done(): number {
    return this.#done;
  }

  /** Vectors that this run has written. */
  get vectors(): number {
    return this.#vectors;
  }

  /** Numbers of a vector; 0 before the first. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /** Of the input; undefined when an answer did not tell. */
  get tokens(): number | undefined {
    return this.#tokens;
  }

  /** Lines that may have been charged, and of which there is no vector. */
  private get lost(): number {
    return this.#sent - this.#vectors;
  }

  /** Counts lines as sent while they are, and afterwards unless they were refused. */
  async during<Result>(lines: number, work: () => Promise<Result>): Promise<Result> {
    this.#sent += lines;
    try {
      return await work();
    } catch (error) {
      if (isRefused(error)) this.#sent -= lines;
      throw error;
    }
  }

  paid({ ids, tokens }: Embedded): void {
    this.ids.push(ids['generation-id']);
    this.#tokens =
      tokens === undefined || this.#tokens === undefined ? undefined : this.#tokens + tokens;
  }

  written(lines: number, dimensions: number): void {
    this.#done += lines;
    this.#vectors += lines;
    this.#dimensions = dimensions;
  }

  /** `12 lines are done; up to 4 more may have been charged` */
  doneWords(): string {
    const done = this.#done === 1 ? '1 line is done' : `${String(this.#done)} lines are done`;
    return this.lost === 0
      ? done
      : `${done}; up to ${String(this.lost)} more may have been charged`;
  }

  /** `12 vectors of 256 numbers`, `345 tokens` */
  words(): string[] {
    const count = `${String(this.#vectors)} ${this.#vectors === 1 ? 'vector' : 'vectors'}`;
    return [
      this.#dimensions === 0 ? count : `${count} of ${String(this.#dimensions)} numbers`,
      ...(this.#tokens === undefined ? [] : [`${String(this.#tokens)} tokens`]),
    ];
  }
}

/** Surely nothing was charged. What was interrupted may have been. */
function isRefused(error: unknown): boolean {
  if (error instanceof ApiError) return !error.outcomeUnknown;
  return error instanceof SvcError && !(error instanceof OutcomeUnknown);
}
