/** What a person who interrupts is told: where the job is, and how to come back to it. */
import { disown } from '../../files/owner.js';
import { isUnsettled } from '../../state/ledger-fold.js';
import { shellWord } from '../../lib/names.js';
import { comeBack } from './watch.js';
import type { JobWorld } from './world.js';

export interface Leaving {
  /** Something may go out under this key from now on. */
  readonly onKey: (key: string) => void;
  /** The service has the job. */
  readonly onJob: (jobId: string) => void;
  /** It has several: the words that name them on a command line. */
  readonly onJobs: (words: string) => void;
}

/** Does the work; when it is broken off from outside, says on stderr what goes on without it. */
export async function farewell<Result>(
  world: JobWorld,
  work: (leaving: Leaving) => Promise<Result>,
): Promise<Result> {
  let key: string | undefined;
  let job: string | undefined;
  let several: string | undefined;
  try {
    return await work({
      onKey: (value) => {
        key = value;
      },
      onJob: (value) => {
        job = value;
      },
      onJobs: (value) => {
        several = value;
      },
    });
  } catch (error) {
    const { out, signal, onward } = world.context;
    if (signal.aborted) {
      const words = several === undefined ? lastWords(world, key, job) : goOn('they go', several);
      out.error(onward(words));
    }
    throw error;
  } finally {
    // From now on the same command may go on with what this run has left.
    disown(world.owner);
  }
}

function lastWords({ ledger }: JobWorld, key: string | undefined, known: string | undefined) {
  const job = key === undefined ? undefined : ledger.jobs().find(({ intent }) => intent === key);
  const jobId = known ?? job?.jobId;
  const state = job?.state;
  if (jobId !== undefined && state === 'success') {
    return `${jobId} is made; fetch its results: svc jobs download ${shellWord(jobId)}`;
  }
  if (jobId !== undefined) return goOn(`${jobId} goes`, jobId);
  return job && isUnsettled(job)
    ? 'the job may have been accepted; find out, without making another: svc jobs list'
    : 'nothing was submitted';
}

function goOn(who: string, ids: string): string {
  return `${who} on without svc; come back: ${comeBack(ids)}`;
}
