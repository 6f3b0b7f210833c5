/** One word for the state of a job, whatever the service or the ledger calls it. */

/** `unknown`: it is not known to have been accepted, or svc does not know the service's word. */
export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'unknown';

// In this order: `incomplete`, `not_started` and `unknown_job` contain words of others.
const words: readonly (readonly [JobState, RegExp])[] = [
  ['unknown', /unknown|uncertain/],
  ['failed', /fail|error|refuse|reject|cancel|expire|not_|incomplete|unsucc/],
  ['queued', /submit|sending|queue|pending|accept|wait|created/],
  ['running', /process|progress|running|start/],
  ['done', /succ|done|complete|finish|ready/],
];

/** @param status the service's word, or the ledger's for a request without an answer. */
export function jobState(status: string | null | undefined): JobState {
  return words.find(([, word]) => word.test(status?.toLowerCase() ?? ''))?.[0] ?? 'unknown';
}
