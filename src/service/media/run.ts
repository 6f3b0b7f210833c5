/** Has a model make what a job ordered. */
import * as z from 'zod/mini';
import { extendTiers } from '../../contract/enums.js';
import type { House } from '../call.js';
import { jobById, type Job } from '../store/media-jobs.js';
import { findResult } from '../store/media-results.js';
import { MediaRefusal, type MediaResult } from './engines/types.js';
import { findMedia } from './models.js';
import { openSources, readAt } from './sources.js';

/** What the request leaves open is the same for every job, so that suites can rely on it. */
const seed = 0;

type Use<Used> = (result: MediaResult) => Used | Promise<Used>;

/**
 * Makes a job's result and gives it to `use`, while the job's sources are open. The same job
 * makes the same bytes whenever it is run.
 * @throws MediaRefusal when the job cannot be made, now or ever
 */
export async function run<Used>(house: House, job: Job, use: Use<Used>): Promise<Used> {
  if (job.origin === 'extend') return runExtension(house, job, use);
  const model = findMedia(await house.media.models(), job.model)?.model;
  const checked = model?.check(job.order);
  if (!checked?.job) {
    throw new MediaRefusal('source_unsupported', `${job.model} no longer makes such a job`);
  }
  const opened = await openSources(house, job.accountId, checked.job.references);
  try {
    return await use(await checked.job.make({ sources: opened.sources, seed }));
  } finally {
    await opened.close();
  }
}

const Extension = z.object({
  taskId: z.string(),
  tier: z.enum(extendTiers),
  seeds: z.optional(z.int()),
  watermark: z.optional(z.string()),
});

async function runExtension<Used>(house: House, job: Job, use: Use<Used>): Promise<Used> {
  const { taskId, tier, seeds, watermark } = Extension.parse(job.order.opts);
  const film = jobById(house.store, taskId);
  const result = findResult(house.store, taskId, 0);
  if (!film || !result) throw new Error(`the film ${taskId} is not in the store`);
  const [{ extendReel }, { openResult }] = await Promise.all([
    import('./engines/film.js'),
    // Results are made by runs, so it comes late.
    import('./results.js'),
  ]);
  const { handle, byteLength } = await openResult(house, film, result);
  try {
    const { prompt = '' } = job.order;
    const source = readAt(handle, byteLength);
    return await use(await extendReel(source, { prompt, tier, seed: seeds, watermark }));
  } finally {
    await handle.close();
  }
}
