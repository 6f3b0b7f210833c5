import { listImageJobs } from '../../api/images.js';
import { jobState } from '../../api/media/state.js';
import type { Handler } from '../../context.js';
import { distanceCell, rubCellOf } from '../cells.js';
import { listView, writeList } from '../listing.js';
import type { list } from './index.js';

export const run: Handler<typeof list> = async (context, { options }) => {
  const { jobs, reply } = await listImageJobs(await context.client(), options.limit);
  const view = listView<(typeof jobs)[number]>([
    [{ title: 'JOB', isId: true }, ({ id }) => id],
    [{ title: 'MODEL', min: 12, drop: 2 }, ({ model }) => model ?? '-'],
    ['STATE', ({ status }) => jobState(status)],
    ['>PRICE', (job) => rubCellOf(context, job, 'cost_rub') || '-'],
    [
      { title: 'CREATED', drop: 1 },
      ({ created }) => (typeof created === 'number' ? distanceCell(context, created * 1000) : '-'),
    ],
  ]);
  const data = reply.data.map((job) => ({ ...job, state: jobState(job.status) }));
  await writeList(context, view, { items: jobs, json: { ...reply, data } });
};
