import { describe, expect, test } from 'vitest';
import { commandPath, entriesFor, withHelpAsOption } from '../../src/cli/route.js';
import { entries } from '../../src/commands/index.js';
import { words } from '../helpers/run.js';

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

describe('the command that a line means', () => {
  test.each([
    ['caht', []],
    ['chat list', ['chat']],
    ['--timeout 5 chat --colour', ['chat']],
    ['models lits', ['models']],
    ['models list --colour', ['models', 'list']],
    ['config get get', ['config', 'get']],
  ])('svc %s is %j', (line, path) => {
    expect(commandPath(words(line))).toEqual(path);
  });
});

describe('help that is asked for by its word', () => {
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
  ])('svc %s is svc %s', (line, meant) => {
    expect(withHelpAsOption(words(line))).toEqual(words(meant));
  });
});
