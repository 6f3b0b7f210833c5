import { usageBatches } from '../../api/billing.js';
import { withLimit } from '../../api/client.js';
import type { Context, Handler } from '../../context.js';
import { historyPage } from '../../contract/limits.js';
import { SvcError, UsageError } from '../../errors.js';
import { formatRub, sumRub } from '../../lib/amounts.js';
import { timeZoneAt } from '../../lib/moment.js';
import { plainText } from '../../lib/plain-text.js';
import type { Period } from '../../spending/budget.js';
import { RunSpending } from '../../spending/spending.js';
import { titles } from '../../terminal/types.js';
import { distanceCell, fullMomentCell, rubCell } from '../cells.js';
import * as config from '../config/config.js';
import type * as declared from './index.js';

export const list: Handler<typeof declared.list> = async (context) => {
  const { clock, flags, out } = context;
  const client = await context.client();
  const spending = (context.spending.ofRun ??= new RunSpending(context, client));
  const { periods, unknown } = await spending.standing();
  if (!flags.json && periods.every(({ budgetRub }) => budgetRub === undefined)) {
    out.note('no budget is set; to set one: svc budget set day 100, or SVC_BUDGET=100');
    return;
  }
  const charged = await chargedIn(context, periods);
  const timeZone = timeZoneAt(clock.now());
  if (flags.json) {
    const shown = periods.map(({ name, spentRub, reservedRub, leftRub, budgetRub, ...at }, nth) => {
      const resetsAt = new Date(at.resetsAtMs).toISOString();
      const rubs = { chargedRub: charged[nth] ?? null, spentRub, reservedRub, leftRub, budgetRub };
      return [name, { ...rubs, resetsAt }] as const;
    });
    const lost = unknown.map(({ model, maxRub: mostRub, atMs, record }) => {
      return { model, at: new Date(atMs).toISOString(), mostRub, record: record ?? undefined };
    });
    return out.json({ ...Object.fromEntries(shown), unknown: lost, timeZone });
  }
  const cell = (rub: number | undefined) => (rub === undefined ? '' : rubCell(context, rub));
  await out.table(
    titles(
      'PERIOD',
      '>CHARGED',
      { title: '>RESERVED', drop: 3 },
      '>LEFT',
      { title: '>OF', drop: 2 },
      { title: 'RESETS', drop: 1 },
    ),
    periods.map(({ name, reservedRub, leftRub, budgetRub, resetsAtMs }, nth) => [
      name,
      ...[charged[nth], reservedRub, leftRub, budgetRub].map(cell),
      fullMomentCell(context, resetsAtMs),
    ]),
  );
  if (out.isTerminal) out.note(`days begin at midnight, ${timeZone}`);
  for (const [nth, { name, budgetRub, spentRub, reservedRub }] of periods.entries()) {
    const otherRub = (charged[nth] ?? 0) - spentRub - reservedRub;
    if (budgetRub === undefined || otherRub < 0.005) continue;
    const when = name === 'day' ? 'today' : 'this month';
    const other = formatRub(otherRub, out.language);
    out.note(`${other} charged ${when} without the budget does not count against it`);
  }
  // On stderr: stdout has one line for each period.
  const screen = { out: { isTerminal: true }, clock };
  if (unknown.length > 0) {
    out.warn('these requests got no answer and stay reserved until a usage record is found:');
  }
  for (const { model, atMs, maxRub } of unknown) {
    const age = distanceCell(screen, atMs);
    out.warn(`  ${plainText(model, 100)}, ${age}, up to ${formatRub(maxRub, out.language)}`);
  }
};

/** A month may have many records. */
const historyLimitMs = 20_000;

/** By the usage history of the service; nothing where it cannot be read. */
async function chargedIn(context: Context, periods: readonly Period[]): Promise<number[]> {
  const { out, signal } = context;
  const client = withLimit(await context.client(), historyLimitMs);
  const sums = periods.map(() => 0);
  const fromMs = Math.min(...periods.map(({ startsAtMs }) => startsAtMs));
  const spinner = await out.spinner('adding up the usage history');
  try {
    for await (const { records } of usageBatches(client, { fromMs }, historyPage.max)) {
      for (const { createdAt, priceRub } of records) {
        for (const [nth, { startsAtMs }] of periods.entries()) {
          const isIn = Date.parse(createdAt ?? '') >= startsAtMs;
          if (isIn) sums[nth] = sumRub([sums[nth] ?? 0, priceRub ?? 0]);
        }
      }
    }
    return sums;
  } catch (error) {
    if (!(error instanceof SvcError) || signal.aborted) throw error;
    out.warn(`what was charged is not known: ${error.message}`);
    return [];
  } finally {
    spinner.stop();
  }
}

export const set: Handler<typeof declared.set> = async (context, { args }) => {
  const { period = '', rub } = args;
  if (!/^(day|month)$/.test(period) || rub === undefined) {
    const hint = 'svc budget set day 50';
    throw new UsageError('a budget needs a period, day or month, and an amount in RUB', { hint });
  }
  const name = `budget_${period}`;
  if (rub === 'off') await config.unset(context, { args: { name }, options: {} });
  else await config.set(context, { args: { name, value: rub }, options: {} });
  const { SVC_BUDGET: override } = context.env;
  if (period === 'day' && override) context.out.warn(`SVC_BUDGET replaces it with ${override} RUB`);
};
