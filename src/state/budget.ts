/** What paid requests of all processes cost, or may cost: reserved before sending, then settled. */
import * as z from 'zod/mini';
import { PriceTooHigh } from '../errors.js';
import { Owner } from '../files/owner.js';
import { formatRub } from '../lib/amounts.js';
import { parsedJson } from '../lib/json.js';
import { localMoment } from '../lib/moment.js';
import { namesOfService, type Account } from './account.js';
import { stateDatabase } from './database.js';
import type { Paths } from './paths.js';
import type { Settings } from './settings.js';

export type Budget = ReturnType<typeof openBudget>;

const Id = z.object({ id: z.number() });
const Sums = z.object({ spent: z.number(), reserved: z.number() });
const Row = z.object({
  id: z.number(),
  atMs: z.number(),
  model: z.string(),
  mostRub: z.number(),
  record: z.nullable(z.string()),
  owner: z.pipe(
    z.nullable(z.string()),
    z.transform((text) => Owner.safeParse(parsedJson(text ?? '')).data),
  ),
});

interface Asked {
  readonly model: string;
  readonly rub: number;
  readonly key: string | undefined;
  readonly isOnce: boolean;
  readonly what?: string;
  /** How the request could cost less. */
  readonly hint?: string;
}

/** Sums of decimal fractions are off by less. */
const rubSlack = 1e-9;
const keptMs = 62 * 24 * 60 * 60 * 1000;

export function openBudget(
  paths: Paths,
  { service, keyHash }: Account,
  { budgetDayRub, budgetMonthRub }: Pick<Settings, 'budgetDayRub' | 'budgetMonthRub'>,
) {
  const hint = 'free some space or fix its permissions; nothing was sent';
  const database = stateDatabase(paths, 'the budget in', hint);
  const account = [namesOfService(service), keyHash] as const;
  const ofAccount = 'FROM budget WHERE service IN (SELECT value FROM json_each(?)) AND keyHash = ?';
  const period = (name: string, budgetRub: number | undefined, from: Date, to: Date) => {
    const sql = `SELECT round(total(priceRub), 6) AS spent,
      round(total(CASE WHEN priceRub IS NULL THEN mostRub END), 6) AS reserved ${ofAccount} AND atMs >= ?`;
    const [sums] = database.all(Sums, sql, ...account, from.getTime());
    const { spent: spentRub, reserved: reservedRub } = sums ?? { spent: 0, reserved: 0 };
    const leftRub = budgetRub && Number((budgetRub - spentRub - reservedRub).toFixed(6));
    return { name, spentRub, reservedRub, leftRub, budgetRub, resetsAtMs: to.getTime() };
  };
  const periodsAt = (nowMs: number) => {
    const now = new Date(nowMs);
    const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
    return [
      period('day', budgetDayRub, new Date(year, month, day), new Date(year, month, day + 1)),
      period('month', budgetMonthRub, new Date(year, month), new Date(year, month + 1)),
    ];
  };
  return {
    periodsAt,
    leftRub: (nowMs: number) =>
      Math.min(...periodsAt(nowMs).map(({ leftRub = Infinity }) => leftRub)),
    /**
     * `isAgain`: a request with the same key has reserved it.
     * @param isOnce whether the service knows keys. @throws PriceTooHigh, LocalFileError
     */
    reserve: (
      { model, rub, key, isOnce, what = 'this request may cost', hint = '' }: Asked,
      owner: Owner,
      nowMs: number,
    ) =>
      database.transaction(() => {
        // The same request, sent again with its key, is charged once.
        const same = `SELECT id ${ofAccount} AND onceKey = ?`;
        const [earlier] = isOnce ? database.all(Id, same, ...account, key ?? null) : [];
        if (earlier) return { ...earlier, isAgain: true };
        for (const { name, leftRub = Infinity, budgetRub = 0, resetsAtMs } of periodsAt(nowMs)) {
          if (rub <= leftRub + rubSlack) continue;
          const left = `${formatRub(Math.max(0, leftRub))} left of the ${name}'s ${formatRub(budgetRub)}`;
          const message = `${what} up to ${formatRub(rub)}, more than the ${left}`;
          const reset = `see \`svc budget\`; the budget resets at ${localMoment(resetsAtMs)}`;
          throw new PriceTooHigh(message, { code: 'budget', hint: hint + reset });
        }
        database.run('DELETE FROM budget WHERE atMs < ?', nowMs - keptMs);
        const add = `INSERT INTO budget (service, keyHash, atMs, model, mostRub, onceKey, owner)
          VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`;
        const values = [service, keyHash, nowMs, model, rub, key ?? null, JSON.stringify(owner)];
        const [made] = database.all(Id, add, ...values);
        return { id: made?.id ?? 0, isAgain: false };
      }),
    /** @param priceRub null where it is still unknown and nobody waits for it any more. */
    settle: (id: number, priceRub: number | null, record: string | null) => {
      const sql = `UPDATE budget SET priceRub = coalesce(?, priceRub),
        record = coalesce(?, record), owner = NULL WHERE id = ?`;
      database.run(sql, priceRub, record, id);
    },
    release: (id: number) => database.run('DELETE FROM budget WHERE id = ?', id),
    /** Requests whose price is not known, the oldest first. */
    open: () =>
      database.all(Row, `SELECT * ${ofAccount} AND priceRub IS NULL ORDER BY atMs`, ...account),
    /** Whether the usage record belongs to another request. */
    isClaimed: (record: string) =>
      database.all(Id, `SELECT id ${ofAccount} AND record = ?`, ...account, record).length > 0,
  };
}
