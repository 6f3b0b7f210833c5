import { expect, it } from 'vitest';
import { jobState } from '../../../src/api/media/state.js';

it.each([
  // What svc knows of a request that the service has not answered.
  ['sending', 'queued'],
  ['uncertain', 'unknown'],
  ['refused', 'failed'],
  ['not_sent', 'failed'],
  ['unknown_job', 'unknown'],
  // Jobs (3.1) and images (3.2).
  ['submitting', 'queued'],
  ['processing', 'running'],
  ['success', 'done'],
  ['fail', 'failed'],
  ['not_started', 'failed'],
  ['succeeded', 'done'],
  ['failed', 'failed'],
  ['in_progress', 'running'],
  // Words that a service may have later, and none.
  ['Pending', 'queued'],
  ['cancelled', 'failed'],
  ['incomplete', 'failed'],
  ['completed', 'done'],
  ['mauve', 'unknown'],
  [undefined, 'unknown'],
])('the state of a job that is %s is %s', (status, state) => {
  expect(jobState(status)).toBe(state);
});
