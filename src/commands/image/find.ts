/** Finds the job of an image whose answer got lost, in the list that the service keeps for the key. */
import { listImageJobs, type ImageJob, type ImageJobs } from '../../api/images.js';
import * as limits from '../../contract/limits.js';
import { OutcomeUnknown } from '../../errors.js';
import type { JobWorld } from '../jobs/world.js';

export interface Lost {
  readonly model: string;
  /** When it was sent, by our clock. */
  readonly sentAtMs: number;
  /** When it was surely there, if at all, by our clock. */
  readonly untilMs: number;
}

/** The list tells whole seconds, and two clocks differ by what an answer takes. */
const slackMs = 2000;

/**
 * The job that this can only be; undefined when there is none.
 * @throws OutcomeUnknown when it may be one of several, or the list does not reach back that far.
 */
export async function findImageJob(world: JobWorld, lost: Lost): Promise<ImageJob | undefined> {
  const list = await listImageJobs(world.client, limits.images.list.max);
  const taken = new Set(world.ledger.jobs().flatMap(({ jobId }) => jobId ?? []));
  const found = list.jobs.filter((job) => !taken.has(job.id) && fits(job, lost, list));
  const [only, ...others] = found;
  if (others.length > 0) {
    throw new OutcomeUnknown(
      `the image may be any of ${found.map(({ id }) => id).join(', ')}: which one, the service does not say`,
      { code: 'several_candidates', hint: 'look at each: `svc jobs show ID`' },
    );
  }
  if (!only && !reachesBack(list, lost)) {
    throw new OutcomeUnknown('the list of images does not reach back to when it was sent', {
      code: 'list_too_short',
      hint: 'see what was charged: `svc usage list`',
    });
  }
  return only;
}

/** A model is listed under its public id, whatever name it was asked for by. */
function fits({ model, created }: ImageJob, lost: Lost, { aheadMs }: ImageJobs): boolean {
  const bare = (id: string) =>
    id
      .replace(/:[^/:]*$/, '')
      .split('/')
      .at(-1);
  if (model !== undefined && bare(model) !== bare(lost.model)) return false;
  if (created === undefined) return true;
  const madeAtMs = created * 1000 - aheadMs;
  return madeAtMs >= lost.sentAtMs - slackMs && madeAtMs <= lost.untilMs + slackMs;
}

function reachesBack({ jobs, aheadMs }: ImageJobs, { sentAtMs }: Lost): boolean {
  if (jobs.length < limits.images.list.max) return true;
  const oldest = jobs.at(-1)?.created;
  return oldest !== undefined && oldest * 1000 - aheadMs < sentAtMs - slackMs;
}
