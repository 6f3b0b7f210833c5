import { listImageJobs } from '../../api/images.js';
import type { Handler } from '../../cli/declaration.js';
import { formatRub } from '../../lib/amounts.js';
import { titles } from '../../terminal/types.js';
import type { list } from './index.js';

export const run: Handler<typeof list> = async (context, { options }) => {
  const { jobs, reply } = await listImageJobs(await context.client(), options.limit);
  if (context.flags.json) return context.out.json(reply);
  await context.out.table(
    titles('JOB', 'MODEL', 'STATE', '>PRICE', 'MADE'),
    jobs.map(({ id, model, status, cost_rub: costRub, created }) => [
      id,
      model ?? '-',
      status ?? '-',
      typeof costRub === 'number' ? formatRub(costRub) : '-',
      typeof created === 'number' ? timeOf(created) : '-',
    ]),
  );
};

/** An ISO time; whatever is no time is shown as it came. */
function timeOf(seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? String(seconds) : time.toISOString();
}
