/** Plans have the form that the engines publish. */
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isRecord } from '../../src/lib/json.js';
import { run } from '../../test/helpers/run.js';

const plan = async (engine: string, ...words: string[]) => {
  const line = ['batch', 'plan', '--engine', engine, '-n', '3', ...words, 'in.jsonl'];
  const { code, stderr, stdout } = await run(line);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};

test('the Job has only fields of the published schema, with values of their types', async () => {
  const manifest: unknown = parse(await plan('kubernetes'));
  const isValid = (job: unknown) => {
    try {
      Object.assign(new Job(), job).validate();
      return true;
    } catch {
      return false;
    }
  };
  expect(isValid(manifest)).toBe(true);
  // The schema ignores fields that it does not know; one that it knows cannot be a symbol.
  const spoilt = [...withOneSpoilt(manifest)];
  expect(spoilt.length).toBeGreaterThan(40);
  expect(spoilt.filter(([, job]) => isValid(job)).map(([path]) => path)).toEqual([]);
});

function* withOneSpoilt(value: unknown): Generator<[path: string, spoilt: unknown]> {
  if (!isRecord(value) && !Array.isArray(value)) return;
  for (const [key, one] of Object.entries(value)) {
    const put = (other: unknown) =>
      Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
    yield [key, put(Symbol('spoilt'))];
    for (const [path, other] of withOneSpoilt(one)) yield [`${key}.${path}`, put(other)];
  }
}

test('GitHub Actions accepts the workflow', async () => {
  const content = await plan('github-actions', '-o', 'out/a.jsonl', '-p', `it's "a" $\{{ b }}`);
  const parsed = parseWorkflow({ name: 'svc-batch.yml', content }, new NoOperationTraceWriter());
  expect(parsed.context.errors.getErrors()).toEqual([]);
});
