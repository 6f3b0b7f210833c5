import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configIn, homeWith } from '../helpers/config-home.js';
import { testFolder } from '../helpers/folder.js';
import { fails, run } from '../helpers/run.js';

const line = `chat -m local/echo "two  words" -- it\\'s`;
const words = ['chat', '-m', 'local/echo', 'two  words', '--', "it's"];
const unknown = 'error: unknown command "say"\nhint: svc --help\n';

describe('an alias', () => {
  it('is set, used with further words, and deleted', async () => {
    const home = homeWith({ version: 1, future: [1] });
    const shown = `svc chat -m local/echo 'two  words' -- 'it'\\''s'`;
    const set = await run(['alias', 'set', 'say', line], { home });
    expect(set).toMatchObject({ code: 0, stdout: '', stderr: `svc say now runs: ${shown}\n` });
    expect(configIn(home)).toEqual({ version: 1, future: [1], aliases: { say: words } });
    const said = await run(['--local', '-q', 'say', '-x', 'a b'], { home });
    expect(said).toMatchObject({ code: 0, stdout: "two  words it's -x a b\n" });
    expect(await run('alias delete say --json', { home })).toMatchObject({ code: 0 });
    expect(configIn(home)).toEqual({ version: 1, future: [1], aliases: {} });
    expect((await run('--local say hi', { home })).stderr).toBe(unknown);
  });

  it('an alias may name a group, and lacks only what the line adds', async () => {
    const home = testFolder();
    const set = (...words: string[]) => run(['alias', 'set', ...words], { home });
    expect(await set('m', 'models')).toMatchObject({ code: 0 });
    expect(await set('js', 'jobs show --local')).toMatchObject({ code: 0 });
    expect((await run('--local m list', { home })).stdout).toContain('local/guide\t');
    expect((await run('js', { home })).stderr).toContain('svc jobs show: missing argument <id>');
    expect((await run('--local m', { home })).stdout).toContain('local/guide\t');
  });

  it('an alias with --json prints help and errors as JSON too', async () => {
    const home = homeWith({
      aliases: { map: ['help', '--json', 'chat'], money: ['balance', '--json'] },
    });
    expect(JSON.parse((await run('map', { home })).stdout)).toMatchObject({
      commands: [{ path: 'chat' }],
    });
    expect(JSON.parse((await run('money --bogus', { home })).stderr)).toMatchObject({
      error: { exit: 2 },
    });
  });

  it.each([
    ['chat', 'chat', 'svc has a command of that name', 'choose another name'],
    ['help', 'chat', 'svc has a command of that name', 'choose another name'],
    ['../say', 'chat', 'alias "../say": a name has', 'choose another name'],
    ['say', '', 'contains no command', 'quote what follows svc'],
    ['say', 'caht hi', 'unknown command "caht"; did you mean chat?', 'svc --help'],
    ['say', 'old hi', 'unknown command "old"', 'svc --help'],
    ['say', 'models lits', 'unknown verb "lits"', 'svc models --help'],
    ['say', 'chat -m', 'missing value: --model', 'svc chat --help'],
    ['say', `'--local balance'`, 'unknown option "--local balance"', 'svc --help'],
    ['say', `chat "hi`, 'a quote is not closed', 'quote what follows svc'],
  ])('%s for %j is refused', async (name, of, why, hint) => {
    const home = homeWith({ aliases: { old: ['chat'] } });
    expect(await run(['alias', 'set', name, of], { home })).toMatchObject(
      fails(2, why, `\nhint: ${hint}`),
    );
    expect(configIn(home)).toEqual({ aliases: { old: ['chat'] } });
  });

  it.each(['constructor', '__proto__', 'olt'])('%s is not deleted: there is none', async (name) => {
    const home = homeWith({ aliases: { old: ['chat'] } });
    expect(await run(['alias', 'delete', name], { home })).toMatchObject(
      fails(2, `no alias is called "${name}"${name === 'olt' ? '; did you mean old?' : ''}\n`),
    );
    expect(configIn(home)).toEqual({ aliases: { old: ['chat'] } });
  });

  it('an alias written by hand replaces no command, and uses no other alias', async () => {
    const home = homeWith({
      aliases: { balance: ['nope'], a: ['b'], b: ['a'], c: 'chat', d: [1] },
    });
    expect((await run('--local balance', { home })).stdout).toBe('1000.00 RUB\n');
    expect((await run('a', { home })).stderr).toContain('unknown command "b"');
    for (const name of ['c', 'd', 'constructor', '__proto__']) {
      expect(await run(name, { home }), name).toMatchObject({ code: 2, stdout: '' });
    }
    expect((await run('say', { home: homeWith('{ broken') })).stderr).toBe(unknown);
  });

  it('is offered by completion where a command is', async () => {
    const home = homeWith({ aliases: { say: ['chat', '-m', 'x'], 'a\tb': ['chat'] } });
    const complete = async (...typed: string[]) =>
      (await run(['__complete', '--', ...typed], { home })).stdout;
    expect(await complete('sa')).toBe('say\tchat -m x\n');
    expect(await complete('alias', 'delete', '')).toBe('say\tchat -m x\n');
    expect(await complete('help', 'sa')).toBe('');
    expect(await complete('a')).not.toContain('a\tb');
  });

  it('is kept by its words when the command fails', async () => {
    const home = homeWith({ aliases: { say: ['chat', '-m', 'local/none', 'my secret'] } });
    expect(await run('--local say', { home })).toMatchObject({ code: 3 });
    const kept = readFileSync(join(home, 'data/last-failure.json'), 'utf8');
    expect(kept).toContain('"svc chat --local -m local/none …"');
    expect(kept).not.toContain('secret');
  });
});
