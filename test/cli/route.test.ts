import { describe, expect, test } from 'vitest';
import { commandPath, entriesFor } from '../../src/cli/route.js';
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
