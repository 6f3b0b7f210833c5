import { describe, expect, test } from 'vitest';
import { commandPath, entriesFor, withHelpAsOption } from '../../src/cli/route.js';
import { entries } from '../../src/commands/index.js';
import { words } from '../helpers/run.js';

const namesFor = (line: string) => entriesFor(words(line)).map((entry) => entry.name);
const all = entries.map((entry) => entry.name);

test.each([
  ['chat', 'chat'],
  ['chat hello models', 'chat'],
  ['models list', 'models'],
  ['--json chat', 'chat'],
  ['-q -v chat', 'chat'],
  ['-qv chat', 'chat'],
  ['--no-input --local chat', 'chat'],
  ['--profile models chat', 'chat'],
  ['--timeout 5 chat', 'chat'],
  ['--timeout=5 chat', 'chat'],
  ['--base-url http://127.0.0.1 --json models list', 'models'],
  ['--connect-timeout 1s --first-byte-timeout 2s --idle-timeout 3s balance', 'balance'],
  ['-- chat', 'chat'],
  ['chat --help', 'chat'],
  ['--help chat', 'chat'],
])('svc %s needs %s alone', (line, name) => {
  expect(namesFor(line)).toEqual([name]);
});

test.each([
  '',
  '--help',
  '-h',
  '--version',
  'help chat',
  'help',
  'caht',
  '-m x chat',
  '--',
  '--profile',
  '-',
  '--profile chat',
])('svc %s needs them all', (line) => {
  expect(namesFor(line)).toEqual(all);
});

describe('the command that a line means', () => {
  test.each([
    ['', []],
    ['caht', []],
    ['chat', ['chat']],
    ['chat list', ['chat']],
    ['--timeout 5 chat --colour', ['chat']],
    ['models', ['models']],
    ['models lits', ['models']],
    ['models list --colour', ['models', 'list']],
    ['--profile models models --json list', ['models', 'list']],
    ['config get get', ['config', 'get']],
  ])('svc %s is %j', (line, path) => {
    expect(commandPath(words(line))).toEqual(path);
  });
});

describe('help that is asked for by its word', () => {
  test.each([
    ['help', '--help'],
    ['help -q', '-q --help'],
    ['-q help', '-q --help'],
    ['help chat', 'chat --help'],
    ['help jobs list', 'jobs list --help'],
    ['help --profile work jobs', '--profile work jobs --help'],
    ['help exit-codes', 'exit-codes --help'],
    ['help generate local/canvas', 'generate local/canvas --help'],
    ['help help', 'help'],
    // Mistakes, of which the parser says what is wrong.
    ['help nope', 'nope'],
    ['help jobs nope', 'jobs nope'],
    // No question for help.
    ['', ''],
    ['chat help', 'chat help'],
    ['--profile help chat', '--profile help chat'],
  ])('svc %s is svc %s', (line, meant) => {
    expect(withHelpAsOption(words(line))).toEqual(words(meant));
  });
});
