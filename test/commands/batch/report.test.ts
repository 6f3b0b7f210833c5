import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answered, failed } from '../../batch/lines.js';
import { testFolder } from '../../helpers/folder.js';
import { run, type RunOptions } from '../../helpers/run.js';

const head = `svc-batch 1 ${'a'.repeat(64)} 10\n`;

/** Runs svc over files of these contents; the folder is left out of what it says. */
async function over(
  line: string,
  files: Readonly<Record<string, string>>,
  options: RunOptions = {},
) {
  const folder = testFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const names = line.replaceAll(/\b[ab]\.jsonl/g, (name) => join(folder, name));
  const { code, stderr, stdout } = await run(names, options);
  const clean = (text: string) => text.replaceAll(`${folder}/`, '');
  return { code, stdout: clean(stdout), stderr: clean(stderr) };
}

const usage = { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 };
const journal = `${head}@1000 8\n+00000001aaaaaaaa "lost"\n+00000002aaaaaaaa "free"\n-"free"\n+00000003aaaaaaaa "one"\n!"bad"\n`;
const files = {
  'a.jsonl':
    answered('one', { ms: 10, costRub: 0.1, usage }) +
    answered('two', { ms: 20, costRub: 0.2, usage: { input_tokens: 5, output_tokens: 7 } }) +
    failed('three', 'too_long') +
    answered('four').slice(0, -9),
  'a.jsonl.sent': journal,
  'b.jsonl':
    failed('five', 'no_model') +
    failed('six', 'too_long') +
    answered('seven', { ms: 1500, attempts: 3 }),
  'b.jsonl.sent': `${head}@1000 2\n@2000 3\n@3000\n`,
};

describe('svc batch status', () => {
  it('counts the requests of each file', async () => {
    const { code, stdout } = await over('batch status a.jsonl b.jsonl', files, { tty: true });
    expect(code).toBe(0);
    // The names were longer.
    expect(stdout.replaceAll(/ +/g, ' ')).toBe(
      'FILE DONE FAILED UNKNOWN MISSING\na.jsonl 2 2 1 3\nb.jsonl 1 2 0 0\n',
    );
  });

  it('does not know what is missing without a journal', async () => {
    const { 'a.jsonl': answers } = files;
    const piped = await over('batch status a.jsonl', { 'a.jsonl': answers });
    expect(piped).toEqual({ code: 0, stdout: 'a.jsonl\t2\t1\t0\t\n', stderr: '' });
    const { stdout } = await over('batch status a.jsonl --json', { 'a.jsonl': answers });
    expect(JSON.parse(stdout)).toEqual({
      files: [{ file: 'a.jsonl', done: 2, failed: 1, unknown: 0, missing: null }],
    });
  });

  it.each([
    ['batch status b.jsonl', 'there is no file b.jsonl'],
    ['batch report a.jsonl', 'a.jsonl was not written by this batch'],
  ])('%s: %s', async (line, message) => {
    const { code, stderr, stdout } = await over(line, { 'a.jsonl': '{"custom_id":"one"}\n' });
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([2, '', `error: ${message}`]);
  });
});

describe('svc batch report', () => {
  it('sums up all files', async () => {
    const { code, stdout } = await over('batch report a.jsonl b.jsonl', files, { tty: true });
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'done           3',
      'failed         4',
      'unknown        1',
      'missing        3',
      'cost rub       0.3',
      'unpriced       1',
      'input tokens   1,005',
      'output tokens  27',
      'attempts       8',
      'p50 ms         20',
      'p95 ms         1,500',
      'p99 ms         1,500',
      'ERROR     COUNT  EXAMPLE',
      'too_long      2  three',
      'no_model      1  five',
      '',
    ]);
  });

  it('is an object under --json', async () => {
    const { stdout } = await over('batch report a.jsonl b.jsonl --json', files);
    expect(JSON.parse(stdout)).toEqual({
      ...{ done: 3, failed: 4, unknown: 1, missing: 3, cost_rub: 0.3, unpriced: 1 },
      ...{ input_tokens: 1005, output_tokens: 27, attempts: 8 },
      ...{ p50_ms: 20, p95_ms: 1500, p99_ms: 1500 },
      errors: [
        { code: 'too_long', count: 2, example: 'three' },
        { code: 'no_model', count: 1, example: 'five' },
      ],
    });
  });

  it('has nothing to say of an empty file but zeros', async () => {
    const { code, stdout } = await over('batch report a.jsonl --json', { 'a.jsonl': '' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ done: 0, p50_ms: 0, errors: [] });
  });
});
