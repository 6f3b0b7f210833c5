import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../src/lib/json.js';
import { fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { SkippingClock } from '../../helpers/manual-clock.js';
import { run, type RunOptions } from '../../helpers/run.js';

const request = (id: string, content: string) =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'local/guide', messages: [{ role: 'user', content }] },
  });

/** A folder with an input of these lines, and svc running in it. */
function batch(lines: readonly string[]) {
  const folder = testFolder();
  const input = join(folder, 'in.jsonl');
  const output = join(folder, 'out.jsonl');
  writeFileSync(input, lines.map((line) => `${line}\n`).join(''));
  const svc = async (words: string, options: RunOptions = {}) => {
    const line = words.replaceAll('IN', input).replace('OUT', output);
    const result = await run(line, { home: folder, ...options });
    // Times differ, and the folder does.
    return { ...result, stderr: clean(result.stderr), stdout: clean(result.stdout) };
  };
  const clean = (text: string) =>
    text.replaceAll(`${folder}/`, '').replace(/ · [\d.]+ s\n/, ' · TIME\n');
  const answers = () =>
    readFileSync(output, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => recordOf(JSON.parse(line)));
  return { folder, input, output, svc, answers };
}

const two = [request('one', 'What is a batch?'), request('two', 'What is a shard?')];

describe('svc batch run', () => {
  it('writes a line for each request, and the same command again sends nothing', async () => {
    const { answers, output, svc } = batch(two);
    const first = await svc('--local batch run IN -o OUT');
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.stderr).toMatch(/^2 of 2 done · 0\.\d+ RUB · TIME\n$/);
    expect(answers().map(({ custom_id: id }) => id)).toEqual(['one', 'two']);
    const before = readFileSync(output, 'utf8');
    const again = await svc('--local batch run IN -o OUT');
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(again.stderr).toMatch(/^2 of 2 done · /);
    expect(readFileSync(output, 'utf8')).toBe(before);
  });

  it('takes texts from stdin and writes answers to stdout', async () => {
    const { code, stdout } = await run('--local batch run -m local/guide -', {
      stdin: 'What is a batch?\nWhat is a shard?\n',
    });
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => recordOf(JSON.parse(line))['custom_id'])).toEqual([
      'line-1',
      'line-2',
    ]);
  });

  it('sums up as JSON', async () => {
    const { svc } = batch(two);
    const { code, stderr, stdout } = await svc('--local batch run IN -o OUT --json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const counts = { total: 2, done: 2, failed: 0, unknown: 0, left: 0 };
    expect(JSON.parse(stdout)).toMatchObject({ ...counts, unknown_ids: [], unsaved: 0 });
  });

  it('goes on with lines that were added to the input', async () => {
    const { answers, input, svc } = batch(two);
    await svc('--local batch run IN -o OUT');
    writeFileSync(input, [...two, request('three', 'And a journal?'), ''].join('\n'));
    expect(await svc('--local batch run IN -o OUT')).toMatchObject({ code: 0 });
    expect(answers().map(({ custom_id: id }) => id)).toEqual(['one', 'two', 'three']);
  });

  it('puts what fails for good into --errors, which is an input again', async () => {
    const wrong = request('bad', 'hi').replace('local/guide', 'local/none');
    const { folder, svc } = batch([...two, wrong]);
    const errors = join(folder, 'errors.jsonl');
    const { code, stderr } = await svc(`--local batch run IN -o OUT --errors ${errors}`);
    expect(code).toBe(12);
    expect(stderr).toMatch(
      /^2 of 3 done · 1 failed · .*TIME\nerror: 1 of 3 requests without an answer\nhint: .*\n$/,
    );
    const line = readFileSync(errors, 'utf8');
    expect(recordOf(JSON.parse(line))).toMatchObject({ custom_id: 'bad', method: 'POST' });
    const again = await svc(`--local batch run IN -o OUT --errors ${errors}`);
    expect(again.code).toBe(12);
    expect(readFileSync(errors, 'utf8')).toBe(line);
    writeFileSync(errors, line.replace('local/none', 'local/guide'));
    const mended = await svc(`--local batch run ${errors} -o ${join(folder, 'mended.jsonl')}`);
    expect(mended.code).toBe(0);
  });

  it.each([
    [
      'a custom_id that is there twice',
      [request('one', 'a'), request('one', 'b')],
      '--local batch run IN -o OUT',
      /line 2: its custom_id is also that of line 1/,
    ],
    ['an output that is the input', two, '--local batch run IN -o IN', /must be different files/],
    ['an output that is a device', two, '--local batch run IN -o /dev/full', /is not a regular file/],
    ['--json without a file', two, '--local batch run IN --json', /--json prints a summary/],
  ])('refuses %s, and sends nothing', async (_name, lines, words, expected) => {
    const { code, stderr } = await batch(lines).svc(words);
    expect(code).toBe(2);
    expect(stderr).toMatch(expected);
  });

  it('refuses a request that has changed since it was sent', async () => {
    const { input, svc } = batch(two);
    await svc('--local batch run IN -o OUT');
    writeFileSync(input, `${request('one', 'Something else')}\n${request('two', 'b')}\n`);
    const { code, stderr } = await svc('--local batch run IN -o OUT');
    expect(code).toBe(2);
    expect(stderr).toContain(
      'line 1: its body has changed since it was sent; give it another custom_id',
    );
  });

  it('refuses the output of another input', async () => {
    const { input, svc } = batch(two);
    await svc('--local batch run IN -o OUT');
    writeFileSync(input, `${request('three', 'c')}\n`);
    const { code, stderr } = await svc('--local batch run IN -o OUT');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: out.jsonl has answers to another input; nothing was sent\nhint: choose another file with -o; `svc --local batch merge` joins several\n',
    });
  });

  it('ends with 6 where the service is not reached, and the same command goes on', async () => {
    const { svc } = batch(two);
    const env = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'sk-svc-test' };
    const { code, stderr } = await svc('batch run IN -o OUT ', { env, clock: new SkippingClock() });
    expect(code).toBe(6);
    expect(stderr).toMatch(/^0 of 2 done · 2 not sent/);
    expect(await svc('--local batch run IN -o OUT')).toMatchObject({ code: 0 });
  });

  it('writes nothing where it cannot connect through the proxy that is set', async () => {
    const { output, svc } = batch(two);
    const env = { SVC_BASE_URL: 'http://service.test', SVC_API_KEY: 'k', HTTP_PROXY: 'socks5://p' };
    const { code, stderr } = await svc('batch run IN -o OUT', { env });
    expect([code, existsSync(`${output}.sent`)]).toEqual([4, false]);
    expect(stderr).toContain('HTTP_PROXY is a socks5 proxy');
  });

  it('ends at --timeout, and the same command continues', async () => {
    const { svc } = batch(two);
    const { code, stderr } = await svc('--local --timeout 0.3 batch run IN -o OUT --rpm 1');
    expect(code).toBe(8);
    expect(stderr).toMatch(/^1 of 2 done · 1 not sent · .*TIME\nerror: the time limit passed\n/);
    expect(await svc('--local batch run IN -o OUT')).toMatchObject({ code: 0 });
  });

  it('names what may have been charged, and sends it again only when asked to', async () => {
    let isBroken = true;
    const { env, requests } = await fakeService((seen, response) => {
      if (seen.method === 'GET') {
        const record = { id: 'gen_9', model: 'local/guide', priceRub: 1, createdAt: new Date() };
        json({ data: [record], page: 1, limit: 100, total: 1 })(seen, response);
      } else if (isBroken && seen.body.includes('batch')) response.socket?.destroy();
      else json({ choices: [], usage: {} })(seen, response);
    });
    const { answers, svc } = batch(two);
    const first = await svc('batch run IN -o OUT', { env });
    expect(first.code).toBe(12);
    expect(first.stderr).toContain('may have been charged, without an answer: one;');
    isBroken = false;
    const sent = () => requests.filter(({ method }) => method === 'POST').length;
    expect(await svc('batch run IN -o OUT', { env })).toMatchObject({ code: 12 });
    expect(sent()).toBe(2);
    expect(await svc('batch run IN -o OUT --unknown retry', { env })).toMatchObject({ code: 0 });
    expect(sent()).toBe(3);
    expect(answers().map(({ custom_id: id }) => id)).toEqual(['two', 'one']);
  });
});
