import { describe, expect, it, test } from 'vitest';
import { globalFlagsFrom } from '../../src/global-flags.js';
import { commandHint } from '../../src/cli/command-hint.js';
import { route } from '../../src/cli/route.js';
import { program } from '../../src/cli/main.js';
import { entries } from '../../src/commands/index.js';
import { run, words } from '../helpers/run.js';

const read = (line: string) => route(words(line), entries);

test.each<[line: string, path: string[]]>([
  ['chat', ['chat']],
  ['models list', ['models', 'list']],
  ['-qv chat', ['chat']],
  ['--profile models chat', ['chat']],
  ['--timeout=5 chat', ['chat']],
  ['-- chat', ['chat']],
  ['--profile chat', []],
  ['-m x chat', []],
  ['chat list', ['chat']],
  ['models lits', ['models']],
  ['models list --colour', ['models', 'list']],
  ['config get get', ['config', 'get']],
  ['exit-codes', ['exit-codes']],
  ['logs --json tax return', ['logs']],
  ['logs --sum show', ['logs']],
  ['logs -- show', ['logs']],
  ['logs --json show 5', ['logs', 'show']],
])('svc %s names the command %j', (line, path) => {
  expect(read(line)).toMatchObject({ path, isHelp: false });
});

test.each<[line: string, path: string[]]>([
  ['', []],
  ['help -q', []],
  ['help help', []],
  ['-q -h chat', ['chat']],
  ['chat -qh', ['chat']],
  ['chat --help -m', ['chat']],
  ['chat --colour --help', ['chat']],
  ['help jobs list', ['jobs', 'list']],
  ['--help jobs list', ['jobs', 'list']],
  ['jobs help list', ['jobs', 'list']],
  ['jobs --help list', ['jobs', 'list']],
  ['jobs help', ['jobs']],
  ['help exit-codes', ['exit-codes']],
  ['help generate local/canvas', ['generate']],
])('svc %s asks for help on %j', (line, path) => {
  expect(read(line)).toMatchObject({ path, isHelp: true });
});

test.each([
  // Mistakes, which are reported instead.
  'help nope',
  '--help nope',
  'nope --help',
  'jobs lits -h',
  // Values and operands.
  '--profile --help chat',
  'chat help',
  'chat -- --help',
  'jobs list help',
])('svc %s asks for no help', (line) => {
  expect(read(line).isHelp).toBe(false);
});

test.each(['--version', '-V', '-qV', 'version', '--version chat'])(
  'svc %s is the version',
  async (line) => {
    expect(await run(line)).toMatchObject({ stdout: '0.0.0-test\n', stderr: '', code: 0 });
  },
);

const reworded = (words: string, parsed: Record<string, unknown>) =>
  commandHint(entries, globalFlagsFrom(parsed))(words);

describe('a suggested command', () => {
  const local = { local: true };
  const work = { profile: 'work' };
  it.each<[words: string, flags: Record<string, unknown>, told: string]>([
    ['come back: svc jobs list', {}, 'come back: svc jobs list'],
    [
      'see `svc balance`, `svc usage list`; then svc jobs wait job_1',
      local,
      'see `svc --local balance`, `svc --local usage list`; then svc --local jobs wait job_1',
    ],
    ['svc goes on asking about this job', local, 'svc goes on asking about this job'],
    // They reach no service.
    ['check it: svc config get base_url', local, 'check it: svc config get base_url'],
    ['  SVC_API_KEY=sk svc chat "hi"', local, '  SVC_API_KEY=sk svc chat "hi"'],
    ['svc jobs list --local', local, 'svc jobs list --local'],
    ['svc jobs list', work, 'svc --profile work jobs list'],
    ['svc login --profile wrok makes it', work, 'svc login --profile wrok makes it'],
    [
      'svc balance',
      { baseUrl: 'http://[::1]:1', profile: 'a' },
      "svc --profile a --base-url 'http://[::1]:1' balance",
    ],
  ])('reaches what the flags name: %s, %j', (words, flags, told) => {
    expect(reworded(words, flags)).toBe(told);
  });

  it.each(['https://me:secret@h', 'a b', '\u001b[31m', ''])(
    'does not repeat an invalid address: %j',
    (baseUrl) => {
      expect(reworded('svc balance', { baseUrl })).toBe('svc balance');
    },
  );
});

describe('the messages of a run', () => {
  it('name commands that reach the same service, for people and in JSON', async () => {
    const line = '--local chat -m local/nobody hi';
    expect((await run(line)).stderr).toContain('`svc --local models list`');
    expect(JSON.parse((await run(`${line} --json`)).stderr)).toMatchObject({
      error: { hint: expect.stringContaining('`svc --local models list`') },
    });
  });

  it('leaves foreign text alone', async () => {
    expect((await run(['--local', 'chat', '-a', 'svc files', 'hi'])).stderr).toContain(
      '--attach: there is no file svc files\n',
    );
    expect((await run(['--local', 'embed', '-m', 'svc chat', 'hi'])).stderr).toContain(
      'no model is called "svc chat"',
    );
    const words = 'run svc chat now';
    const answer = await run(['--local', 'chat', '-m', 'local/echo', '-x', words]);
    expect(answer.stdout + answer.stderr).toContain(words);
  });
});

it('gives the words of a group to the verb that runs when none is named', () => {
  for (const line of ['logs --sum show 5', 'logs -- show 5', 'logs list show 5']) {
    const match = read(line);
    expect([match.declaration?.name, match.operands]).toEqual(['list', ['show', '5']]);
  }
  expect(read('logs show 5').declaration?.name).toBe('show');
});

test.each([
  ['chat', '--fit', { shorten: true }],
  ['chat', '--messages=a.json', { history: 'a.json' }],
  ['chat', '--tools=a.json', { toolDefinitions: 'a.json' }],
  ['chat', '--repair', { askAgain: true }],
  ['batch run', '--fit', { shorten: true }],
  ['decide --yes-no a=b', '--noul=c=d', { yesNo: ['a=b', 'c=d'] }],
  ['search', '-n3', { limit: 3 }],
  ['embed', '--count=3', { limit: 3 }],
])('svc %s understands %s, which no help lists', async (line, flag, values) => {
  const { path, refusal, values: found } = read(`${line} ${flag}`);
  expect({ refusal, found }).toEqual({ refusal: undefined, found: values });
  const { stdout } = await run(`help ${path.join(' ')} --all`);
  expect(stdout.split(/[\s,]+/)).not.toContain(flag.replace(/[=3].*/, ''));
});

test('what no help lists rules out what its option does, and is no guess', () => {
  const refusalOf = (line: string) => program.parse(words(line), entries).refusal;
  expect(refusalOf('chat --history a --messages b x')).toMatch(/--messages is given twice/);
  expect(refusalOf('chat --messages a -c')).toMatch(/^--history and --continue cannot be used/);
  expect(refusalOf('chat --message a')).toMatch(/^unknown option --message(?!.*--messages)/);
});
