/** Which lines of an input belong to one of several processes. */
import { hash } from 'node:crypto';
import { UsageError } from '../errors.js';
import type { Env } from '../lib/env.js';

/** Where a process finds its number and the count; `first` is the number of the first process. */
const environments = [
  // Kubernetes sets no count; the plan does.
  { index: 'JOB_COMPLETION_INDEX', variable: 'SVC_SHARDS', first: '0' },
  { index: 'SLURM_ARRAY_TASK_ID', variable: 'SLURM_ARRAY_TASK_COUNT', first: undefined },
  { index: 'AWS_BATCH_JOB_ARRAY_INDEX', variable: 'AWS_BATCH_JOB_ARRAY_SIZE', first: '0' },
  { index: 'BUILDKITE_PARALLEL_JOB', variable: 'BUILDKITE_PARALLEL_JOB_COUNT', first: '0' },
  { index: 'CIRCLE_NODE_INDEX', variable: 'CIRCLE_NODE_TOTAL', first: '0' },
  { index: 'CI_NODE_INDEX', variable: 'CI_NODE_TOTAL', first: '1' },
] as const;

/**
 * From `--shard I/N`, or `auto` and the environment. A line is in the shard whose number, from 0, is
 * the first 48 bits of the SHA-256 of its id modulo N, in all versions. @throws UsageError
 */
export function shardFrom(option: string | undefined, env: Env) {
  if (option === undefined) return undefined;
  const written = option === 'auto' ? fromEnvironment(env) : option;
  const [index = 0, count = 0] = /^\d{1,9}\/\d{1,9}$/.test(written)
    ? written.split('/').map(Number)
    : [];
  if (index < 1 || index > count) throw refusal(`--shard ${written} is not one of 1/N to N/N`);
  /** Whether the line with this custom_id is in it. */
  const holds = (id: string) => hash('sha256', id, 'buffer').readUIntBE(0, 6) % count === index - 1;
  return { index, count, holds };
}

function fromEnvironment(env: Env): string {
  const environment = environments.find(({ index }) => env[index]);
  if (!environment) {
    const known = 'Kubernetes, Slurm, AWS Batch, Buildkite, CircleCI or GitLab';
    throw refusal(`--shard auto finds no variable of ${known}`);
  }
  const { index, variable } = environment;
  if (!env[variable]) throw refusal(`${index} is set, and ${variable} is not`);
  const first = Number(environment.first ?? env['SLURM_ARRAY_TASK_MIN']);
  // An array from a higher number runs a part of another array again, and its count is not N.
  if (first > 1) throw refusal('--shard auto needs an array from 0 or 1');
  return `${Number(env[index]) - first + 1}/${env[variable]}`;
}

function refusal(message: string): UsageError {
  const hint = 'write the number and the count: --shard 1/16 is the first of 16';
  return new UsageError(message, { code: 'shard', hint });
}
