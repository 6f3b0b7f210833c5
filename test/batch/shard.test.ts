import { expect, test } from 'vitest';
import { shardFrom } from '../../src/batch/shard.js';
import type { Env } from '../../src/lib/env.js';

const ids = Array.from({ length: 200 }, (_, at) => `request-${at}`);
const odd = ['', ' ', 'é', '\u{1f600}', 'request-1 ', 'line-1', '__proto__'];

test.each([1, 2, 3, 16, 256])('each id is in one of %i shards', (count) => {
  const shards = Array.from({ length: count }, (_, at) => shardFrom(`${at + 1}/${count}`, {}));
  for (const id of [...odd, ...ids]) {
    expect(shards.filter((shard) => shard?.holds(id))).toHaveLength(1);
  }
});

// As `printf line-1 | sha256sum | cut -c1-12` has it.
test('an id stays in its shard in every version', () => {
  const shardOf = (id: string) =>
    Array.from({ length: 16 }, (_, at) => at + 1).find((at) =>
      shardFrom(`${at}/16`, {})?.holds(id),
    );
  expect(['line-1', 'line-2', 'line-3', 'é', ''].map(shardOf)).toEqual([6, 3, 16, 4, 13]);
});

const slurm = (id: string, count: string, min: string): Env => ({
  SLURM_ARRAY_TASK_ID: id,
  SLURM_ARRAY_TASK_COUNT: count,
  SLURM_ARRAY_TASK_MIN: min,
});

test.each<[name: string, env: Env, index: number]>([
  ['Kubernetes', { JOB_COMPLETION_INDEX: '0', SVC_SHARDS: '16' }, 1],
  ['a Slurm array from 0', slurm('15', '16', '0'), 16],
  ['a Slurm array from 1', slurm('15', '16', '1'), 15],
  ['AWS Batch', { AWS_BATCH_JOB_ARRAY_INDEX: '3', AWS_BATCH_JOB_ARRAY_SIZE: '16' }, 4],
  ['Buildkite', { BUILDKITE_PARALLEL_JOB: '3', BUILDKITE_PARALLEL_JOB_COUNT: '16' }, 4],
  ['CircleCI', { CIRCLE_NODE_INDEX: '3', CIRCLE_NODE_TOTAL: '16' }, 4],
  ['GitLab', { CI_NODE_INDEX: '3', CI_NODE_TOTAL: '16' }, 3],
  ['Slurm in GitLab', { ...slurm('8', '16', '1'), CI_NODE_INDEX: '1', CI_NODE_TOTAL: '2' }, 8],
])('--shard auto reads the number and the count from %s', (_, env, index) => {
  expect(shardFrom('auto', env)).toMatchObject({ index, count: 16 });
});

test.each('0/16 17/16 0/0 -1/16 1/16/2 1.5/16 1 1/1e3'.split(' '))(
  '--shard %s is refused',
  (given) => {
    expect(() => shardFrom(given, {})).toThrow(`--shard ${given} is not one of 1/N to N/N`);
  },
);

test.each<[env: Env, message: string]>([
  [{}, '--shard auto finds no variable of Kubernetes, Slurm, '],
  [{ JOB_COMPLETION_INDEX: '3' }, 'JOB_COMPLETION_INDEX is set, and SVC_SHARDS is not'],
  [{ JOB_COMPLETION_INDEX: '16', SVC_SHARDS: '16' }, '--shard 17/16 is not one of 1/N to N/N'],
  [{ JOB_COMPLETION_INDEX: '3', SVC_SHARDS: 'all' }, '--shard 4/all is not one of 1/N to N/N'],
  [slurm('5', '1', '5'), '--shard auto needs an array from 0 or 1'],
  [slurm('5', '3', '1'), '--shard 5/3 is not one of 1/N to N/N'],
  [{ ...slurm('5', '16', '1'), SLURM_ARRAY_TASK_MIN: undefined }, '--shard NaN/16 is not one of'],
])('--shard auto is refused with %j', (env, message) => {
  expect(() => shardFrom('auto', env)).toThrow(message);
});
