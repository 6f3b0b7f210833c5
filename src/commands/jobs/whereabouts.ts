/** What became of a job that was paid for, when the command that made it fails after that. */
import {
  ApiError,
  Incomplete,
  LocalFileError,
  NetworkError,
  SvcError,
  TimeoutError,
} from '../../errors.js';
import { shellWord } from '../../lib/names.js';
import { comeBack } from './watch.js';
import type { JobWorld } from './world.js';

/**
 * The error to end with, which leads back to the job: to run the command again would pay twice.
 * Where the error itself has to stay, it is said on stderr.
 * @param jobId undefined of an image whose answer named no job.
 * @param hasResults whether the service has told that it succeeded.
 */
export function paidFor(
  { context }: JobWorld,
  jobId: string | undefined,
  { error, hasResults }: { error: unknown; hasResults: boolean },
): unknown {
  if (!(error instanceof SvcError) || context.signal.aborted) return error;
  // The name of a file may hold the id too, and leads nowhere.
  const isOfFile = error instanceof LocalFileError || error instanceof Incomplete;
  const words = `${isOfFile ? '' : error.message} ${error.hint ?? ''}`;
  if (jobId !== undefined && words.includes(jobId)) return error;
  const { what, command } = wayBack(jobId, hasResults);
  const details = { code: error.code, hint: `the job is paid for: ${command}`, cause: error };
  if (error instanceof LocalFileError) return new LocalFileError(error.message, details);
  if (error instanceof Incomplete) return new Incomplete(error.message, details);
  const name = jobId ?? 'the image';
  if (saysRunAgain(error)) {
    return new Incomplete(`${name} is made, but not fetched: ${error.message}`, details);
  }
  context.out.warn(context.onward(`${name} ${what}: ${command}`));
  return error;
}

function wayBack(
  jobId: string | undefined,
  hasResults: boolean,
): { readonly what: string; readonly command: string } {
  if (jobId === undefined) return { what: 'is made; look for its job', command: 'svc image list' };
  return hasResults
    ? { what: 'is made; fetch its results', command: `svc jobs download ${shellWord(jobId)}` }
    : { what: 'goes on without svc; come back', command: comeBack(jobId) };
}

/** Whether the exit code alone would have a script run the command again. */
function saysRunAgain(error: SvcError): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  return error instanceof NetworkError || error instanceof TimeoutError;
}
