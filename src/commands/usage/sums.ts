/** Usage records added up by day or by model: memory for the sums alone. */
import type { UsageRecord } from '../../api/billing.js';
import { dayOf } from '../../lib/moment.js';

export interface Sum {
  readonly priceRub: number;
  /** Records that give money back are no calls. */
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export type Grouping = 'day' | 'model';

const nothing: Sum = { priceRub: 0, calls: 0, promptTokens: 0, completionTokens: 0 };

/** What a record without a time, or without a model, is counted under. */
export const unnamed = 'unknown';

const dayMs = 86_400_000;
const mostDays = 4000;

export class Sums {
  readonly #groups = new Map<string, Sum>();
  #total = nothing;

  constructor(private readonly by: Grouping) {}

  add(records: readonly UsageRecord[]): void {
    for (const record of records) {
      const name = this.by === 'day' ? dayIn(record) : (record.model ?? unnamed);
      this.#groups.set(name, plus(this.#groups.get(name) ?? nothing, record));
      this.#total = plus(this.#total, record);
    }
  }

  get total(): Sum {
    return rounded(this.#total);
  }

  /** By cost, the dearest first. */
  get byCost(): [string, Sum][] {
    return [...this.#groups]
      .map(([name, sum]): [string, Sum] => [name, rounded(sum)])
      .sort(([, one], [, other]) => other.priceRub - one.priceRub || other.calls - one.calls);
  }

  /**
   * Every day from the first with a record to `lastMs`: one without any says something too, but
   * where that would be years of them.
   */
  days(lastMs: number): [string, Sum][] {
    const named = [...this.#groups.keys()].filter((name) => name !== unnamed).sort();
    const lastNamed = named.at(-1) ?? '';
    const last = [dayOf(lastMs), lastNamed].sort().at(-1) ?? '';
    const days = daysBetween(named[0] ?? '', last) ?? named;
    const odd = this.#groups.has(unnamed) ? [unnamed] : [];
    return [...days, ...odd].map((day) => [day, rounded(this.#groups.get(day) ?? nothing)]);
  }
}

function plus(sum: Sum, record: UsageRecord): Sum {
  const priceRub = record.priceRub ?? 0;
  return {
    priceRub: sum.priceRub + priceRub,
    calls: sum.calls + (priceRub < 0 ? 0 : 1),
    promptTokens: sum.promptTokens + (record.promptTokens ?? 0),
    completionTokens: sum.completionTokens + (record.completionTokens ?? 0),
  };
}

/** Adding thousands of prices leaves crumbs far behind the point. */
function rounded(sum: Sum): Sum {
  return { ...sum, priceRub: Math.round(sum.priceRub * 1e9) / 1e9 };
}

function dayIn({ createdAt }: UsageRecord): string {
  const ms = Date.parse(createdAt ?? '');
  const day = Number.isNaN(ms) ? unnamed : dayOf(ms);
  // Years of other than four digits are no days that can be written, or put in order.
  return /^\d{4}-\d\d-\d\d$/.test(day) ? day : unnamed;
}

/** Undefined when there are more than anybody looks at. */
function daysBetween(first: string, last: string): string[] | undefined {
  const [firstMs, lastMs] = [first, last].map((day) => Date.parse(`${day}T00:00:00Z`));
  if (firstMs === undefined || lastMs === undefined) return undefined;
  const count = (lastMs - firstMs) / dayMs + 1;
  if (!(count <= mostDays)) return undefined;
  return Array.from({ length: count }, (_unused, nth) => dayOf(firstMs + nth * dayMs));
}
