/** The limits of each model of a batch, of which the next run knows what this one has learned. */
import { Limits, type Learnt, type LimitOptions } from './limits.js';
import type { BatchRequest } from './request.js';

/** Where a run leaves what it has learned, by model. */
interface LearntLimits {
  read(): Record<string, Learnt> | undefined;
  keep(learnt: Record<string, Learnt>): void;
}

export class ModelLimits {
  readonly #byModel = new Map<string, Limits>();
  readonly #learnt: Readonly<Record<string, Learnt>>;

  constructor(
    private readonly cache: LearntLimits,
    private readonly options: Omit<LimitOptions, 'learnt'>,
  ) {
    this.#learnt = cache.read() ?? {};
  }

  of({ model, row }: BatchRequest): Limits {
    const name = model ?? row.path;
    const known = this.#byModel.get(name);
    if (known) return known;
    const limits = new Limits({ ...this.options, learnt: this.#learnt[name] });
    this.#byModel.set(name, limits);
    return limits;
  }

  keep(): void {
    const saved = this.cache.read() ?? {};
    for (const [name, { learnt }] of this.#byModel) if (learnt) saved[name] = learnt;
    if (Object.keys(saved).length > 0) this.cache.keep(saved);
  }
}
