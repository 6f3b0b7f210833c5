import type { Handler } from '../../context.js';
import { RunSpending } from '../../spending/spending.js';
import { formatRub } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import { titles } from '../../terminal/types.js';
import { distanceCell, fullMomentCell, rubCell } from '../cells.js';
import type { budget } from './index.js';

export const run: Handler<typeof budget> = async (context) => {
  const { clock, flags, out } = context;
  const client = await context.client();
  const spending = (context.spending.ofRun ??= new RunSpending(context, client));
  const { periods, unknown } = await spending.standing();
  if (flags.json) {
    const day = periods.map(({ name, resetsAtMs, ...rubs }) => {
      return [name, { ...rubs, resetsAt: new Date(resetsAtMs).toISOString() }] as const;
    });
    const lost = unknown.map(({ model, maxRub: mostRub, atMs, record }) => {
      return { model, at: new Date(atMs).toISOString(), mostRub, record: record ?? undefined };
    });
    return out.json({ ...Object.fromEntries(day), unknown: lost });
  }
  if (periods.every(({ budgetRub }) => budgetRub === undefined)) {
    out.note('no budget is set; to set one: svc config set budget_day 100, or SVC_BUDGET=100');
    return;
  }
  const cell = (rub: number | undefined) => (rub === undefined ? '' : rubCell(context, rub));
  await out.table(
    titles(
      'PERIOD',
      { title: '>COUNTED', min: 12 },
      { title: '>RESERVED', min: 12, drop: 3 },
      { title: '>LEFT', min: 12 },
      { title: '>OF', min: 12, drop: 2 },
      { title: 'RESETS', drop: 1 },
    ),
    periods.map(({ name, spentRub, reservedRub, leftRub, budgetRub, resetsAtMs }) => [
      name,
      ...[spentRub, reservedRub, leftRub, budgetRub].map(cell),
      fullMomentCell(context, resetsAtMs),
    ]),
  );
  // On stderr: stdout has one line for each period.
  const screen = { out: { isTerminal: true }, clock };
  if (unknown.length > 0) {
    out.warn('these requests got no answer and stay reserved until a usage record is found:');
  }
  for (const { model, atMs, maxRub } of unknown) {
    const age = distanceCell(screen, atMs);
    out.warn(`  ${plainText(model, 100)}, ${age}, up to ${formatRub(maxRub)}`);
  }
};
