import { describe, expect, test, vi } from 'vitest';
import { jsonFilter } from '../../src/terminal/filter.js';
import { start } from '../bin/svc.js';
import { pages, shellLines } from '../docs/pages.js';
import { testFolder } from '../helpers/folder.js';
import { localScript } from '../helpers/local-script.js';
import { run } from '../helpers/run.js';

const flags = { jq: undefined, fields: undefined, raw: false };

async function withFields(fields: string, value: unknown): Promise<unknown> {
  const filter = await jsonFilter({ ...flags, fields });
  return JSON.parse(filter.run(JSON.stringify(value)));
}

async function filtered(jq: string, json: string, raw = false): Promise<string> {
  return (await jsonFilter({ ...flags, jq, raw })).run(json);
}

describe('--jq', () => {
  test('prints what jq makes of the JSON, as jq prints it', async () => {
    const ended = await run("--local models list --jq '.data[0:2] | map(.id)'");
    const stdout = '[\n  "local/guide",\n  "local/echo"\n]\n';
    expect(ended).toMatchObject({ stdout, stderr: '', code: 0 });
  });

  test('filters a list written in pieces, each page of svc api, and a --dry-run', async () => {
    const home = testFolder();
    const chat = '--local chat -m local/echo hi';
    for (let times = 0; times < 3; times += 1) await run(chat, { home });
    const api = 'api GET /v1/generations -F limit=2 --paginate';
    const printed = async (line: string) => (await run(line, { home })).stdout;
    expect(await printed("--local usage list --all --jq '.data|length'")).toBe('3\n');
    expect(await printed(`--local ${api} --jq '.data|length'`)).toBe('2\n1\n');
    expect(await printed(`--local ${api} --slurp --jq 'map(.data|length)|add'`)).toBe('3\n');
    expect(await printed(`${chat} --dry-run --jq .body.model`)).toBe('"local/echo"\n');
  });

  test.each(pages.flatMap(shellLines).filter((line) => line.includes(' --jq ')))(
    'finds something as the manual has it: %s',
    async (line) => {
      const env = { SVC_LOCAL: '1' };
      const { stdout, code } = await run(line.replace('svc ', ''), { env });
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^(?!null|$)/) });
    },
  );

  test('leaves a refusal as it is', async () => {
    const { stdout, stderr, code } = await run('--local api GET /v1/none --jq .data');
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'path_not_found' } });
    expect(JSON.parse(stderr)).toMatchObject({ error: { exit: code, status: 404 } });
    expect(code).toBe(3);
  });

  test.each([
    ['several values after a leading minus', '-.a', '{"a":1}\n{"a":2}\n', '-1\n-2\n'],
    ['all digits', '.', '12345678901234567890123\n', '12345678901234567890123\n'],
    ['nothing for no value', 'empty', '1', ''],
  ])('prints %s', async (_, jq, json, text) => {
    expect(await filtered(jq, json)).toBe(text);
  });

  test.each([' two lines \n\n of\u2028text\n ', '"', '', '\u001b[31m'])(
    'with --raw prints the string %j byte for byte',
    async (text) => {
      const json = JSON.stringify([text, { text }]);
      expect(await filtered('.[0], .[1]', json, true)).toBe(
        `${text}\n${await filtered('.[1]', json)}`,
      );
    },
  );

  test('gives a terminal coloured JSON, and no live control characters with --raw', async () => {
    const words = ['--local', 'models', 'list', '--jq', String.raw`.data[0].id + "\u001b[2J"`];
    const json = await run(words, { tty: true, colour: true });
    const raw = await run([...words, '--raw'], { tty: true, colour: true });
    expect(json.stdout).toBe('\u001b[32m"local/guide\\u001b[2J"\u001b[39m\n');
    expect(raw.stdout).toBe('local/guide\u241b[2J\n');
  });

  test('that is wrong is refused with the words of jq before anything is paid', async () => {
    const home = testFolder();
    const { stdout, stderr, code } = await run("--local chat hi --jq '.text['", { home });
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'bad_jq', message: expect.stringContaining('syntax error, unexpected end') },
    });
    expect((await run('--local usage list --jq .total', { home })).stdout).toBe('0\n');
  });

  test.each([
    ['before anything is paid', '"a" * 1000000000', 2, 'bad_jq'],
    ['on the answer', '"a" * (.balance_rub * 1e6)', 12, 'jq_failed'],
  ])('that crashes %s is one JSON object on stderr', async (_, jq, code, error) => {
    const written = vi.spyOn(console, 'error').mockReturnValue();
    const ended = await run(['--local', 'balance', '--jq', jq]);
    expect(ended.code).toBe(code);
    expect(JSON.parse(ended.stderr)).toMatchObject({ error: { exit: code, code: error } });
    expect(written).not.toHaveBeenCalled();
    written.mockRestore();
  });

  test('that fails on a paid answer leaves all of it on stdout, and exits with 12', async () => {
    const home = testFolder();
    const line = "--local chat -m local/echo kept --jq '.text, (.text|keys)'";
    const { stdout, stderr, code } = await run(line, { home });
    expect(JSON.parse(stdout)).toMatchObject({ text: 'kept', complete: true });
    const message = 'the JSON could not be filtered: jq: error: string ("kept") has no keys';
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'jq_failed', message } });
    expect(code).toBe(12);
  });

  test('filters the part of an answer that was cut off, whose error decides', async () => {
    const env = localScript({ reply: 'half', cut: 'drop' });
    const whole = await run('--local chat -m local/script hi --jq .complete', { env });
    expect(whole).toMatchObject({ stdout: 'false\n', code: 12 });
    const failing = await run("--local chat -m local/script hi --jq '.text|keys'", { env });
    expect(JSON.parse(failing.stdout)).toMatchObject({ complete: false });
    expect(failing.stderr.trim().split('\n')).toHaveLength(2);
  });

  test.each([
    ['def f: f; f', 50, 'needs more than 60 s'],
    ['[repeat(.)]', 50, ''],
    ['repeat(.)', 50, ''],
    ['reduce range(20000) as $i (.; [.])', 60_000, 'a value is too large or nested too deeply'],
  ])('%s ends', async (jq, limitMs, why) => {
    const filter = await jsonFilter({ ...flags, jq }, limitMs);
    expect(() => filter.run('1')).toThrow(
      expect.objectContaining({ name: 'Incomplete', message: expect.stringContaining(why) }),
    );
  });

  test('that there is no time to compile is not called wrong', async () => {
    const compiling = jsonFilter({ ...flags, jq: '.a'.repeat(20_000) }, 1);
    await expect(compiling).rejects.toMatchObject({ name: 'TimeoutError', code: 'timed_out' });
  });

  test('that does not end is ended by Ctrl-C', async () => {
    const words = ['--local', '-v', 'balance', '--jq', 'def f: f; f'];
    const { child, ended } = await start(words);
    const answered = new Promise<void>((resolve) => {
      child.stderr.on('data', (text: Buffer) => text.includes('< 200') && resolve());
    });
    await answered;
    // The first may come before jq runs.
    const pressing = setInterval(() => child.kill('SIGINT'), 20);
    expect(await ended).toMatchObject({ signal: 'SIGINT', code: null });
    clearInterval(pressing);
  });
});

describe('--fields', () => {
  test('keeps fields of an object, in the order given, and null for those it lacks', async () => {
    const answer = { text: 'hi', toolCalls: [{ id: 1 }], cost: { priceRub: 1, balanceRub: 2 } };
    const value = await withFields('cost.priceRub, text,none,__proto__', answer);
    const text = '{"cost":{"priceRub":1},"text":"hi","none":null,"__proto__":null}';
    expect(JSON.stringify(value)).toBe(text);
  });

  test.each([
    ['a list', [{ a: 1, b: 2 }, { a: 3 }], [{ a: 1 }, { a: 3 }]],
    ['the list in an object', { object: 'list', no: [1], data: [{ a: 1, b: 2 }] }, [{ a: 1 }]],
    ['an empty list', { data: [], total: 0 }, []],
    ['an object without a list', { b: 1 }, { a: null }],
    ['a list of lists', [[{ a: 1, b: 2 }]], [[{ a: 1 }]]],
    ['a text', 'text', 'text'],
  ])('of %s keeps those of each item', async (_, value, expected) => {
    expect(await withFields('a', value)).toEqual(expected);
  });

  test('reaches through lists, and keeps a field that is named twice whole', async () => {
    const page = { total: 2, data: [{ id: 1, x: 1 }, { id: 2 }] };
    expect(await withFields('total,data.id', page)).toEqual({
      total: 2,
      data: [{ id: 1 }, { id: 2 }],
    });
    expect(await withFields('data.id,data', page)).toEqual({ data: page.data });
  });

  test('comes before --jq', async () => {
    const { stdout } = await run("--local models list --fields id --jq '.[0]|keys[]' --raw");
    expect(stdout).toBe('id\n');
  });
});

test.each([
  ['--local chat hi --events --jq .', '--jq and --events cannot be used together'],
  ['--local models list --raw', '--raw needs --jq'],
  ['--local models list --fields a,,b', '--fields: \\"\\" is not a field'],
  ['--local models list --fields a.', '--fields: \\"a.\\" is not a field'],
])('svc %s is refused', async (line, message) => {
  const { stderr, code } = await run(line);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});
