/** What became of a job that was paid for, when the command that made it fails after that. */
import {
  ApiError,
  Incomplete,
  LocalFileError,
  NetworkError,
  SvcError,
  TimeoutError,
} from '../../errors.js';
import { shellWord } from '../../lib/shell-word.js';
import { comeBack } from './watch.js';
import type { JobWorld } from './world.js';

/**
 * The error to end with, which leads back to the job: to run the command again would pay twice.
 * Where the error itself has to stay, it is said on stderr.
 * @param hasResults whether the service has told that it succeeded.
 */
export function paidFor(
  { context }: JobWorld,
  jobId: string,
  { error, hasResults }: { error: unknown; hasResults: boolean },
): unknown {
  if (!(error instanceof SvcError) || context.signal.aborted) return error;
  if (`${error.message} ${error.hint ?? ''}`.includes(jobId)) return error;
  const way = hasResults ? `svc jobs download ${shellWord(jobId)}` : comeBack(jobId);
  const details = { code: error.code, hint: `the job is paid for: ${way}`, cause: error };
  if (error instanceof LocalFileError) return new LocalFileError(error.message, details);
  if (saysRunAgain(error)) {
    return new Incomplete(`${jobId} is made, but not fetched: ${error.message}`, details);
  }
  const words = hasResults ? 'is made; fetch its results' : 'goes on without svc; come back';
  context.out.warn(context.onward(`${jobId} ${words}: ${way}`));
  return error;
}

/** Whether the exit code alone would have a script run the command again. */
function saysRunAgain(error: SvcError): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  return error instanceof NetworkError || error instanceof TimeoutError;
}
