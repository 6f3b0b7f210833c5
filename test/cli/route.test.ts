import { describe, expect, it, test } from 'vitest';
import { globalFlagsFrom } from '../../src/cli/globals.js';
import { commandHint } from '../../src/cli/command-hint.js';
import { commandPath, entriesFor, withHelpAsOption } from '../../src/cli/route.js';
import { entries } from '../../src/commands/index.js';
import { run, words } from '../helpers/run.js';

const namesFor = (line: string) => entriesFor(words(line)).map((entry) => entry.name);
const all = entries.map((entry) => entry.name);

test.each([
  ['chat', 'chat'],
  ['models list', 'models'],
  ['--json chat', 'chat'],
  ['-qv chat', 'chat'],
  ['--profile models chat', 'chat'],
  ['--timeout=5 chat', 'chat'],
  ['--connect-timeout 1s --first-byte-timeout 2s --idle-timeout 3s balance', 'balance'],
  ['-- chat', 'chat'],
  ['chat --help', 'chat'],
])('svc %s needs %s alone', (line, name) => {
  expect(namesFor(line)).toEqual([name]);
});

test.each([
  '',
  '--help',
  '--version',
  'help chat',
  'help',
  '-m x chat',
  '--profile',
  '--profile chat',
])('svc %s needs them all', (line) => {
  expect(namesFor(line)).toEqual(all);
});

test.each([
  ['caht', []],
  ['chat list', ['chat']],
  ['--timeout 5 chat --colour', ['chat']],
  ['models lits', ['models']],
  ['models list --colour', ['models', 'list']],
  ['config get get', ['config', 'get']],
])('svc %s means the command %j', (line, path) => {
  expect(commandPath(words(line))).toEqual(path);
});

test.each([
  ['help', '--help'],
  ['help -q', '-q --help'],
  ['help chat', 'chat --help'],
  ['help jobs list', 'jobs list --help'],
  ['help exit-codes', 'exit-codes --help'],
  ['help generate local/canvas', 'generate local/canvas --help'],
  ['help help', 'help'],
  // Mistakes, of which the parser says what is wrong.
  ['help nope', 'nope'],
  // No question for help.
  ['', ''],
  ['--profile help chat', '--profile help chat'],
])('svc %s asks for help as svc %s', (line, meant) => {
  expect(withHelpAsOption(words(line))).toEqual(words(meant));
});

const reworded = (words: string, parsed: Record<string, unknown>) =>
  commandHint(globalFlagsFrom(parsed))(words);

describe('a command to go on with', () => {
  it('is as it was where no flag names a service', () => {
    expect(reworded('come back: svc jobs list', {})).toBe('come back: svc jobs list');
  });

  it.each([
    ['come back: svc jobs list', 'come back: svc --local jobs list'],
    [
      'see `svc balance`, `svc usage list`; then svc jobs wait job_1',
      'see `svc --local balance`, `svc --local usage list`; then svc --local jobs wait job_1',
    ],
    ['svc goes on asking about this job', 'svc goes on asking about this job'],
    // They reach no service.
    ['check it: svc config get base_url', 'check it: svc config get base_url'],
    ['  SVC_API_KEY=sk svc chat "hi"', '  SVC_API_KEY=sk svc chat "hi"'],
    ['svc jobs list --local', 'svc jobs list --local'],
  ])('reaches the embedded service: %s', (words, told) => {
    expect(reworded(words, { local: true })).toBe(told);
  });

  it('keeps its account, also in the settings', () => {
    const flags = { profile: 'work' };
    expect(reworded('svc jobs list', flags)).toBe('svc --profile work jobs list');
    expect(reworded('svc config get base_url', flags)).toBe(
      'svc --profile work config get base_url',
    );
    expect(reworded('svc login --profile wrok makes it', flags)).toBe(
      'svc login --profile wrok makes it',
    );
  });

  it('keeps its address, in quotes where a shell wants them', () => {
    expect(reworded('svc balance', { baseUrl: 'http://127.0.0.1:1' })).toBe(
      'svc --base-url http://127.0.0.1:1 balance',
    );
    expect(reworded('svc balance', { baseUrl: 'http://[::1]:1', profile: 'a' })).toBe(
      "svc --profile a --base-url 'http://[::1]:1' balance",
    );
  });

  it.each(['https://me:secret@h', 'a b', '\u001b[31m', ''])(
    'does not repeat what is no address: %j',
    (baseUrl) => {
      expect(reworded('svc balance', { baseUrl })).toBe('svc balance');
    },
  );
});

describe('the words of a run', () => {
  it('name commands that reach the same service, for people and in JSON', async () => {
    const line = '--local chat -m local/nobody hi';
    const told = await run(line);
    expect(told.stderr).toContain('`svc --local models list`');
    expect(JSON.parse((await run(`${line} --json`)).stderr)).toMatchObject({
      error: { hint: expect.stringContaining('`svc --local models list`') },
    });
  });

  it('leaves alone what is somebody else’s', async () => {
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
