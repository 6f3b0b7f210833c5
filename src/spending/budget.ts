/** What paid requests of all processes cost, or may cost: reserved before sending, then settled. */
import * as z from 'zod/mini';
import { Owner } from '../files/owner.js';
import { comparing, sumRub } from '../lib/amounts.js';
import { parsedJson } from '../lib/json.js';
import { calendarAt, dayMs, localMoment, timeZoneAt, type CalendarSpan } from '../lib/moment.js';
import { namesOfService, type Account } from '../state/account.js';
import { StateDatabase } from '../state/database.js';
import type { Paths } from '../state/paths.js';
import type { Settings } from '../state/settings.js';
import { isAbove, priceTooHigh, type Booking } from './purse.js';

const Id = z.object({ id: z.number() });
const Earlier = z.object({ id: z.number(), mostRub: z.number() });
const Sums = z.object({ spent: z.number(), reserved: z.number() });
const Unsettled = z.object({
  id: z.number(),
  atMs: z.number(),
  model: z.string(),
  maxRub: z.number(),
  record: z.nullable(z.string()),
  owner: z.pipe(
    z.nullable(z.string()),
    z.transform((text) => Owner.safeParse(parsedJson(text ?? '')).data),
  ),
});

/** A request whose price is not known. */
export type Unsettled = Readonly<z.output<typeof Unsettled>>;

/** What a request reserves. */
export interface BudgetRequest {
  readonly model: string;
  readonly rub: number;
  /** Its Idempotency-Key. */
  readonly key?: string | undefined;
  /** Whether the service knows keys. */
  readonly isOnce?: boolean;
  /** Its words in a refusal. */
  readonly what?: string;
  /** How it could cost less, or where the budget is shown. */
  readonly hint: string;
}

/** What counts in a day or a month: of all requests sent under a budget. */
export interface Period {
  readonly name: string;
  readonly spentRub: number;
  readonly reservedRub: number;
  /** Absent where there is no budget. */
  readonly leftRub: number | undefined;
  readonly budgetRub: number | undefined;
  readonly startsAtMs: number;
  readonly resetsAtMs: number;
}

const maxAgeMs = 62 * dayMs;
const ofAccount = 'FROM budget WHERE service IN (SELECT value FROM json_each(?)) AND keyHash = ?';

/** The budget of an account in state.db. Its methods throw LocalFileError. */
export class Budget {
  readonly #database;
  readonly #account;

  constructor(
    paths: Paths,
    private readonly owned: Account,
    private readonly limits: Pick<Settings, 'budgetDayRub' | 'budgetMonthRub'>,
  ) {
    const hint = 'free some space or fix its permissions; nothing was sent';
    this.#database = new StateDatabase(paths, 'the budget in', hint);
    this.#account = [namesOfService(owned.service), owned.keyHash] as const;
  }

  periodsAt(nowMs: number): readonly Period[] {
    const { budgetDayRub, budgetMonthRub } = this.limits;
    const calendar = calendarAt(nowMs);
    const at = (name: 'day' | 'month', budgetRub: number | undefined) => {
      const { startMs: startsAtMs, endMs: resetsAtMs } = calendar[name];
      const sums = this.#sums(name, calendar[name], nowMs);
      const leftRub = budgetRub && sumRub([budgetRub, -sums.spentRub, -sums.reservedRub]);
      return { name, ...sums, leftRub, budgetRub, startsAtMs, resetsAtMs };
    };
    return [at('day', budgetDayRub), at('month', budgetMonthRub)];
  }

  leftRub(nowMs: number): number {
    return Math.min(...this.periodsAt(nowMs).map(({ leftRub = Infinity }) => leftRub));
  }

  /** In one transaction for all processes. @throws PriceTooHigh */
  reserve(request: BudgetRequest, owner: Owner, nowMs: number): Booking {
    const { isOnce = false, key = null, model, rub } = request;
    const { service, keyHash } = this.owned;
    return this.#database.transaction(() => {
      // The same request, sent again with its key, is charged once.
      const same = `SELECT id, mostRub ${ofAccount} AND onceKey = ?`;
      const [earlier] = isOnce ? this.#database.all(Earlier, same, ...this.#account, key) : [];
      if (earlier) {
        const { id, mostRub } = earlier;
        // A program may use a key for another request, before which the first has not arrived.
        if (isAbove(rub, mostRub)) {
          this.assertFits({ ...request, rub: rub - mostRub }, nowMs);
          this.#database.run('UPDATE budget SET mostRub = ? WHERE id = ?', rub, id);
        }
        return { id, isAgain: true };
      }
      this.assertFits(request, nowMs);
      this.#database.run('DELETE FROM budget WHERE atMs < ?', nowMs - maxAgeMs);
      const add = `INSERT INTO budget
        (service, keyHash, atMs, model, mostRub, onceKey, owner, dayEndsMs, monthEndsMs)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`;
      const values = [service, keyHash, nowMs, model, rub, key, JSON.stringify(owner)];
      const { day, month } = calendarAt(nowMs);
      const [made] = this.#database.all(Id, add, ...values, day.endMs, month.endMs);
      return { id: made?.id ?? 0, isAgain: false };
    });
  }

  /** Without a price, it is still unknown, and its process is about to end. */
  settle(id: number, priceRub?: number, record?: string): void {
    const sql = `UPDATE budget SET priceRub = coalesce(?, priceRub),
      record = coalesce(?, record), owner = NULL WHERE id = ?`;
    this.#database.run(sql, priceRub ?? null, record ?? null, id);
  }

  release(id: number): void {
    this.#database.run('DELETE FROM budget WHERE id = ?', id);
  }

  /** The oldest first. */
  unsettled(): Unsettled[] {
    const find = `SELECT *, mostRub AS maxRub ${ofAccount} AND priceRub IS NULL ORDER BY atMs`;
    return this.#database.all(Unsettled, find, ...this.#account);
  }

  /** Whether the usage record belongs to another request. */
  isClaimed(record: string): boolean {
    const find = `SELECT id ${ofAccount} AND record = ?`;
    return this.#database.all(Id, find, ...this.#account, record).length > 0;
  }

  /**
   * What was sent in a period, and before it in another time zone where that day or month has not
   * ended: so no change of TZ begins a budget anew on the same day, neither there nor here.
   */
  #sums(name: 'day' | 'month', { startMs, endMs }: CalendarSpan, nowMs: number) {
    const sql = `SELECT round(total(priceRub), 6) AS spent,
      round(total(CASE WHEN priceRub IS NULL THEN mostRub END), 6) AS reserved ${ofAccount}
      AND atMs >= ? AND (atMs >= ? OR ${name}EndsMs > ?)`;
    // Zones are at most 26 h apart, so nothing else is left of an earlier period, of up to 31 days.
    const isNew = nowMs - startMs < 2 * dayMs;
    const earliestMs = isNew ? startMs - (endMs - startMs) - 4 * dayMs : startMs;
    const times = [earliestMs, startMs, nowMs];
    const [sums] = this.#database.all(Sums, sql, ...this.#account, ...times);
    return { spentRub: sums?.spent ?? 0, reservedRub: sums?.reserved ?? 0 };
  }

  /** @throws PriceTooHigh */
  assertFits({ rub, what = 'this request may cost', hint }: BudgetRequest, nowMs: number): void {
    for (const period of this.periodsAt(nowMs)) {
      const { name, leftRub = Infinity, budgetRub = 0, resetsAtMs } = period;
      if (!isAbove(rub, leftRub)) continue;
      const words = comparing(rub, Math.max(0, leftRub));
      const limit = `the ${words(Math.max(0, leftRub))} left of the ${name}'s ${words(budgetRub)}`;
      const reset = `the budget resets at ${localMoment(resetsAtMs)} ${timeZoneAt(resetsAtMs)}`;
      throw priceTooHigh(what, words(rub), limit, { code: 'budget', hint: hint + reset });
    }
  }
}
