import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { readTools } from '../../src/tools/folder.js';
import { testFolder } from '../helpers/folder.js';

const { signal } = new AbortController();
const types = { a: 'string', b: 'string', list: 'array', name: 'object' };
const entries = Object.entries(types).map(([name, type]) => [name, { type }]);
const parameters = { type: 'object', properties: Object.fromEntries(entries) };

/** A tool file in a folder of its own. */
async function tool(fields: object, given = 'one', env: Record<string, string> = {}) {
  const folder = testFolder();
  writeFileSync(join(folder, 'one.json'), JSON.stringify({ parameters, ...fields }));
  const machine = { folder, clock: systemClock, env: { PATH: process.env['PATH'], ...env } };
  const [read] = await readTools(given.split(' '), machine);
  const run = async (args: Record<string, unknown> = {}) => (await read?.run(args, signal))?.text;
  return { folder, read, run };
}

/** What a program gets as its arguments. */
const shown = ['sh', '-c', 'for one; do printf "<%s>" "$one"; done', 'sh'];

describe('the arguments of a call become words of the command', () => {
  it.each([
    [['{a}', 'x{b}y'], { a: '$(id) "; rm', b: ' ' }, '<$(id) "; rm><x y>'],
    [['{a}', '--b={b}'], { b: '-1' }, '<--b=-1>'],
    [['--a={list}', 'z'], { list: ['x', 1, { k: null }] }, '<--a=x><--a=1><--a={"k":null}><z>'],
    [['{list}', '{a}'], { list: [], a: null }, '[no output]'],
    [['{a}-{b}'], { a: '{b}', b: '{a}' }, '<{b}-{a}>'],
    [['{{a}}', '{}', '{ print }'], {}, '<{a}><{}><{ print }>'],
    [['--', '{a}'], { a: '--exec=x' }, '<--><--exec=x>'],
    [['{a}'], { a: '' }, '<>'],
  ])('%j with %j', async (words, args, text) => {
    const { run } = await tool({ argv: [...shown, ...words] });
    expect(await run(args)).toBe(text);
  });

  it.each([
    [{ a: '-rf' }, 'The argument a must not start with "-".'],
    [{ list: ['x', '--exec=x'] }, 'The argument list must not start with "-".'],
    [{ b: '-' }, 'The argument a or b must not start with "-".'],
    [{ a: 'x'.repeat(10_000), b: Array(1000).fill('y') }, 'The arguments are too long.'],
  ])('but not %.40j', async (args, text) => {
    const { run } = await tool({ argv: ['echo', '{a}', '{list}', '{a}{b}', '--', '{b}'] });
    expect(await run({ a: '', ...args })).toBe(text);
  });

  it('and its input, if it reads one', async () => {
    const { run } = await tool({ argv: ['cat'], stdin: '{a}!' });
    expect(await run({ a: '-x\ny' })).toBe('-x\ny!');
  });
});

describe('a tool file', () => {
  const bad = '--tool: [^ ]*one.json: ';
  it.each([
    [{ argv: [] }, `${bad}.*argv`],
    [{ argv: ['x'], shell: true }, `${bad}.*shell`],
    [{ argv: ['{a}'] }, `${bad}the program must not be an argument`],
    [{ argv: ['x', '{c}'] }, `${bad}{c} is not in parameters.properties`],
    [{ argv: ['x'], stdin: '{c}' }, `${bad}{c} is not in parameters.properties`],
    [{ argv: ['x'], timeout: 'soon' }, `${bad}timeout is not a duration`],
    [{ argv: ['x'], maxOutput: 1e9 }, `${bad}.*maxOutput`],
    [{ argv: ['x'], parameters: { type: 'thing' } }, `${bad}parameters is not a JSON Schema`],
    [
      { argv: ['x'], parameters: { $ref: 'https://a.b/c' } },
      `${bad}.*it cannot be compiled: can't resolve reference https://a.b/c`,
    ],
    [{ argv: ['x'] }, '--tool: two tools are called one', 'one one'],
    [{ argv: ['x'] }, 'no tool is called two', 'two'],
    [{ argv: ['x'] }, '--tool: "../one" is not the name of a tool', '../one'],
    [{ argv: ['x'] }, '--tool: "a b" is not the name of a tool', '/tmp/a\u0007b.json'],
  ])('%j is refused', async (fields, message, given = 'one') => {
    await expect(tool(fields, given)).rejects.toThrow(new RegExp(message));
  });

  it('that has no end is refused without a hint about uploads', async () => {
    const path = join(testFolder(), 'zero.json');
    symlinkSync('/dev/zero', path);
    const machine = { folder: '/none', env: {}, clock: systemClock };
    await expect(readTools([path], machine)).rejects.toMatchObject({
      message: `--tool: ${path} is more than 71.0 MB long; the limit is 71.0 MB`,
      code: 'invalid_tool',
      hint: undefined,
    });
  });

  it('may be named by its path, and name a program beside it', async () => {
    const folder = testFolder();
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/hi'), '#!/bin/sh\necho hi\n');
    chmodSync(join(folder, 'bin/hi'), 0o755);
    const path = join(folder, 'hi.json');
    writeFileSync(path, JSON.stringify({ argv: ['bin/hi'] }));
    const env = { PATH: process.env['PATH'] };
    const [hi] = await readTools([path], { folder: '/none', env, clock: systemClock });
    expect(hi).toMatchObject({ name: 'hi', parameters: { type: 'object' } });
    expect(await hi?.run({}, signal)).toEqual({ text: 'hi', isError: false });
  });

  it('gives its program no secrets but those that it names', async () => {
    const secrets = { SVC_API_KEY: 'k', SVC_SESSION: 'c=1', DB_PASSWORD: 'p' };
    const env = { ...secrets, GH_TOKEN: 't', EDITOR: 'vi' };
    const { run } = await tool({ argv: ['env'], env: ['GH_TOKEN'] }, 'one', env);
    const names = (await run())?.split('\n').map((line) => line.split('=')[0]) ?? [];
    expect(names).toEqual(expect.arrayContaining(['EDITOR', 'GH_TOKEN', 'PATH']));
    expect(names.filter((name = '') => name in secrets)).toEqual([]);
  });
});
