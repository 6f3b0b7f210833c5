import { expect, it } from 'vitest';
import { answered, failed } from '../../batch/lines.js';
import { batchFolder, chatLine } from './folder.js';

/** Runs `svc batch merge` in a folder with these files. */
async function merge(line: string, files: Readonly<Record<string, string>>) {
  const { read, svc } = batchFolder(files);
  return { ...(await svc(`batch merge ${line}`)), all: read('all.jsonl') };
}

const inputOf = (...ids: string[]) => ids.map((id) => chatLine(id, 'x')).join('');
const linesOf = (...ids: string[]) => ids.map((id) => answered(id)).join('');

it('svc batch merge joins the files in their order, byte for byte', async () => {
  const long = answered('long ✓ "id"', { text: 'ä'.repeat(700_000) });
  const files = { 'a.jsonl': linesOf('one', 'two'), 'b.jsonl': long + linesOf('three') };
  const stdout = files['a.jsonl'] + files['b.jsonl'];
  const piped = await merge('a.jsonl b.jsonl', files);
  expect(piped).toEqual({ code: 0, all: undefined, stdout, stderr: '' });
});

it('svc batch merge writes each request once: an answer rather than a failure, and the first answer', async () => {
  const first = failed('one') + answered('two', { ms: 1 }) + failed('three');
  const second = answered('one') + answered('two', { ms: 2 }) + failed('three', 'later');
  const torn = answered('four').slice(0, -20);
  const files = { 'a.jsonl': first + torn, 'b.jsonl': second };
  const all = answered('one') + answered('two', { ms: 1 }) + failed('three');
  const merged = await merge('a.jsonl b.jsonl -o all.jsonl', files);
  expect(merged).toEqual({ code: 0, all, stdout: '', stderr: '' });
});

const files = {
  'a.jsonl': linesOf('four', 'one'),
  'b.jsonl': linesOf('three'),
  'in.jsonl': inputOf('one', 'two', 'three', 'four'),
  'other.jsonl': inputOf('one'),
};

it('svc batch merge writes in the order of an input, and says what is missing', async () => {
  expect(await merge('a.jsonl b.jsonl --order in.jsonl -o all.jsonl', files)).toEqual({
    code: 12,
    all: linesOf('one', 'three', 'four'),
    stdout: '',
    stderr:
      'error: 1 of 4 requests have no answer\nhint: `svc batch run` with the same options sends what is missing\n',
  });
});

it('svc batch merge filters the answers that it prints', async () => {
  const ids = await merge('a.jsonl b.jsonl --jq .custom_id --raw', files);
  expect(ids).toEqual({ code: 0, all: undefined, stdout: 'four\none\nthree\n', stderr: '' });
});

it.each([{}, { env: { AI_AGENT: '1' } }])(
  'svc batch merge gives a terminal no live control characters, and the same values: %j',
  async (how) => {
    const stdout = answered('one', { text: '\u009b2J\u202e' });
    const { svc } = batchFolder({ 'a.jsonl': stdout });
    expect((await svc('batch merge a.jsonl')).stdout).toBe(stdout);
    expect((await svc('batch merge a.jsonl', { tty: true, ...how })).stdout).toBe(
      answered('one', { text: 'TEXT' }).replace('TEXT', String.raw`\u009b2J\u202e`),
    );
  },
);

it.each([
  ['a.jsonl --order other.jsonl -o all.jsonl', 2, /1 of the answers belong to no request of oth/],
  ['a.jsonl b.jsonl -o b.jsonl --force', 2, /must be different files/],
  ['a.jsonl --order in.jsonl -o in.jsonl', 2, /must be different files/],
  ['a.jsonl a.jsonl -o all.jsonl', 2, /must be different files/],
  ['a.jsonl -o b.jsonl', 11, /b.jsonl exists/],
  ['in.jsonl -o all.jsonl', 2, /in.jsonl was not written/],
  ['c.jsonl -o all.jsonl', 2, /there is no file c.jsonl/],
])('svc batch merge refuses %s, and writes nothing', async (line, exit, message) => {
  const { all, code, stderr } = await merge(line, files);
  expect([code, all]).toEqual([exit, undefined]);
  expect(stderr).toMatch(message);
});
