/**
 * Which job of the service's list belongs to which image that was asked for. The list does not say,
 * so the times have to: a request is at the service moments after it was written down.
 */
import type { ImageJob, ImageJobs } from '../../api/images.js';

/** An image that was asked for, of which no answer came. */
export interface Lost {
  readonly intent: string;
  readonly model: string;
  /** When it was sent, by our clock. */
  readonly sentAtMs: number;
  /** When it was surely there, if at all, by our clock. */
  readonly untilMs: number;
  /** The request, byte for byte: the jobs of two that are alike need not be told apart. */
  readonly body?: string;
}

export type Listed = Pick<ImageJobs, 'jobs' | 'aheadMs'>;

/** The list tells whole seconds, and two clocks differ by what an answer takes. */
const slackMs = 2000;

/** The jobs that an image can be, newest first. */
export function candidates(lost: Lost, { jobs, aheadMs }: Listed): ImageJob[] {
  return jobs.filter((job) => fits(job, lost, aheadMs));
}

/**
 * One job for one image, in the order in which they were asked for, each as soon after it as the
 * others allow. What is left without a job is not in the list.
 * @param lost in the order of the ledger.
 */
export function match(lost: readonly Lost[], listed: Listed): ReadonlyMap<string, ImageJob> {
  const matched = new Map<string, ImageJob>();
  const newestFirst = [...lost].reverse().sort((one, other) => other.sentAtMs - one.sentAtMs);
  // The list is newest first too: each job goes to the last image that was sent before it.
  for (const job of listed.jobs) {
    const image = newestFirst.find(
      (one) => !matched.has(one.intent) && fits(job, one, listed.aheadMs),
    );
    if (image) matched.set(image.intent, job);
  }
  return matched;
}

/**
 * The ids of jobs that cannot be told apart, group by group: each may as well be the image that
 * another one was taken for, or be nobody's that is known here.
 */
export function alike(
  lost: readonly Lost[],
  listed: Listed,
  matched: ReadonlyMap<string, ImageJob>,
): string[][] {
  const images = new Map(lost.map((image) => [matched.get(image.intent)?.id, image]));
  const groups = lost.flatMap((image) => {
    const own = matched.get(image.intent);
    if (!own) return [];
    const others = candidates(image, listed).filter(({ id }) => {
      const other = images.get(id);
      return !other || (other.body !== image.body && fits(own, other, listed.aheadMs));
    });
    return others.length > 0 ? [[own.id, ...others.map(({ id }) => id)].sort()] : [];
  });
  return [...new Map(groups.map((ids) => [ids.join(' '), ids])).values()];
}

/** A model is listed under its public id, whatever name it was asked for by. */
function fits({ model, created }: ImageJob, lost: Lost, aheadMs: number): boolean {
  if (model !== undefined && bareName(model) !== bareName(lost.model)) return false;
  if (created === undefined) return true;
  const madeAtMs = created * 1000 - aheadMs;
  return madeAtMs >= lost.sentAtMs - slackMs && madeAtMs <= lost.untilMs + slackMs;
}

function bareName(id: string): string | undefined {
  return id
    .replace(/:[^/:]*$/, '')
    .split('/')
    .at(-1);
}

/** Whether a list of at most `max` jobs shows all that were made since an image was sent. */
export function reachesBack({ jobs, aheadMs }: Listed, { sentAtMs }: Lost, max: number): boolean {
  if (jobs.length < max) return true;
  const oldest = jobs.at(-1)?.created;
  return oldest !== undefined && oldest * 1000 - aheadMs < sentAtMs - slackMs;
}
