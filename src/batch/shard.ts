/** Which lines of an input belong to one of several processes. */
import { hash } from 'node:crypto';
import { UsageError } from '../errors.js';
import type { Env } from '../lib/env.js';

export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
  /** Whether the line with this custom_id is in it. */
  readonly holds: (id: string) => boolean;
}

/**
 * Where the environment says which process this is, the innermost first; `from` is the number of
 * the first one. The control plane of Kubernetes sets no count: a plan does.
 */
const environments = [
  { index: 'JOB_COMPLETION_INDEX', variable: 'SVC_SHARDS', from: () => 0 },
  {
    index: 'SLURM_ARRAY_TASK_ID',
    variable: 'SLURM_ARRAY_TASK_COUNT',
    from: (env: Env) => numberFrom(env['SLURM_ARRAY_TASK_MIN']),
  },
  { index: 'AWS_BATCH_JOB_ARRAY_INDEX', variable: 'AWS_BATCH_JOB_ARRAY_SIZE', from: () => 0 },
  { index: 'BUILDKITE_PARALLEL_JOB', variable: 'BUILDKITE_PARALLEL_JOB_COUNT', from: () => 0 },
  { index: 'CIRCLE_NODE_INDEX', variable: 'CIRCLE_NODE_TOTAL', from: () => 0 },
  // GitLab.
  { index: 'CI_NODE_INDEX', variable: 'CI_NODE_TOTAL', from: () => 1 },
] as const;

const hint = 'write it as --shard 1/16, the first of 16';

/**
 * From `--shard I/N`, or `auto` and the environment. The line with an id is in the shard whose
 * number is, counted from 0, the first 48 bits of the SHA-256 of the id modulo N: this never
 * changes, so that a later version continues what an earlier one has begun.
 * @throws UsageError
 */
export function shardFrom(given: string | undefined, env: Env): Shard | undefined {
  if (given === undefined) return undefined;
  const { index, count, text } = given === 'auto' ? fromEnvironment(env) : written(given);
  if (!(count >= 1 && index >= 1 && index <= count)) {
    throw new UsageError(`${text} is no shard: it takes a number from 1 to N, and N`, { hint });
  }
  return {
    index,
    count,
    holds: (id) => hash('sha256', id, 'buffer').readUIntBE(0, 6) % count === index - 1,
  };
}

function written(given: string) {
  const [, index, count] = /^([^/]*)\/([^/]*)$/.exec(given) ?? [];
  return { index: numberFrom(index), count: numberFrom(count), text: `--shard ${given}` };
}

function fromEnvironment(env: Env) {
  const found = environments.find(({ index }) => env[index]);
  if (!found) {
    const known = 'Kubernetes, Slurm, AWS Batch, Buildkite, CircleCI and GitLab';
    throw new UsageError('--shard auto finds no number of a shard in the environment', {
      hint: `auto knows ${known}; elsewhere ${hint}`,
    });
  }
  const [index, count] = [env[found.index], env[found.variable]];
  if (!count) {
    throw new UsageError(`${found.index} is set without ${found.variable}, the number of shards`, {
      hint: `set ${found.variable}, or ${hint}`,
    });
  }
  const from = found.from(env);
  // An array that begins later is a part of one that was submitted before: its count is another.
  if (from > 1) {
    throw new UsageError(`--shard auto needs an array from 0 or 1, and this one is from ${from}`, {
      hint: 'keep the number of all shards: --shard "$SLURM_ARRAY_TASK_ID/16"',
    });
  }
  return {
    index: numberFrom(index) - from + 1,
    count: numberFrom(count),
    text: `${found.index}=${index ?? ''} with ${found.variable}=${count}`,
  };
}

function numberFrom(digits: string | undefined): number {
  return /^\d{1,9}$/.test(digits ?? '') ? Number(digits) : NaN;
}
