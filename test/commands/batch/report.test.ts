import { expect, it } from 'vitest';
import { answered, failed } from '../../batch/lines.js';
import { batchFolder } from './folder.js';

const head = `svc-batch 1 ${'a'.repeat(64)} 10\n`;
const usage = { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 };
const files = {
  'a.jsonl':
    answered('one', { ms: 10, costRub: 0.1, usage }) +
    answered('two', { ms: 20, costRub: 0.2, usage: { input_tokens: 5, output_tokens: 7 } }) +
    failed('three', 'too_long') +
    answered('four').slice(0, -9),
  'a.jsonl.svc/journal': `${head}@1000 8\n+00000001aaaaaaaa "lost"\n+00000002aaaaaaaa "free"\n-"free"\n+00000003aaaaaaaa "one"\n!"bad"\n`,
  'b.jsonl':
    failed('five', 'no_model') +
    failed('six', 'too_long') +
    answered('seven', { ms: 1500, attempts: 3 }),
  'b.jsonl.svc/journal': `${head}@1000 2\n@2000 3\n@3000\n`,
  'bare.jsonl': answered('one'),
  'else.jsonl': '{"custom_id":"one"}\n',
};

it('svc batch status counts the requests of each file', async () => {
  const { svc } = batchFolder(files);
  const { code, stdout } = await svc('batch status a.jsonl b.jsonl', { tty: true });
  expect(code).toBe(0);
  // The names were longer.
  expect(stdout.replaceAll(/ +/g, ' ')).toBe(
    'FILE DONE FAILED UNKNOWN MISSING\na.jsonl 2 2 1 3\nb.jsonl 1 2 0 0\n',
  );
});

it('svc batch status does not know what is missing without a journal', async () => {
  const { svc } = batchFolder(files);
  const piped = await svc('batch status bare.jsonl');
  expect(piped).toEqual({ code: 0, stdout: 'bare.jsonl\t1\t0\t0\t\n', stderr: '' });
  const { stdout } = await svc('batch status bare.jsonl --json');
  expect(JSON.parse(stdout)).toEqual({
    files: [{ file: 'bare.jsonl', done: 1, failed: 0, unknown: 0, missing: null }],
  });
});

it.each([
  ['batch status c.jsonl', 'there is no file c.jsonl'],
  ['batch report else.jsonl', 'else.jsonl was not written by this batch'],
])('svc batch status %s: %s', async (line, message) => {
  const { code, stderr, stdout } = await batchFolder(files).svc(line);
  expect([code, stdout, stderr.split('\n')[0]]).toEqual([2, '', `error: ${message}`]);
});

it('svc batch report sums up all files', async () => {
  const { svc } = batchFolder(files);
  const { stdout } = await svc('batch report a.jsonl b.jsonl --json');
  expect(JSON.parse(stdout)).toEqual({
    ...{ done: 3, failed: 4, unknown: 1, missing: 3, cost: { priceRub: 0.3 }, unpriced: 1 },
    ...{ usage: { inputTokens: 1005, outputTokens: 27 }, attempts: 8 },
    ...{ p50Ms: 20, p95Ms: 1500, p99Ms: 1500 },
    errors: [
      { code: 'too_long', count: 2, example: 'three' },
      { code: 'no_model', count: 1, example: 'five' },
    ],
  });
  const shown = await svc('batch report a.jsonl b.jsonl', { tty: true });
  expect(shown.stdout).toContain(
    '\nCost             0.30 RUB\nWithout a price  1\nTokens in        1,005\n',
  );
  expect(shown.stdout).toContain('\nERROR     COUNT  EXAMPLE\ntoo_long      2  three\n');
});
