/** The budget of all processes, taken in portions by a run of many requests. */
import type { Clock } from '../lib/clock.js';
import { calendarAt } from '../lib/moment.js';
import type { OpenBudget } from './open-budget.js';

/** Each portion counts for its day, and stays reserved when the run is killed. */
export class Portions {
  #last: { readonly id: number; readonly rub: number } | undefined;
  #untilMs = Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly open: OpenBudget,
  ) {}

  get leftRub(): number {
    return this.open.budget.leftRub(this.clock.now());
  }

  /** Whether the day of the last portion has ended. */
  get isOver(): boolean {
    return this.clock.now() >= this.#untilMs;
  }

  /** @throws PriceTooHigh */
  take(rub: number, what: string, hint: string): void {
    const { budget, owner } = this.open;
    const nowMs = this.clock.now();
    // No model of a usage record has this name, so none is taken for its price.
    const { id } = budget.reserve({ model: 'svc batch run', rub, what, hint }, owner, nowMs);
    this.end(0);
    this.#untilMs = calendarAt(nowMs).day.endMs;
    this.#last = { id, rub };
  }

  /** @param unspentRub the rest of an earlier portion may be more than the last one. */
  end(unspentRub: number): void {
    const { id, rub = 0 } = this.#last ?? {};
    if (id !== undefined) this.open.budget.settle(id, rub - unspentRub);
  }
}
