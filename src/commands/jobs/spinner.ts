/** The line that a person sees while a job is at work. */
import type { JobStatus } from '../../api/media/follow.js';
import { formatElapsed } from '../../lib/duration.js';
import { formatRub } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import { isSameAccount, type Account } from '../../state/account.js';
import type { LedgerJob } from '../../state/ledger-fold.js';
import type { JobWorld } from './world.js';

export interface JobSpinner {
  state(status: JobStatus): void;
  trouble(error: Error): void;
  stop(): void;
}

export interface Shown {
  readonly jobId: string;
  readonly model: string | undefined;
  readonly priceRub: number | undefined;
  /** When it was submitted, as far as is known. */
  readonly sinceMs: number;
}

/** Silent where nobody sees it. */
export async function startJobSpinner(world: JobWorld, job: Shown): Promise<JobSpinner> {
  const { out, clock, flags } = world.context;
  if (flags.json || flags.quiet || !out.isErrorTerminal) return silent;
  const usualMs = usualTime(world.ledger.jobs(), world.account, job.model);
  let state = 'processing';
  let trouble = '';
  const words = () =>
    [
      state,
      elapsedWords(clock.now() - job.sinceMs, usualMs),
      ...(job.priceRub === undefined ? [] : [formatRub(job.priceRub)]),
      job.jobId,
      ...(trouble === '' ? [] : [trouble]),
    ].join(' · ');
  const spinner = await out.spinner(words());
  spinner.update(words);
  return {
    state: (status) => {
      state = plainText(status.state, 40);
      trouble = '';
      spinner.update(words);
    },
    trouble: (error) => {
      trouble = `no answer, asking again: ${plainText(error.message, 80)}`;
      spinner.update(words);
    },
    stop: () => spinner.stop(),
  };
}

const silent: JobSpinner = {
  state: () => undefined,
  trouble: () => undefined,
  stop: () => undefined,
};

/** `34 s of usually 1:10` */
function elapsedWords(elapsedMs: number, usualMs: number | undefined): string {
  const elapsed = formatElapsed(elapsedMs);
  return usualMs === undefined ? elapsed : `${elapsed} of usually ${formatElapsed(usualMs)}`;
}

/** The median of the last jobs of this model, in milliseconds; undefined when there was none. */
export function usualTime(
  jobs: readonly LedgerJob[],
  account: Account,
  model: string | undefined,
): number | undefined {
  const times = jobs
    .filter((job) => job.model === model && isSameAccount(job.account, account))
    .filter(({ state }) => state === 'success')
    .flatMap(({ tookMs }) => tookMs ?? [])
    .slice(-25)
    .sort((one, other) => one - other);
  return times[Math.floor((times.length - 1) / 2)];
}
