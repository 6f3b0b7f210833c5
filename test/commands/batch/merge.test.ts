import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answered, failed } from '../../batch/lines.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

/** Runs `svc batch merge` in a folder with these files. */
async function merge(line: string, files: Readonly<Record<string, string>>) {
  const folder = testFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const names = line.replaceAll(/\b\w+\.jsonl/g, (name) => join(folder, name));
  const { code, stderr, stdout } = await run(`batch merge ${names}`);
  const path = join(folder, 'all.jsonl');
  const all = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  return { code, all, stdout, stderr: stderr.replaceAll(`${folder}/`, '') };
}

const request = (id: string) =>
  `${JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body: { model: 'm', messages: [{ role: 'user', content: 'x' }] } })}\n`;
const inputOf = (...ids: string[]) => ids.map(request).join('');
const linesOf = (...ids: string[]) => ids.map((id) => answered(id)).join('');

describe('svc batch merge', () => {
  it('joins the files in their order, byte for byte', async () => {
    const long = answered('long ✓ "id"', { text: 'ä'.repeat(700_000) });
    const files = { 'a.jsonl': linesOf('one', 'two'), 'b.jsonl': long + linesOf('three') };
    const expected = files['a.jsonl'] + files['b.jsonl'];
    expect(await merge('a.jsonl b.jsonl -o all.jsonl', files)).toEqual({
      ...{ code: 0, all: expected, stdout: '', stderr: '' },
    });
    const piped = await merge('a.jsonl b.jsonl', files);
    expect(piped).toEqual({ code: 0, all: undefined, stdout: expected, stderr: '' });
  });

  it('writes each request once: an answer rather than a failure, and the first answer', async () => {
    const first = failed('one') + answered('two', { ms: 1 }) + failed('three');
    const second = answered('one') + answered('two', { ms: 2 }) + failed('three', 'later');
    const torn = answered('four').slice(0, -20);
    const files = { 'a.jsonl': first + torn, 'b.jsonl': second };
    const all = answered('one') + answered('two', { ms: 1 }) + failed('three');
    const merged = await merge('a.jsonl b.jsonl -o all.jsonl', files);
    expect(merged).toEqual({ code: 0, all, stdout: '', stderr: '' });
  });

  it('writes in the order of an input, and says what is missing', async () => {
    const files = {
      'a.jsonl': linesOf('four', 'one'),
      'b.jsonl': linesOf('three'),
      'in.jsonl': inputOf('one', 'two', 'three', 'four'),
    };
    const { all, code, stderr } = await merge(
      'a.jsonl b.jsonl --order in.jsonl -o all.jsonl',
      files,
    );
    expect(all).toBe(linesOf('one', 'three', 'four'));
    expect({ code, stderr }).toEqual({
      code: 12,
      stderr:
        'error: 1 of 4 requests have no answer\nhint: `svc batch run` with the same options sends what is missing\n',
    });
  });

  it.each([
    [
      'answers to another input',
      'a.jsonl --order in.jsonl -o all.jsonl',
      2,
      /1 of the answers belong to no request of in.jsonl/,
    ],
    ['an output that is read', 'a.jsonl b.jsonl -o b.jsonl --force', 2, /must be different files/],
    ['an output that is the order', 'a.jsonl --order in.jsonl -o in.jsonl', 2, /must be different/],
    ['a file twice', 'a.jsonl a.jsonl -o all.jsonl', 2, /must be different files/],
    ['an output that exists', 'a.jsonl -o b.jsonl', 11, /b.jsonl exists/],
    ['a file of something else', 'in.jsonl -o all.jsonl', 2, /in.jsonl was not written/],
    ['a file that is not there', 'c.jsonl -o all.jsonl', 2, /there is no file c.jsonl/],
  ])('refuses %s, and writes nothing', async (_name, line, exit, message) => {
    const files = {
      'a.jsonl': linesOf('one', 'two'),
      'b.jsonl': linesOf('three'),
      'in.jsonl': inputOf('one'),
    };
    const { all, code, stderr } = await merge(line, files);
    expect([code, all]).toEqual([exit, undefined]);
    expect(stderr).toMatch(message);
  });
});
