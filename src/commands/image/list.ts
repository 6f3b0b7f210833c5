import { listImageJobs } from '../../api/images.js';
import type { Handler } from '../../cli/declaration.js';
import { titles } from '../../terminal/types.js';
import { rubCell } from '../cells.js';
import type { list } from './index.js';

export const run: Handler<typeof list> = async (context, { options }) => {
  const { jobs, reply } = await listImageJobs(await context.client(), options.limit);
  if (context.flags.json) return context.out.json(reply);
  await context.out.table(
    titles(
      'JOB',
      { title: 'MODEL', min: 12, drop: 1 },
      { title: 'STATE', min: 9, drop: 2 },
      { title: '>PRICE', drop: 3 },
      { title: 'MADE', drop: 4 },
    ),
    jobs.map(({ id, model, status, cost_rub: costRub, created }) => [
      id,
      model ?? '-',
      status ?? '-',
      typeof costRub === 'number' ? rubCell(context, costRub) : '-',
      typeof created === 'number' ? timeOf(created) : '-',
    ]),
  );
};

/** An ISO time; whatever is no time is shown as it came. */
function timeOf(seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? String(seconds) : time.toISOString();
}
