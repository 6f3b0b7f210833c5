import { listImageJobs } from '../../api/images.js';
import { distanceCell, rubCell } from '../cells.js';
import type { Handler } from '../../context.js';
import { titles } from '../../terminal/types.js';
import type { list } from './index.js';

export const run: Handler<typeof list> = async (context, { options }) => {
  const { jobs, reply } = await listImageJobs(await context.client(), options.limit);
  if (context.flags.json) return context.out.json(reply);
  const columns = ['STATE', '>PRICE', { title: 'CREATED', drop: 1 }];
  await context.out.table(
    titles({ title: 'JOB', min: 13 }, { title: 'MODEL', min: 12, drop: 2 }, ...columns),
    jobs.map(({ id, model, status, cost_rub: costRub, created }) => [
      id,
      model ?? '-',
      status ?? '-',
      typeof costRub === 'number' ? rubCell(context, costRub) : '-',
      typeof created === 'number' ? distanceCell(context, created * 1000) : '-',
    ]),
  );
};
