/** What became of a job that was paid for, when the command that made it fails after that. */
import { SvcError } from '../../errors.js';
import { shellWord } from '../../lib/shell-word.js';
import { comeBack } from './watch.js';
import type { JobWorld } from './world.js';

/**
 * Says on stderr where the job is, unless the error names it itself.
 * @param hasResults whether the service has told that it succeeded.
 */
export function tellWhereabouts(
  { context }: JobWorld,
  jobId: string,
  { error, hasResults }: { error: unknown; hasResults: boolean },
): void {
  if (!(error instanceof SvcError) || context.signal.aborted) return;
  if (`${error.message} ${error.hint ?? ''}`.includes(jobId)) return;
  context.out.warn(
    hasResults
      ? `${jobId} is made; fetch its results: svc jobs download ${shellWord(jobId)}`
      : `${jobId} goes on without svc; come back: ${comeBack(jobId)}`,
  );
}
